/**
 * Tables and keys of the index (docs/storage.md). Numbers are big-endian, so keys sort by number. S
 * is the space's u16.
 */
import type { Hash32 } from '../base/bytes.ts';
import { bytesToNumber, numberToUint64 } from '../base/quantity.ts';

export const TABLE = {
  /** Name -> value: checkpoint, horizon, numbers of other files. */
  meta: 'meta',
  /** Block hash -> number. */
  numbers: 'numbers',
  /** Number | S -> place in the log. */
  places: 'places',
  /** Transaction hash -> number, index. */
  transactions: 'txs',
  /** Rows of the two tables of hashes that are not yet there (waiting-rows.ts). */
  waiting: 'waiting',
  /** Number | S -> 256 bytes. */
  blooms: 'blooms',
  /** Code hash -> code. */
  code: 'code',
  /** State at the checkpoint. */
  head: 'head',
  /** Head key | number -> value before block `number`; empty: absent. */
  past: 'past',
  /** Trie nodes at the checkpoint, by path. */
  nodes: 'nodes',
  /** Block hash -> snapshot of votes and validators. */
  snapshots: 'snapshots',
} as const;
export const TABLES: readonly string[] = Object.values(TABLE);

export const CHECKPOINT_KEY: Uint8Array = new TextEncoder().encode('checkpoint');
/** Of the number of the oldest block whose states are whole; absent: nothing was pruned. */
export const HORIZON_KEY: Uint8Array = new TextEncoder().encode('horizon');
/** Space number of the public state; private ones count from 1. */
export const PUBLIC_ID = 0;

const ACCOUNT = 0x61;
const SLOT = 0x73;
const METADATA = 0x70;

/** S | a | H(address). */
export function accountKey(space: number, addressHash: Hash32): Uint8Array {
  return prefixed(space, ACCOUNT, 35, addressHash);
}

/** S | p | H(address). */
export function metadataKey(space: number, addressHash: Hash32): Uint8Array {
  return prefixed(space, METADATA, 35, addressHash);
}

/** S | s | H(address) | born | H(slot). */
export function slotKey(
  space: number,
  addressHash: Hash32,
  born: number,
  slotHash: Hash32,
): Uint8Array {
  const key = prefixed(space, SLOT, 75, addressHash);
  key.set(numberToUint64(born), 35);
  key.set(slotHash, 43);
  return key;
}

/** S | a | path, one nibble per byte. */
export function accountNodeKey(space: number, path: Uint8Array): Uint8Array {
  return prefixed(space, ACCOUNT, 3 + path.length, path);
}

/** S | s | H(address) | born | path. */
export function storageNodeKey(
  space: number,
  addressHash: Hash32,
  born: number,
  path: Uint8Array,
): Uint8Array {
  const key = prefixed(space, SLOT, 43 + path.length, addressHash);
  key.set(numberToUint64(born), 35);
  key.set(path, 43);
  return key;
}

/** `headKey` | number. */
export function pastKey(headKey: Uint8Array, number: number): Uint8Array {
  const key = new Uint8Array(headKey.length + 8);
  key.set(headKey);
  key.set(numberToUint64(number), headKey.length);
  return key;
}

/** Number | S. */
export function numberKey(number: number, space: number): Uint8Array {
  const key = new Uint8Array(10);
  key.set(numberToUint64(number));
  key[8] = space >> 8;
  key[9] = space & 0xff;
  return key;
}

export function uint64At(bytes: Uint8Array, at: number): number {
  return bytesToNumber(bytes.subarray(at, at + 8));
}

/** The first key after all keys with `prefix`. */
export function afterPrefix(prefix: Uint8Array): Uint8Array {
  const end = prefix.slice();
  for (let i = end.length - 1; i >= 0; i--) {
    if (end[i] !== 0xff) {
      end[i] = end[i]! + 1;
      return end.subarray(0, i + 1);
    }
  }
  return new Uint8Array(128).fill(0xff);
}

function prefixed(space: number, kind: number, length: number, rest: Uint8Array): Uint8Array {
  const key = new Uint8Array(length);
  key[0] = space >> 8;
  key[1] = space & 0xff;
  key[2] = kind;
  key.set(rest, 3);
  return key;
}
