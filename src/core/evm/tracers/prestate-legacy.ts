/**
 * prestateTracer as geth 1.10.3 prints it: accounts as they were when an opcode first accessed
 * them. COMPAT throughout.
 */
import type { Address } from '../../base/bytes.ts';
import { toHex } from '../../base/hex.ts';
import { FREE, type Spend } from '../../base/spend.ts';
import type { World } from '../../state/world.ts';
import { create2Address, createAddress } from '../create-address.ts';
import type { Frame } from '../frame.ts';
import { opcodeName } from '../opcode-names.ts';
import type { Step, TracedCall, TracedExit, Tracer } from '../tracer.ts';
import { addressOfWord, bytesOfWord } from '../words.ts';

export interface LegacyPrestateAccount {
  balance: string;
  nonce: number;
  code: string;
  storage: Record<string, string>;
}

export type LegacyPrestateResult = Record<string, LegacyPrestateAccount>;

/** Size of an account in the result, without its code and storage. */
const ACCOUNT_TEXT_BYTES = 250;
const SLOT_TEXT_BYTES = 140;

export class LegacyPrestateTracer implements Tracer {
  private readonly world: World;
  private readonly accounts: LegacyPrestateResult = {};
  private outer: TracedCall | undefined;
  private outerExit: TracedExit | undefined;
  private hasStepped = false;
  private readonly spend: Spend;

  constructor(world: World, spend: Spend = FREE) {
    this.spend = spend;
    this.world = world;
  }

  onEnter(call: TracedCall): void {
    if (call.depth === 0) this.outer = call;
  }

  onExit(exit: TracedExit): void {
    if (exit.depth === 0) this.outerExit = exit;
  }

  onStep({ op, frame }: Step): void {
    if (!this.hasStepped) this.see(frame.address);
    this.hasStepped = true;
    const { stack, sp, address } = frame;
    const top = stack[sp - 1] ?? 0n;
    switch (opcodeName(op)) {
      case 'EXTCODECOPY':
      case 'EXTCODESIZE':
      case 'BALANCE':
        this.see(addressOfWord(top));
        break;
      case 'CREATE':
        this.see(createAddress(address, this.world.nonce(address)));
        break;
      case 'CREATE2':
        this.see(create2AddressOf(frame));
        break;
      case 'CALL':
      case 'CALLCODE':
      case 'DELEGATECALL':
      case 'STATICCALL':
        this.see(addressOfWord(stack[sp - 2] ?? 0n));
        break;
      case 'SSTORE':
      case 'SLOAD':
        this.seeSlot(address, top);
        break;
    }
  }

  /**
   * Call it when the transaction has paid and ended. undefined: no code ran; geth then fails
   * (`TypeError: cannot read property '0x…' of null`).
   */
  result(gasPrice: bigint, intrinsicGas: number): LegacyPrestateResult | undefined {
    const { outer, outerExit } = this;
    if (!outer || !outerExit || !this.hasStepped) return undefined;
    this.see(outer.from);
    const from = this.accounts[toHex(outer.from)]!;
    const to = this.accounts[toHex(outer.to)]!;
    const paid = BigInt(outerExit.gasUsed + intrinsicGas) * gasPrice;
    // Both balances are read before either is written: if an account calls itself, the second one
    // is the result.
    const fromBalance = BigInt(from.balance) + outer.value + paid;
    const toBalance = BigInt(to.balance) - outer.value;
    to.balance = hex(toBalance);
    from.balance = hex(fromBalance);
    from.nonce--;
    if (outer.type === 'CREATE') delete this.accounts[toHex(outer.to)];
    return this.accounts;
  }

  private see(address: Address): LegacyPrestateAccount {
    const name = toHex(address);
    const known = this.accounts[name];
    if (known) return known;
    const code = this.world.code(address);
    this.spend(ACCOUNT_TEXT_BYTES + 2 * code.length);
    const seen = {
      balance: hex(this.world.balance(address)),
      nonce: Number(this.world.nonce(address)),
      code: toHex(code),
      storage: {},
    };
    this.accounts[name] = seen;
    return seen;
  }

  private seeSlot(address: Address, slot: bigint): void {
    const { storage } = this.see(address);
    const name = toHex(bytesOfWord(slot));
    if (storage[name] !== undefined) return;
    this.spend(SLOT_TEXT_BYTES);
    storage[name] = toHex(bytesOfWord(this.world.storage(address, slot)));
  }
}

function create2AddressOf({ stack, sp, address, memory }: Frame): Address {
  const offset = Number(stack[sp - 2] ?? 0n);
  const length = Number(stack[sp - 3] ?? 0n);
  return create2Address(address, stack[sp - 4] ?? 0n, memory.peek(offset, length));
}

function hex(value: bigint): string {
  return value < 0n ? `0x-${(-value).toString(16)}` : `0x${value.toString(16)}`;
}
