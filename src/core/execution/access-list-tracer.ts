/**
 * Collects the entries of an access list (EIP-2930), as geth's tracer for eth_createAccessList
 * does.
 */
import { type Address, bytesOfKey, compareBytes, keyOf } from '../base/bytes.ts';
import { bigIntToFixed, bytesToBigInt } from '../base/quantity.ts';
import type { AccessListEntry } from '../chain/transaction.ts';
import type { Step, Tracer } from '../evm/tracer.ts';

const OP = {
  balance: 0x31,
  extcodesize: 0x3b,
  extcodecopy: 0x3c,
  extcodehash: 0x3f,
  sload: 0x54,
  sstore: 0x55,
  call: 0xf1,
  callcode: 0xf2,
  delegatecall: 0xf4,
  staticcall: 0xfa,
  selfdestruct: 0xff,
} as const;

const NAMES_ADDRESS_ON_TOP: ReadonlySet<number> = new Set([
  OP.balance,
  OP.extcodesize,
  OP.extcodecopy,
  OP.extcodehash,
  OP.selfdestruct,
]);
const NAMES_ADDRESS_SECOND: ReadonlySet<number> = new Set([
  OP.call,
  OP.callcode,
  OP.delegatecall,
  OP.staticcall,
]);
const ADDRESS_MASK = (1n << 160n) - 1n;

export class AccessListTracer implements Tracer {
  private readonly excluded: ReadonlySet<string>;
  private readonly slots = new Map<string, Set<bigint>>();

  /**
   * `excluded` are warm without a list: sender, recipient, precompiles. Their slots may still be in
   * the list.
   */
  constructor(start: readonly AccessListEntry[], excluded: readonly Address[]) {
    this.excluded = new Set(excluded.map(keyOf));
    for (const { address, slots } of start) {
      this.addAddress(address);
      for (const slot of slots) this.slotsOf(address).add(bytesToBigInt(slot));
    }
  }

  onStep({ op, frame }: Step): void {
    const top = frame.stack[frame.sp - 1];
    const second = frame.stack[frame.sp - 2];
    if (op === OP.sload || op === OP.sstore) {
      if (frame.sp >= 1) this.slotsOf(frame.address).add(top!);
    } else if (NAMES_ADDRESS_ON_TOP.has(op)) {
      if (frame.sp >= 1) this.addAddress(addressOf(top!));
    } else if (NAMES_ADDRESS_SECOND.has(op)) {
      if (frame.sp >= 5) this.addAddress(addressOf(second!));
    }
  }

  /** The list, sorted so that the same entries always give the same list. */
  accessList(): AccessListEntry[] {
    return [...this.slots]
      .map(([key, slots]) => ({
        address: bytesOfKey(key),
        slots: [...slots].map((slot) => bigIntToFixed(slot, 32)).sort(compareBytes),
      }))
      .sort((a, b) => compareBytes(a.address, b.address));
  }

  /** Whether `list` already contains everything that was found. */
  hasOnly(list: readonly AccessListEntry[]): boolean {
    let count = 0;
    for (const { slots } of list) count += slots.length;
    let found = 0;
    for (const slots of this.slots.values()) found += slots.size;
    return found === count && this.slots.size === list.length;
  }

  private addAddress(address: Address): void {
    if (!this.excluded.has(keyOf(address))) this.slotsOf(address);
  }

  private slotsOf(address: Address): Set<bigint> {
    const key = keyOf(address);
    const slots = this.slots.get(key) ?? new Set<bigint>();
    this.slots.set(key, slots);
    return slots;
  }
}

function addressOf(word: bigint): Address {
  return bigIntToFixed(word & ADDRESS_MASK, 20);
}
