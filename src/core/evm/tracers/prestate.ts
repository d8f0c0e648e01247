/**
 * prestateTracer as geth prints it today: the accounts that a transaction read, as they were before
 * and, in diff mode, after.
 */
import { type Address, keyOf } from '../../base/bytes.ts';
import { toHex } from '../../base/hex.ts';
import { FREE, type Spend } from '../../base/spend.ts';
import type { World } from '../../state/world.ts';
import { create2Address, createAddress } from '../create-address.ts';
import type { Frame } from '../frame.ts';
import { opcodeName } from '../opcode-names.ts';
import type { Step, Tracer } from '../tracer.ts';
import { addressOfWord, bytesOfWord } from '../words.ts';

export interface PrestateOptions {
  readonly diffMode?: boolean | undefined;
  readonly disableCode?: boolean | undefined;
  readonly disableStorage?: boolean | undefined;
  /** Keep accounts that were empty before. */
  readonly includeEmpty?: boolean | undefined;
}

export interface PrestateAccount {
  balance?: string;
  nonce?: number;
  code?: string;
  codeHash?: string;
  storage?: Record<string, string>;
}

export type PrestateResult = Record<string, PrestateAccount>;

interface Seen {
  readonly address: Address;
  readonly balance: bigint;
  readonly nonce: bigint;
  readonly code: Uint8Array;
  readonly codeHash: Uint8Array;
  readonly slots: Map<bigint, bigint>;
  readonly isEmpty: boolean;
}

/** Size of an account in the result, without its code and storage. */
const ACCOUNT_TEXT_BYTES = 250;
const SLOT_TEXT_BYTES = 140;
const LOOKS_AT_TOP = new Set(['EXTCODECOPY', 'EXTCODEHASH', 'EXTCODESIZE', 'BALANCE']);
const CALLS = new Set(['CALL', 'CALLCODE', 'DELEGATECALL', 'STATICCALL']);

export class PrestateTracer implements Tracer {
  private readonly world: World;
  private readonly options: PrestateOptions;
  private readonly seen = new Map<string, Seen>();
  private readonly destroyed = new Set<string>();
  private readonly spend: Spend;

  constructor(world: World, options: PrestateOptions = {}, spend: Spend = FREE) {
    this.spend = spend;
    this.world = world;
    this.options = options;
  }

  /** Call it before the transaction changes anything. */
  begin(from: Address, to: Address | undefined, coinbase: Address): void {
    this.see(from);
    this.see(to ?? createAddress(from, this.world.nonce(from)));
    this.see(coinbase);
  }

  onStep({ op, frame, error }: Step): void {
    if (error !== undefined) return;
    const { stack, sp, address } = frame;
    const name = opcodeName(op);
    if (name === 'SLOAD' || name === 'SSTORE') this.seeSlot(address, stack[sp - 1]!);
    else if (LOOKS_AT_TOP.has(name)) this.see(addressOfWord(stack[sp - 1]!));
    else if (CALLS.has(name)) this.see(addressOfWord(stack[sp - 2]!));
    else if (name === 'CREATE') this.see(createAddress(address, this.world.nonce(address)));
    else if (name === 'CREATE2') this.see(create2AddressOf(frame));
    else if (name === 'SELFDESTRUCT') {
      this.see(addressOfWord(stack[sp - 1]!));
      this.destroyed.add(keyOf(address));
    }
  }

  /**
   * The accounts before the transaction; in diff mode also those after it. Call it when the
   * transaction has paid and ended.
   */
  result(): PrestateResult | { pre: PrestateResult; post: PrestateResult } {
    if (this.options.diffMode) return this.difference();
    const pre: PrestateResult = {};
    for (const seen of this.kept()) pre[toHex(seen.address)] = this.print(seen, seen.slots);
    return pre;
  }

  private *kept(): Iterable<Seen> {
    for (const seen of this.seen.values()) {
      if (!seen.isEmpty || this.options.includeEmpty) yield seen;
    }
  }

