/**
 * Nodes of the Merkle Patricia trie (Yellow Paper, appendix D): immutable, shared between versions
 * of a trie. Millions of them are in memory, where each object costs the garbage collector: a node
 * has one array with all of its bytes, which are decoded where they are used.
 */
import { EMPTY_BYTES, type Hash32 } from '../base/bytes.ts';
import { RlpReader } from '../base/rlp.ts';
import { type Nibbles, unpackNibbles } from './nibbles.ts';
import {
  childLength,
  childStart,
  firstItem,
  NO_CHILD,
  type NodeBytes,
  startOfRlp,
} from './node-bytes.ts';

export interface LeafNode {
  readonly kind: 'leaf';
  /** Encoded from the beginning; the hash is there once it is sealed. */
  readonly bytes: NodeBytes;
  isSealed: boolean;
}

export interface ExtensionNode {
  readonly kind: 'extension';
  readonly path: Nibbles;
  /** A `hashed` child is replaced by the loaded node once it is read. */
  child: TrieNode;
  /** Empty until it is sealed. */
  bytes: NodeBytes;
  isSealed: boolean;
}

export interface BranchNode {
  readonly kind: 'branch';
  /**
   * 16 slots, to be read with `childOf`; null: the child is in `bytes`, the same for all versions
   * that share its cells. undefined: all are.
   */
  readonly children: Children | undefined;
  readonly value: Uint8Array | undefined;
  /** Until it is sealed those of the version before; empty for a new branch. */
  bytes: NodeBytes;
  isSealed: boolean;
  /** Until it is sealed: `children` of the version before. */
  before: Children | undefined;
  /** Made when first needed; see `cellsOf`. */
  cells: Cells | undefined;
}

export type Children = (TrieNode | undefined | null)[];
export type Cells = (TrieNode | undefined)[];

/**
 * A node of which only the hash is known. Once loaded, it is kept for all versions that share it,
 * because the store may replace its copy.
 */
export interface HashedNode {
  readonly kind: 'hashed';
  readonly bytes: Hash32;
  readonly isSealed: true;
  loaded: LoadedNode | undefined;
}

export type TrieNode = LeafNode | ExtensionNode | BranchNode | HashedNode;
export type LoadedNode = Exclude<TrieNode, HashedNode>;

/** The rest of a leaf's key, in hex-prefix form: a view. */
export function packedPath({ bytes }: LeafNode): Uint8Array {
  return new RlpReader(bytes, startOfRlp(bytes)).enter().string();
}

/** A view. */
export function leafValue({ bytes }: LeafNode): Uint8Array {
  const items = new RlpReader(bytes, startOfRlp(bytes)).enter();
  items.skip();
  return items.string();
}

export function extensionNode(path: Nibbles, child: TrieNode): ExtensionNode {
  return { kind: 'extension', path, child, bytes: EMPTY_BYTES, isSealed: false };
}

/** `previous`: the branch from which `children` were taken. */
export function branchNode(
  children: Children,
  value: Uint8Array | undefined,
  previous: BranchNode | undefined,
): BranchNode {
  return {
    kind: 'branch',
    children,
    value,
    bytes: previous?.bytes ?? EMPTY_BYTES,
    isSealed: false,
    before: previous?.isSealed ? previous.children : previous?.before,
    cells: previous && cellsOf(previous),
  };
}

/** A branch as it is stored, or a copy of it with less in memory. */
export function sealedBranch(
  children: Children | undefined,
  value: Uint8Array | undefined,
  bytes: NodeBytes,
  cells: Cells | undefined,
): BranchNode {
  return { kind: 'branch', children, value, bytes, isSealed: true, before: undefined, cells };
}

/** `hash` is kept. */
export function hashedNode(hash: Hash32): HashedNode {
  return { kind: 'hashed', bytes: hash, isSealed: true, loaded: undefined };
}

/**
 * Of the branch as it was read, the same for all its versions: children that any of them used. Most
 * are never used, and these are not decoded. undefined: no child is null.
 */
