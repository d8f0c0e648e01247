/**
 * Tables and keys of the index (docs/storage.md). Numbers are big-endian, so keys sort by number. S
 * is the space's u16.
 */
import { concatBytes, equalBytes, type Hash32 } from '../base/bytes.ts';
import { bytesToNumber, numberToUint64 } from '../base/quantity.ts';
import { rowBytes } from './row-bytes.ts';

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
  /** State at the checkpoint, the values before it, and trie nodes; see below. */
  state: 'state',
  /** Block hash -> snapshot of votes and validators. */
  snapshots: 'snapshots',
} as const;
export const TABLES: readonly string[] = Object.values(TABLE);

export const CHECKPOINT_KEY: Uint8Array = new TextEncoder().encode('checkpoint');
/** Of the number of the oldest block whose states are whole; absent: nothing was pruned. */
export const HORIZON_KEY: Uint8Array = new TextEncoder().encode('horizon');
/** Space number of the public state; private ones count from 1. */
export const PUBLIC_ID = 0;

/**
 * Rows of the table `state`. With millions of accounts, each one that a block changes is on pages
 * of its own, so all rows about it are neighbours: they begin with the same four bytes of its hash,
 * or of the path of a node, and only then comes what they are. R is where they belong: S | a for
 * accounts, S | p for their metadata, S | s | H(address) | born for the slots of a storage.
 *
 * R | hash[0..4] | HEAD | hash[4..32]: value at the checkpoint.
 * R | hash[0..4] | PAST | hash[4..32] | number: value before block `number`; empty: absent.
 * R | path[0..8], two digits a byte | NODE | path, a digit a byte: trie node at the checkpoint.
 */
const ACCOUNT = 0x61;
const SLOT = 0x73;
const METADATA = 0x70;
const NODE = 0;
const HEAD = 1;
const PAST = 2;
const NEAR_BYTES = 4;
/** Of a hash and what it is. */
const HASH_BYTES = 33;
const ACCOUNTS_BYTES = 3;
const STORAGE_BYTES = 43;

export function accountKey(space: number, addressHash: Hash32): Uint8Array {
  const key = region(space, ACCOUNT, ACCOUNTS_BYTES + HASH_BYTES);
  return withHash(key, ACCOUNTS_BYTES, addressHash);
}

export function metadataKey(space: number, addressHash: Hash32): Uint8Array {
  const key = region(space, METADATA, ACCOUNTS_BYTES + HASH_BYTES);
  return withHash(key, ACCOUNTS_BYTES, addressHash);
}

export function slotKey(
  space: number,
  addressHash: Hash32,
  born: number,
  slotHash: Hash32,
): Uint8Array {
  const key = storage(space, addressHash, born, STORAGE_BYTES + HASH_BYTES);
  return withHash(key, STORAGE_BYTES, slotHash);
}

/** `path`: one digit per byte. */
export function accountNodeKey(space: number, path: Uint8Array): Uint8Array {
  const key = region(space, ACCOUNT, ACCOUNTS_BYTES + NEAR_BYTES + 1 + path.length);
  return withPath(key, ACCOUNTS_BYTES, path);
}

export function storageNodeKey(
  space: number,
  addressHash: Hash32,
  born: number,
  path: Uint8Array,
): Uint8Array {
  const key = storage(space, addressHash, born, STORAGE_BYTES + NEAR_BYTES + 1 + path.length);
  return withPath(key, STORAGE_BYTES, path);
}

/** Of the value before block `number`; `headKey`: of the value at the checkpoint. */
export function pastKey(headKey: Uint8Array, number: number): Uint8Array {
  const { length } = headKey;
  const key = rowBytes(length + 8);
  key.set(headKey);
  key[length - HASH_BYTES + NEAR_BYTES] = PAST;
  key.set(numberToUint64(number), length);
  return key;
}

/** The first key after all values before the one at `headKey`. */
export function pastEnd(headKey: Uint8Array): Uint8Array {
  return afterPrefix(pastKey(headKey, 0).subarray(0, headKey.length));
}

/** Where the rows of the accounts, or of one storage, begin: the bytes R of their keys. */
export function accountsRegion(space: number): Uint8Array {
  return region(space, ACCOUNT, ACCOUNTS_BYTES);
}

export function storageRegion(space: number, addressHash: Hash32, born: number): Uint8Array {
  return storage(space, addressHash, born, STORAGE_BYTES);
}

/** The first key in a region that can belong to `hash` or to a later one. */
export function firstNear(of: Uint8Array, hash: Hash32): Uint8Array {
  return concatBytes(of, hash.subarray(0, NEAR_BYTES));
}

/** Whether their rows have the same beginning. */
export function areNear(a: Hash32, b: Hash32): boolean {
  return equalBytes(a.subarray(0, NEAR_BYTES), b.subarray(0, NEAR_BYTES));
}

/** The hash in the key of a value; undefined: the key is of a node. */
export function hashInKey(key: Uint8Array, regionBytes: number): Hash32 | undefined {
  const end = regionBytes + NEAR_BYTES;
  if (key[end] === NODE) return undefined;
  return concatBytes(
    key.subarray(regionBytes, end),
    key.subarray(end + 1, regionBytes + HASH_BYTES),
  );
}

/** The first key after this one that does not belong to a value before that of the same hash. */
export function afterRow(key: Uint8Array, regionBytes: number): Uint8Array {
  const isPast = key[regionBytes + NEAR_BYTES] === PAST;
  return isPast
    ? afterPrefix(key.subarray(0, regionBytes + HASH_BYTES))
    : concatBytes(key, new Uint8Array(1));
}

/** Whether a row of the table `state` is a value from before the checkpoint. */
export function isPast(key: Uint8Array): boolean {
  return whatOf(key) === PAST;
}

export function isNode(key: Uint8Array): boolean {
  return whatOf(key) === NODE;
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

function region(space: number, kind: number, length: number): Uint8Array {
  const key = rowBytes(length);
  key[0] = space >> 8;
  key[1] = space & 0xff;
  key[2] = kind;
  return key;
}

function storage(space: number, addressHash: Hash32, born: number, length: number): Uint8Array {
  const key = region(space, SLOT, length);
  key.set(addressHash, 3);
  key.set(numberToUint64(born), 35);
  return key;
}

function whatOf(key: Uint8Array): number {
  const regionBytes = key[2] === SLOT ? STORAGE_BYTES : ACCOUNTS_BYTES;
  return key[regionBytes + NEAR_BYTES]!;
}

function withHash(key: Uint8Array, at: number, hash: Hash32): Uint8Array {
  key.set(hash, at + 1);
  for (let i = 0; i < NEAR_BYTES; i++) key[at + i] = hash[i]!;
  key[at + NEAR_BYTES] = HEAD;
  return key;
}

function withPath(key: Uint8Array, at: number, path: Uint8Array): Uint8Array {
  for (let i = 0; i < NEAR_BYTES; i++) {
    key[at + i] = ((path[2 * i] ?? 0) << 4) | (path[2 * i + 1] ?? 0);
  }
  key[at + NEAR_BYTES] = NODE;
  key.set(path, at + NEAR_BYTES + 1);
  return key;
}