  private see(address: Address): Seen {
    const key = keyOf(address);
    let seen = this.seen.get(key);
    if (!seen) {
      const { world } = this;
      const [balance, nonce, code] = [
        world.balance(address),
        world.nonce(address),
        world.code(address),
      ];
      // In diff mode the account may appear twice.
      this.spend(2 * (ACCOUNT_TEXT_BYTES + 2 * code.length));
      const isEmpty = balance === 0n && nonce === 0n && code.length === 0;
      const codeHash = world.codeHash(address);
      seen = { address, balance, nonce, code, codeHash, slots: new Map(), isEmpty };
      this.seen.set(key, seen);
    }
    return seen;
  }

  private seeSlot(address: Address, slot: bigint): void {
    const { slots } = this.see(address);
    if (this.options.disableStorage || slots.has(slot)) return;
    this.spend(2 * SLOT_TEXT_BYTES);
    slots.set(slot, this.world.storage(address, slot));
  }

  private print(seen: Seen, slots: ReadonlyMap<bigint, bigint>): PrestateAccount {
    const { balance, nonce, code, codeHash } = seen;
    const hasCode = code.length > 0;
    return {
      balance: `0x${balance.toString(16)}`,
      ...(nonce !== 0n && { nonce: Number(nonce) }),
      ...(hasCode && { codeHash: toHex(codeHash) }),
      ...(hasCode && !this.options.disableCode && { code: toHex(code) }),
      ...(slots.size > 0 && { storage: storageJson(slots) }),
    };
  }

  private difference(): { pre: PrestateResult; post: PrestateResult } {
    const pre: PrestateResult = {};
    const post: PrestateResult = {};
    for (const [key, seen] of this.seen) {
      const isKept = !seen.isEmpty || this.options.includeEmpty;
      const name = toHex(seen.address);
      if (this.destroyed.has(key) && !this.world.exists(seen.address)) {
        if (isKept) pre[name] = this.print(seen, seen.slots);
        continue;
      }
      const before = new Map<bigint, bigint>();
      const change = this.changeOf(seen, before);
      if (!change) continue;
      post[name] = change;
      if (isKept) pre[name] = this.print(seen, before);
    }
    return { pre, post };
  }

  /** The changes of an account; old values of changed, non-zero slots go to `before`. */
  private changeOf(seen: Seen, before: Map<bigint, bigint>): PrestateAccount | undefined {
    const { world } = this;
    const { address } = seen;
    const change: PrestateAccount = {};
    const balance = world.balance(address);
    const nonce = world.nonce(address);
    const code = world.code(address);
    if (balance !== seen.balance) change.balance = `0x${balance.toString(16)}`;
    if (nonce !== seen.nonce) change.nonce = Number(nonce);
    if (toHex(code) !== toHex(seen.code)) {
      change.codeHash = toHex(world.codeHash(address));
      if (!this.options.disableCode) change.code = toHex(code);
    }
    const after = new Map<bigint, bigint>();
    let isChanged = Object.keys(change).length > 0;
    for (const [slot, value] of seen.slots) {
      const now = world.storage(address, slot);
      if (now === value) continue;
      isChanged = true;
      if (value !== 0n) before.set(slot, value);
      if (now !== 0n) after.set(slot, now);
    }
    if (after.size > 0) change.storage = storageJson(after);
    return isChanged ? change : undefined;
  }
}

function create2AddressOf({ stack, sp, address, memory }: Frame): Address {
  const initCode = memory.peek(Number(stack[sp - 2]!), Number(stack[sp - 3]!));
  return create2Address(address, stack[sp - 4]!, initCode);
}

function storageJson(slots: ReadonlyMap<bigint, bigint>): Record<string, string> {
  return Object.fromEntries(
    [...slots].map(([slot, value]) => [toHex(bytesOfWord(slot)), toHex(bytesOfWord(value))]),
  );
}
