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

/** `length` zeros, which may be in memory that nodes share: drop all, or copy what stays. */
export function nodeBytes(length: number): NodeBytes {
  return pieces.take(length);
}

/** The same bytes in memory that no other node shares. */
export function ownBytes(bytes: NodeBytes): NodeBytes {
  return bytes.length === bytes.buffer.byteLength ? bytes : bytes.slice();
}

/** Of a node with this RLP, which is copied; `hash`: the RLP's, undefined if it is not known. */
export function bytesOfRlp(rlp: Uint8Array, hash?: Hash32): NodeBytes {
  const start = rlp.length < HASH_BYTES ? 0 : HASH_BYTES;
  const bytes = nodeBytes(start + rlp.length);
  bytes.set(rlp, start);
  if (start > 0 && hash) bytes.set(hash);
  else if (start > 0) keccak256Into(rlp, bytes);
  return bytes;
}

/** Where the RLP begins. */
export function startOfRlp(bytes: NodeBytes): number {
  return bytes.length < HASH_BYTES ? 0 : HASH_BYTES;
}

/** A view. */
export function rlpOf(bytes: NodeBytes): Uint8Array {
  return bytes.length < HASH_BYTES ? bytes : bytes.subarray(HASH_BYTES);
}

/** Whether a parent contains its hash, not the node. */
export function hasHash(bytes: NodeBytes): boolean {
  return bytes.length >= HASH_BYTES;
}

export function equalReferences(a: NodeBytes, b: NodeBytes): boolean {
  if (a === b) return true;
  if (a.length < HASH_BYTES || b.length < HASH_BYTES) return equalBytes(a, b);
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
