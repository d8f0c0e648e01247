/**
 * Nodes of the Merkle Patricia trie (Yellow Paper, appendix D): immutable, shared between versions
 * of a trie. A parent contains each child's `ref`: its hash of 32 bytes, or the child's own RLP if
 * that is shorter.
 */
import { EMPTY_BYTES, equalBytes, type Hash32 } from '../base/bytes.ts';
import { keccak256 } from '../base/keccak.ts';
import { RlpReader, readList } from '../base/rlp.ts';

/** One hex digit per byte. */
export type Nibbles = Uint8Array;

export interface LeafNode {
  readonly kind: 'leaf';
  /**
   * Rest of the key in hex-prefix form: takes half the memory of nibbles, and is the same as in the
   * RLP.
   */
  readonly packed: Uint8Array;
  readonly value: Uint8Array;
  ref: Uint8Array | undefined;
}

export interface ExtensionNode {
  readonly kind: 'extension';
  readonly path: Nibbles;
  /** A `hashed` child is replaced by the loaded node once it is read. */
  child: TrieNode;
  ref: Uint8Array | undefined;
}

export interface BranchNode {
  readonly kind: 'branch';
  /**
   * 16 slots, to be read with `childOf`; null: the child is still in the source, the same for all
   * versions that share its cells. Loading replaces children in place, as in an extension.
   */
  readonly children: Children;
  readonly value: Uint8Array | undefined;
  ref: Uint8Array | undefined;
  /** Without a `ref`: that of the version before, undefined for a new branch. */
  source: BranchSource | undefined;
  /** Without a `ref`: the children whose encoding the source is. */
  before: Children | undefined;
}

export type Children = (TrieNode | undefined | null)[];

/**
 * The encoding of a branch. Most children of one that was read are never used, and these are not
 * decoded; a new version copies the children that it shares, because their refs are all over the
 * memory.
 */
export interface BranchSource {
  readonly rlp: Uint8Array;
  /**
   * Of the branch as it was read, the same for all its versions: children that any of them used.
   */
  readonly cells: (TrieNode | undefined)[];
}

/**
 * A node of which only the hash is known. Once loaded, it is kept for all versions that share it,
 * because the store may replace its copy.
 */
export interface HashedNode {
  readonly kind: 'hashed';
  readonly ref: Hash32;
  loaded: LoadedNode | undefined;
}

export type TrieNode = LeafNode | ExtensionNode | BranchNode | HashedNode;
export type LoadedNode = Exclude<TrieNode, HashedNode>;

export function leafNode(path: Nibbles, value: Uint8Array): LeafNode {
  return { kind: 'leaf', packed: packNibbles(path, true), value, ref: undefined };
}

export function extensionNode(path: Nibbles, child: TrieNode): ExtensionNode {
  return { kind: 'extension', path, child, ref: undefined };
}

/** `previous`: the branch from which `children` were taken. */
export function branchNode(
  children: Children,
  value: Uint8Array | undefined,
  previous: BranchNode | undefined,
): BranchNode {
  const before = previous?.ref === undefined ? previous?.before : previous.children;
  return { kind: 'branch', children, value, ref: undefined, source: previous?.source, before };
}

/** A branch as it is stored, or a copy of it with less in memory. */
export function sealedBranch(
  children: Children,
  value: Uint8Array | undefined,
  ref: Uint8Array,
  source: BranchSource,
): BranchNode {
  return { kind: 'branch', children, value, ref, source, before: undefined };
}

export function childOf(branch: BranchNode, nibble: number): TrieNode | undefined {
  const child = branch.children[nibble];
  if (child !== null) return child;
  const { rlp, cells } = branch.source!;
  const known = cells[nibble];
  if (known !== undefined) return known;
  let at = contentStart(rlp);
  for (let i = 0; i < nibble; i++) at += itemLength(rlp, at);
  const cell = readChild(new RlpReader(rlp, at));
  cells[nibble] = cell;
  return cell;
}

/** Whether both are known to have the same child there, without loading it. */
export function sharesChild(a: BranchNode, b: BranchNode, nibble: number): boolean {
  if (a.children[nibble] !== null || b.children[nibble] !== null) return false;
  return a.source!.cells === b.source!.cells;
}

