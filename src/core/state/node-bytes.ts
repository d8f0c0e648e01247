/**
 * The bytes of a trie node in memory: its hash and then its RLP, or the RLP alone if that is
 * shorter than a hash. A parent contains the first 32 of them or, if there are fewer, all: the
 * reference.
 */

import { BytePieces } from '../base/byte-pieces.ts';
import { equalBytes, type Hash32 } from '../base/bytes.ts';
import { keccak256Into } from '../base/keccak.ts';

export type NodeBytes = Uint8Array;

export const HASH_BYTES = 32;
/** How the encoding of a branch says that it has no child there. */
export const NO_CHILD = 0x80;
/** How that of a child's hash begins. */
export const HASH_HEADER = 0x80 + HASH_BYTES;
/** Of all but leaves with long values: a branch without a value has at most 564. */
const PIECED_BYTES_MAX = 600;

const pieces = new BytePieces(PIECED_BYTES_MAX);

/**
 * Of a node with this RLP, which is copied, with zeros in the place of the hash. Nodes share
 * memory: drop all, or give what stays bytes of its own.
 */
export function unhashedBytes(rlp: Uint8Array): NodeBytes {
  const start = startOfRlp(rlp);
  const bytes = pieces.take(start + rlp.length);
  bytes.set(rlp, start);
  return bytes;
}

/** `hash`: of the RLP; undefined if it is not known. */
export function bytesOfRlp(rlp: Uint8Array, hash?: Hash32): NodeBytes {
  const bytes = unhashedBytes(rlp);
  if (!hasHash(bytes)) return bytes;
  if (hash) bytes.set(hash);
  else keccak256Into(rlp, bytes);
  return bytes;
}

/** The same bytes in memory that no other node shares. */
export function ownBytes(bytes: NodeBytes): NodeBytes {
  return bytes.length === bytes.buffer.byteLength ? bytes : bytes.slice();
}

/** Where the RLP begins, also for the RLP itself. */
export function startOfRlp(bytes: NodeBytes): number {
  return hasHash(bytes) ? HASH_BYTES : 0;
}

/** A view. */
export function rlpOf(bytes: NodeBytes): Uint8Array {
  return bytes.subarray(startOfRlp(bytes));
}

/** Whether a parent contains its hash, not the node. */
export function hasHash(bytes: NodeBytes): boolean {
  return bytes.length >= HASH_BYTES;
}

export function equalReferences(a: NodeBytes, b: NodeBytes): boolean {
  if (a === b) return true;
  if (!hasHash(a) || !hasHash(b)) return equalBytes(a, b);
  for (let i = 0; i < HASH_BYTES; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** Where the first item of the RLP, a list, begins. */
export function firstItem(bytes: NodeBytes): number {
  const start = startOfRlp(bytes);
  const first = bytes[start]!;
  return first > 0xf7 ? start + first - 0xf6 : start + 1;
}

/** The length of a branch's child: nothing, a hash, or an embedded node; all below 56 bytes. */
export function childLength(bytes: NodeBytes, at: number): number {
  const first = bytes[at]!;
  return first >= 0xc0 ? first - 0xbf : first > 0x80 ? first - 0x7f : 1;
}

/** Where the encoding of a branch's child begins. */
export function childStart(bytes: NodeBytes, nibble: number): number {
  let at = firstItem(bytes);
  for (let i = 0; i < nibble; i++) at += childLength(bytes, at);
  return at;
}
