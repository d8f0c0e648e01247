/**
 * Trie keys: keccak256 of addresses and slots. Blocks use the same few thousand again and again, so
 * hashes are cached.
 */
import { BytePieces } from '../base/byte-pieces.ts';
import { type Address, bytesOfKey, type Hash32, keyOf } from '../base/bytes.ts';
import { keccak256 } from '../base/keccak.ts';
import { bigIntToFixed } from '../base/quantity.ts';

/** Entries per table; a full table is emptied. About 200 bytes per entry. */
const HASHES_MAX = 65_536;

const pieces = new BytePieces(32);

const addresses = new Map<string, Hash32>();
const slots = new Map<bigint, Hash32>();

/** The array is shared: the caller must not change it. */
export function hashOfAddress(address: Address): Hash32 {
  const key = keyOf(address);
  return addresses.get(key) ?? keep(addresses, key, keccak256(address));
}

/** Of the address with this `keyOf`. The array is shared: the caller must not change it. */
export function hashOfAddressKey(key: string): Hash32 {
  return addresses.get(key) ?? keep(addresses, key, keccak256(bytesOfKey(key)));
}

/** The array is shared: the caller must not change it. */
export function hashOfSlot(slot: bigint): Hash32 {
  return slots.get(slot) ?? keep(slots, slot, keccak256(bigIntToFixed(slot, 32)));
}

function keep<Key>(table: Map<Key, Hash32>, key: Key, hash: Hash32): Hash32 {
  if (table.size >= HASHES_MAX) table.clear();
  const kept = pieces.take(hash.length);
  kept.set(hash);
  table.set(key, kept);
  return kept;
}