/** Of two hashed branches, which of the 16 children are the same, without decoding any. */
export function commonChildren(a: BranchNode, b: BranchNode): boolean[] {
  const [left, right] = [a.source!.rlp, b.source!.rlp];
  let [atLeft, atRight] = [contentStart(left), contentStart(right)];
  return a.children.map(() => {
    const [from, start] = [atLeft, atRight];
    atLeft += itemLength(left, from);
    atRight += itemLength(right, start);
    return equalBytes(left.subarray(from, atLeft), right.subarray(start, atRight));
  });
}

/** Where the first item of a list begins. */
function contentStart(list: Uint8Array): number {
  return list[0]! > 0xf7 ? list[0]! - 0xf6 : 1;
}

/** The length of a branch's item: nothing, a hash, or an embedded node; all below 56 bytes. */
function itemLength(rlp: Uint8Array, at: number): number {
  const first = rlp[at]!;
  return first >= 0xc0 ? first - 0xbf : first > 0x80 ? first - 0x7f : 1;
}

export function hashedNode(hash: Hash32): HashedNode {
  return { kind: 'hashed', ref: hash, loaded: undefined };
}

// --- nibbles ------------------------------------------------------------------------------------------------------

export function toNibbles(key: Uint8Array): Nibbles {
  const out = new Uint8Array(key.length * 2);
  for (let i = 0; i < key.length; i++) {
    const byte = key[i]!;
    out[2 * i] = byte >> 4;
    out[2 * i + 1] = byte & 15;
  }
  return out;
}

/** The inverse of toNibbles. */
export function packKey(nibbles: Nibbles): Uint8Array {
  const key = new Uint8Array(nibbles.length / 2);
  for (let i = 0; i < key.length; i++) key[i] = (nibbles[2 * i]! << 4) | nibbles[2 * i + 1]!;
  return key;
}

/** Hex-prefix encoding (Yellow Paper, appendix C). */
function packNibbles(path: Nibbles, isLeaf: boolean): Uint8Array {
  const odd = path.length & 1;
  const out = new Uint8Array((path.length >> 1) + 1);
  out[0] = ((isLeaf ? 2 : 0) + odd) << 4;
  if (odd === 1) out[0]! |= path[0]!;
  for (let i = odd, at = 1; i < path.length; i += 2, at++) out[at] = (path[i]! << 4) | path[i + 1]!;
  return out;
}

export function unpackNibbles(packed: Uint8Array): Nibbles {
  const odd = (packed[0]! >> 4) & 1;
  const out = new Uint8Array((packed.length - 1) * 2 + odd);
  if (odd === 1) out[0] = packed[0]! & 15;
  for (let i = 1, at = odd; i < packed.length; i++, at += 2) {
    out[at] = packed[i]! >> 4;
    out[at + 1] = packed[i]! & 15;
  }
  return out;
}

/** Whether `packed`, the rest of a leaf's key, equals `key` from `depth` on. */
export function endsWithPacked(key: Nibbles, depth: number, packed: Uint8Array): boolean {
  const odd = (packed[0]! >> 4) & 1;
  if (key.length - depth !== (packed.length - 1) * 2 + odd) return false;
  if (odd === 1 && key[depth] !== (packed[0]! & 15)) return false;
  for (let i = 1, at = depth + odd; i < packed.length; i++, at += 2) {
    if (((key[at]! << 4) | key[at + 1]!) !== packed[i]) return false;
  }
  return true;
}

/** How many nibbles `a`, from `start` on, and `b` have in common at their beginning. */
export function commonLength(a: Nibbles, start: number, b: Nibbles): number {
  const most = Math.min(a.length - start, b.length);
  let length = 0;
  while (length < most && a[start + length] === b[length]) length++;
  return length;
}

export function joinNibbles(a: Nibbles, b: Nibbles): Nibbles {
  const out = new Uint8Array(a.length + b.length);
  out.set(a);
  out.set(b, a.length);
  return out;
}

// --- encoding -----------------------------------------------------------------------------------------------------

/** Nodes are encoded here and hashed in place; it grows to the size of the largest leaf. */
let scratch = new Uint8Array(1024);