export function cellsOf(branch: BranchNode): Cells | undefined {
  const { children } = branch;
  if (!branch.cells && (!children || children.includes(null))) branch.cells = new Array(16);
  return branch.cells;
}

/** The slots of a branch of which no child was decoded: null for each child that it has. */
export function undecodedChildren(bytes: NodeBytes): Children {
  const children: Children = new Array(16);
  let at = firstItem(bytes);
  for (let i = 0; i < 16; i++) {
    children[i] = bytes[at] === NO_CHILD ? undefined : null;
    at += childLength(bytes, at);
  }
  return children;
}

/**
 * The child there, if it was decoded. A cell counts only where this version has the child in its
 * bytes: elsewhere it may hold what this version has deleted.
 */
export function knownChild(branch: BranchNode, nibble: number): TrieNode | undefined {
  const child = childSlot(branch, nibble);
  return child === null ? branch.cells?.[nibble] : child;
}

export function childOf(branch: BranchNode, nibble: number): TrieNode | undefined {
  const child = childSlot(branch, nibble);
  if (child !== null) return child;
  const cells = cellsOf(branch)!;
  cells[nibble] ??= childAt(branch.bytes, childStart(branch.bytes, nibble));
  return cells[nibble];
}

/**
 * Of two sealed branches, which of the 16 children are the same: a bit for each. Decodes none, and
 * does not compare those that both have from the same version before.
 */
export function commonChildren(a: BranchNode, b: BranchNode): number {
  let common = 0;
  let [from, start] = [firstItem(a.bytes), firstItem(b.bytes)];
  for (let nibble = 0; nibble < 16; nibble++) {
    const [length, other] = [childLength(a.bytes, from), childLength(b.bytes, start)];
    const isSame =
      sharesChild(a, b, nibble) ||
      (length === other && equalParts(a.bytes, from, b.bytes, start, length));
    if (isSame) common |= 1 << nibble;
    from += length;
    start += other;
  }
  return common;
}

function sharesChild(a: BranchNode, b: BranchNode, nibble: number): boolean {
  const [one, other] = [childSlot(a, nibble), childSlot(b, nibble)];
  return one === other && (one !== null || (a.cells !== undefined && a.cells === b.cells));
}

function childSlot({ children }: BranchNode, nibble: number): TrieNode | undefined | null {
  return children ? children[nibble] : null;
}

function equalParts(
  a: Uint8Array,
  from: number,
  b: Uint8Array,
  start: number,
  length: number,
): boolean {
  for (let i = 0; i < length; i++) if (a[from + i] !== b[start + i]) return false;
  return true;
}

/** The node with these bytes, which it keeps. Throws RLP_INVALID. */
export function decodeNode(bytes: NodeBytes): LoadedNode {
  const list = new RlpReader(bytes, startOfRlp(bytes)).enter();
  const start = list.at;
  list.skip();
  list.skip();
  if (!list.done) return decodeBranch(bytes, list);
  const reader = new RlpReader(bytes, start, list.end);
  const packed = reader.string();
  if ((packed[0]! & 0x20) !== 0) {
    reader.string();
    return { kind: 'leaf', bytes, isSealed: true };
  }
  const child = childAt(bytes, reader.at)!;
  return { kind: 'extension', path: unpackNibbles(packed), child, bytes, isSealed: true };
}

/** `list`: behind the first two children. */
function decodeBranch(bytes: NodeBytes, list: RlpReader): BranchNode {
  for (let i = 2; i < 16; i++) list.skip();
  const value = list.string();
  list.finish();
  return sealedBranch(undefined, value.length > 0 ? value : undefined, bytes, undefined);
}

/** The child whose encoding begins there; its node keeps a view of `bytes`. */
export function childAt(bytes: NodeBytes, at: number): TrieNode | undefined {
  const reader = new RlpReader(bytes, at);
  if (reader.isList) return decodeNode(reader.raw());
  const hash = reader.string();
  return hash.length === 0 ? undefined : hashedNode(hash);
}
