/**
 * The senders of a block's transactions in one row of the index of accounts: a page of transactions
 * that others sent shows who, and to recover that from the signatures takes most of its time. For
 * each sender: its address, the number of its transactions, and their distances.
 */
import { type Address, bytesOfKey } from '../../base/bytes.ts';
import { CONCERN } from './block-accounts.ts';
import { putVarint, VarintReader } from './varint.ts';

const ADDRESS_BYTES = 20;

/** `places`: those of all accounts that the block concerns. Undefined: it has no transactions. */
export function encodeSenders(
  places: ReadonlyMap<string, readonly number[]>,
): Uint8Array | undefined {
  const bytes: number[] = [];
  for (const [key, of] of places) {
    const sent: number[] = [];
    for (let at = 0; at < of.length; at += 2) if (of[at + 1]! & CONCERN.sent) sent.push(of[at]!);
    if (sent.length === 0) continue;
    bytes.push(...bytesOfKey(key));
    putVarint(bytes, sent.length);
    let last = 0;
    for (const index of sent) {
      putVarint(bytes, index - last);
      last = index;
    }
  }
  return bytes.length === 0 ? undefined : Uint8Array.from(bytes);
}

/** By index of the transaction. Throws STORE_INDEX_DAMAGED. */
export function decodeSenders(row: Uint8Array): ReadonlyMap<number, Address> {
  const senders = new Map<number, Address>();
  const reader = new VarintReader(row);
  while (!reader.done) {
    const sender = reader.bytes(ADDRESS_BYTES);
    let index = 0;
    for (let count = reader.varint(); count > 0; count--) {
      index += reader.varint();
      senders.set(index, sender);
    }
  }
  return senders;
}