/** RLP of a node whose children all have refs, as a view that the next call overwrites. */
function encodeInPlace(node: LoadedNode): Uint8Array {
  const HEADER_BYTES_MAX = 9;
  let at = HEADER_BYTES_MAX;
  if (node.kind === 'branch') {
    reserve(HEADER_BYTES_MAX + 16 * 33 + 9 + (node.value?.length ?? 0));
    at = putChildren(at, node);
    at = putString(at, node.value ?? EMPTY_BYTES);
  } else if (node.kind === 'extension') {
    reserve(HEADER_BYTES_MAX + node.path.length + 9 + 33);
    at = putString(at, packNibbles(node.path, false));
    at = putRef(at, node.child.ref!);
  } else {
    reserve(HEADER_BYTES_MAX + node.packed.length + node.value.length + 18);
    at = putString(at, node.packed);
    at = putString(at, node.value);
  }
  const start = putListHeaderBefore(HEADER_BYTES_MAX, at - HEADER_BYTES_MAX);
  return scratch.subarray(start, at);
}

/** Encodes the children; those that the source has are copied from it, neighbours at once. */
function putChildren(start: number, { children, source, before }: BranchNode): number {
  const rlp = source?.rlp;
  let at = start;
  let from = rlp ? contentStart(rlp) : 0;
  let copied = from;
  for (let i = 0; i < 16; i++) {
    const child = children[i];
    const next = rlp ? from + itemLength(rlp, from) : 0;
    if (!rlp || (child !== null && child !== before![i])) {
      at = putRange(at, rlp, copied, from);
      copied = next;
      if (child) at = putRef(at, child.ref!);
      else scratch[at++] = 0x80;
    }
    from = next;
  }
  return putRange(at, rlp, copied, from);
}

function putRange(at: number, bytes: Uint8Array | undefined, from: number, to: number): number {
  if (from === to) return at;
  scratch.set(bytes!.subarray(from, to), at);
  return at + to - from;
}

function reserve(length: number): void {
  if (scratch.length < length) scratch = new Uint8Array(length * 2);
}

function putRef(at: number, ref: Uint8Array): number {
  const { length } = ref;
  let start = at;
  if (length === 32) scratch[start++] = 0xa0;
  scratch.set(ref, start);
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

function putListHeaderBefore(end: number, length: number): number {
  if (length < 56) {
    scratch[end - 1] = 0xc0 + length;
    return end - 1;
  }
  const count = byteCount(length);
  for (let i = 0; i < count; i++) scratch[end - 1 - i] = (length >>> (8 * i)) & 0xff;
  scratch[end - 1 - count] = 0xf7 + count;
  return end - 1 - count;
}

function byteCount(value: number): number {
  return value < 0x100 ? 1 : value < 0x10000 ? 2 : value < 0x1000000 ? 3 : 4;
}

/** The RLP, which is not to be changed; the refs of the node and of its children must be known. */
export function encodeNode(node: LoadedNode): Uint8Array {
  return node.kind === 'branch' ? node.source!.rlp : encodeInPlace(node).slice();
}

/** Sets `ref`; the refs of all children must be known. */
export function sealNode(node: LoadedNode): void {
  const rlp = encodeInPlace(node);
  node.ref = rlp.length < 32 ? rlp.slice() : keccak256(rlp);
  if (node.kind !== 'branch') return;
  node.source = { rlp: rlp.slice(), cells: node.source?.cells ?? [] };
  node.before = undefined;
}

/** Inverse of encodeNode. Throws RLP_INVALID. Keeps no view of `rlp`. */
export function decodeNode(rlp: Uint8Array, ref: Uint8Array): LoadedNode {
  const reader = readList(rlp);
  const start = reader.at;
  let items = 0;
  while (!reader.done) {
    reader.skip();
    items++;
  }
  const list = new RlpReader(reader.bytes, start, reader.end);
  if (items === 17) {
    const children: (undefined | null)[] = [];
    for (let i = 0; i < 16; i++) {
      children.push(list.bytes[list.at] === 0x80 ? undefined : null);
      list.skip();
    }
    const bytes = list.string();
    const value = bytes.length > 0 ? bytes.slice() : undefined;
    return sealedBranch(children, value, ref, { rlp: rlp.slice(), cells: [] });
  }
  const packed = list.string().slice();
  if ((packed[0]! & 0x20) !== 0) {
    const value = list.string().slice();
    list.finish();
    return { kind: 'leaf', packed, value, ref };
  }
  const child = readChild(list)!;
  list.finish();
  return { kind: 'extension', path: unpackNibbles(packed), child, ref };
}

function readChild(list: RlpReader): TrieNode | undefined {
  if (list.isList) {
    const raw = list.raw().slice();
    return decodeNode(raw, raw);
  }
  const hash = list.string();
  return hash.length === 0 ? undefined : hashedNode(hash.slice());
}
