/** Encodes trie nodes, and seals them: their children must all be sealed. */
import { EMPTY_BYTES } from '../base/bytes.ts';
import { keccak256Into } from '../base/keccak.ts';
import { type Nibbles, packNibbles } from './nibbles.ts';
import {
  bytesOfRlp,
  childLength,
  firstItem,
  HASH_BYTES,
  HASH_HEADER,
  hasHash,
  NO_CHILD,
  rlpOf,
  startOfRlp,
  unhashedBytes,
} from './node-bytes.ts';
import type {
  BranchNode,
  Children,
  ExtensionNode,
  LeafNode,
  LoadedNode,
  TrieNode,
} from './trie-node.ts';

/** Of a list or a string: at most four bytes of length. */
const HEADER_BYTES_MAX = 5;
const CHILD_BYTES_MAX = 1 + HASH_BYTES;

/** Nodes are encoded here; it grows to the size of the largest one. */
let scratch = new Uint8Array(1024);

/** Computes the hash; all children must be sealed. */
export function sealNode(node: LoadedNode): void {
  if (node.kind === 'leaf') {
    keccak256Into(rlpOf(node.bytes), node.bytes);
  } else if (node.kind === 'extension') {
    node.bytes = bytesOfRlp(encodeExtension(node));
  } else {
    node.bytes = bytesOfRlp(changedInPlace(node) ?? encodeBranch(node));
    node.before = undefined;
  }
  node.isSealed = true;
}

/** `packed`: the rest of the key in hex-prefix form. */
export function leafNode(packed: Uint8Array, value: Uint8Array): LeafNode {
  reserve(packed.length + value.length + 3 * HEADER_BYTES_MAX);
  const bytes = unhashedBytes(listUpTo(putString(putString(HEADER_BYTES_MAX, packed), value)));
  return { kind: 'leaf', bytes, isSealed: !hasHash(bytes) };
}

/** `path`: the rest of the key. */
export function leafAt(path: Nibbles, value: Uint8Array): LeafNode {
  return leafNode(packNibbles(path, true), value);
}

function encodeExtension({ path, child }: ExtensionNode): Uint8Array {
  reserve(path.length + CHILD_BYTES_MAX + 2 * HEADER_BYTES_MAX);
  const at = putString(HEADER_BYTES_MAX, packNibbles(path, false));
  return listUpTo(putReference(at, child));
}

function encodeBranch(branch: BranchNode): Uint8Array {
  const value = branch.value ?? EMPTY_BYTES;
  reserve(16 * CHILD_BYTES_MAX + value.length + 2 * HEADER_BYTES_MAX);
  return listUpTo(putString(putChildren(HEADER_BYTES_MAX, branch), value));
}

/**
 * The encoding of the version before with other references in the places of those that have
 * changed; undefined: they have other lengths, or there is a value.
 */
function changedInPlace({ bytes, children, before, value }: BranchNode): Uint8Array | undefined {
  if (bytes.length === 0 || value) return undefined;
  reserve(bytes.length);
  scratch.set(bytes);
  let at = firstItem(bytes);
  for (let i = 0; i < 16; i++) {
    const length = childLength(bytes, at);
    if (isChanged(children!, before, i)) {
      if (referenceLength(children![i]!) !== length) return undefined;
      putReference(at, children![i]!);
    }
    at += length;
  }
  const hadValue = bytes[at] !== NO_CHILD;
  return hadValue ? undefined : scratch.subarray(startOfRlp(bytes), bytes.length);
}

/** Encodes the children; those that the version before has are copied, neighbours at once. */
function putChildren(start: number, { bytes, children, before }: BranchNode): number {
  let at = start;
  const isNew = bytes.length === 0;
  let from = isNew ? 0 : firstItem(bytes);
  let copied = from;
  for (let i = 0; i < 16; i++) {
    const next = isNew ? 0 : from + childLength(bytes, from);
    if (isNew || isChanged(children!, before, i)) {
      at = putRange(at, bytes, copied, from);
      copied = next;
      at = putReference(at, children![i]!);
    }
    from = next;
  }
  return putRange(at, bytes, copied, from);
}

function isChanged(children: Children, before: Children | undefined, nibble: number): boolean {
  const child = children[nibble];
  return child !== null && (!before || child !== before[nibble]);
}

function putRange(at: number, bytes: Uint8Array, from: number, to: number): number {
  if (from === to) return at;
  scratch.set(bytes.subarray(from, to), at);
  return at + to - from;
}

function reserve(length: number): void {
  if (scratch.length < length) scratch = new Uint8Array(length * 2);
}

function referenceLength(child: TrieNode | undefined): number {
  if (!child) return 1;
  return hasHash(child.bytes) ? CHILD_BYTES_MAX : child.bytes.length;
}

function putReference(at: number, child: TrieNode | undefined): number {
  if (!child) {
    scratch[at] = NO_CHILD;
    return at + 1;
  }
  const { bytes } = child;
  let start = at;
  if (hasHash(bytes)) scratch[start++] = HASH_HEADER;
  const length = Math.min(bytes.length, HASH_BYTES);
  for (let i = 0; i < length; i++) scratch[start + i] = bytes[i]!;
  return start + length;
}

function putString(at: number, bytes: Uint8Array): number {
  const length = bytes.length;
  if (length === 1 && bytes[0]! < 0x80) {
    scratch[at] = bytes[0]!;
    return at + 1;
  }
  let start = at;
  if (length < 56) {
    scratch[start++] = 0x80 + length;
  } else {
    const count = byteCount(length);
    scratch[start++] = 0xb7 + count;
    for (let i = count - 1; i >= 0; i--) scratch[start++] = (length >>> (8 * i)) & 0xff;
  }
  scratch.set(bytes, start);
  return start + length;
}

/**
 * The list of what was put behind the room for its header: a view that the next call overwrites.
 */
function listUpTo(end: number): Uint8Array {
  const length = end - HEADER_BYTES_MAX;
  const count = length < 56 ? 0 : byteCount(length);
  const start = HEADER_BYTES_MAX - 1 - count;
  scratch[start] = count === 0 ? 0xc0 + length : 0xf7 + count;
  for (let i = 0; i < count; i++) scratch[HEADER_BYTES_MAX - 1 - i] = (length >>> (8 * i)) & 0xff;
  return scratch.subarray(start, end);
}

function byteCount(value: number): number {
  return value < 0x100 ? 1 : value < 0x10000 ? 2 : value < 0x1000000 ? 3 : 4;
}
