/** Accounts in the format of the official tests. */
import { fromHex } from '../../src/core/base/hex.ts';
import { type AllocEntry, MemoryReader } from '../../src/core/state/memory-reader.ts';

/** A quantity in hex; `0x` is zero. */
export function bigintOf(text: string): bigint {
  return text === '0x' ? 0n : BigInt(text);
}

function allocOf(pre: Record<string, any>): AllocEntry[] {
  return Object.entries(pre).map(([address, account]) => ({
    address: fromHex(address),
    balance: bigintOf(account.balance),
    nonce: bigintOf(account.nonce),
    code: fromHex(account.code),
    storage: new Map(
      Object.entries<string>(account.storage).map(([slot, value]) => [
        bigintOf(slot),
        bigintOf(value),
      ]),
    ),
  }));
}

export function stateOf(pre: Record<string, any>): ReturnType<typeof MemoryReader.fromAlloc> {
  return MemoryReader.fromAlloc(allocOf(pre));
}
