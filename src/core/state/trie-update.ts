/**
 * Applies one sorted batch of changes to a Merkle Patricia trie in one pass; unchanged nodes are
 * shared with the old version.
 */
import { compareBytes, equalBytes, type Hash32 } from '../base/bytes.ts';
import { fail } from '../base/errors.ts';
import { keccak256 } from '../base/keccak.ts';
import {
  commonLength,
  endsWithPacked,
  joinNibbles,
  type Nibbles,
  unpackNibbles,
} from './nibbles.ts';
import { bytesOfRlp, childStart, HASH_BYTES, HASH_HEADER } from './node-bytes.ts';
import { leafAt, leafNode } from './node-encoding.ts';
import {
  type BranchNode,
  branchNode,
  cellsOf,
  childAt,
  childOf,
  decodeNode,
  type ExtensionNode,
  extensionNode,
  type LeafNode,
  type LoadedNode,
  leafValue,
  packedPath,
  type TrieNode,
  undecodedChildren,
} from './trie-node.ts';

/**
 * RLP of a node, found by its path (nibbles from the root), as the last checkpoint wrote it, or by
 * its hash.
 */
export type NodeLoader = (path: Nibbles, hash: Uint8Array) => Uint8Array | undefined;

export interface TrieEntry {
  readonly nibbles: Nibbles;
  /** undefined: delete the key. */
  readonly value: Uint8Array | undefined;
}

/**
 * Throws TRIE_NODE_MISSING if the store does not have this node at the path: the store is damaged,
 * or this version is older than its checkpoint.
 */
export function loadNode(node: TrieNode, load: NodeLoader | undefined, path: Nibbles): LoadedNode {
  if (node.kind !== 'hashed') return node;
  node.loaded ??= readNode(node.bytes, load, path);
  return node.loaded;
}

function readNode(hash: Hash32, load: NodeLoader | undefined, path: Nibbles): LoadedNode {
  const rlp = load?.(path, hash);
  if (rlp === undefined || !equalBytes(keccak256(rlp), hash)) {
    throw fail(
      'TRIE_NODE_MISSING',
      `state trie: the node at path [${path.join(' ')}] is ${rlp === undefined ? 'missing' : 'not the expected one'}; run "quorate db reindex"`,
    );
  }
  return decodeNode(bytesOfRlp(rlp, hash));
}

/** Loads a branch's child in place, for all versions that share it. */
export function loadChild(
  branch: BranchNode,
  nibble: number,
  load: NodeLoader | undefined,
  path: Nibbles,
): LoadedNode | undefined {
  const { bytes, children } = branch;
  const isInBytes = !children || children[nibble] === null;
  const slots = isInBytes ? cellsOf(branch)! : children;
  const child = slots[nibble];
  if (child) {
    if (child.kind === 'hashed') slots[nibble] = loadNode(child, load, path);
  } else if (isInBytes) {
    const at = childStart(bytes, nibble);
    slots[nibble] =
      bytes[at] === HASH_HEADER
        ? readNode(bytes.subarray(at + 1, at + 1 + HASH_BYTES), load, path)
        : childAt(bytes, at);
  }
  return slots[nibble] as LoadedNode | undefined;
}

/** Loads an extension's child in place. */
export function loadNext(
  extension: ExtensionNode,
  load: NodeLoader | undefined,
  path: Nibbles,
): LoadedNode {
  if (extension.child.kind === 'hashed') extension.child = loadNode(extension.child, load, path);
  return extension.child;
}

/**
 * `entries` are sorted by key and have distinct keys. Returns `root` itself if nothing changes.
 */
export function updateTrie(
  root: TrieNode | undefined,
  entries: readonly TrieEntry[],
  load: NodeLoader | undefined,
): TrieNode | undefined {
  return new BatchUpdate(entries, load).apply(root, 0, 0, entries.length);
}

class BatchUpdate {
  private readonly entries: readonly TrieEntry[];
  private readonly load: NodeLoader | undefined;

  constructor(entries: readonly TrieEntry[], load: NodeLoader | undefined) {
    this.entries = entries;
    this.load = load;
  }

  /**
   * Applies the entries `from` to `to` (exclusive), which are all below the node, at `depth`
   * nibbles from the root.
   */
  apply(node: TrieNode | undefined, depth: number, from: number, to: number): TrieNode | undefined {
    if (from === to) return node;
    if (node === undefined) {
      const live = this.entries.slice(from, to).filter((entry) => entry.value !== undefined);
      return build(live, 0, live.length, depth);
    }
    const loaded =
      node.kind === 'hashed' ? loadNode(node, this.load, this.pathTo(from, depth)) : node;
    if (loaded.kind === 'leaf') return this.atLeaf(loaded, depth, from, to);
    if (loaded.kind === 'branch') return this.atBranch(loaded, depth, from, to);
    return this.atExtension(loaded, depth, from, to);
  }

  private atLeaf(leaf: LeafNode, depth: number, from: number, to: number): TrieNode | undefined {
    const first = this.entries[from]!;
    if (to - from === 1 && endsWithPacked(first.nibbles, depth, packedPath(leaf))) {
      return replaceValue(leaf, first.value);
    }
    const key = joinNibbles(this.pathTo(from, depth), unpackNibbles(packedPath(leaf)));
    const value = leafValue(leaf);
    const merged: TrieEntry[] = [];
    let isPlaced = false;
    for (let i = from; i < to; i++) {
      const entry = this.entries[i]!;
      const order = isPlaced ? 1 : compareBytes(key, entry.nibbles);
      if (order < 0) merged.push({ nibbles: key, value });
      if (order <= 0) isPlaced = true;
      if (entry.value !== undefined) merged.push(entry);
    }
    if (!isPlaced) merged.push({ nibbles: key, value });
    if (merged.length === 1 && merged[0]!.nibbles === key) return leaf;
    return build(merged, 0, merged.length, depth);
  }

  private atBranch(
    branch: BranchNode,
    depth: number,
    from: number,
    to: number,
  ): TrieNode | undefined {
    let at = from;
    let value = branch.value;
    if (this.entries[at]!.nibbles.length === depth) value = this.entries[at++]!.value;
    let isChanged = !sameValue(value, branch.value);
    const children = branch.children?.slice() ?? undecodedChildren(branch.bytes);
    while (at < to) {
      const nibble = this.entries[at]!.nibbles[depth]!;
      const start = at++;
      while (at < to && this.entries[at]!.nibbles[depth] === nibble) at++;
      const old = children[nibble];
      const child =
        old === null || old?.kind === 'hashed'
          ? loadChild(branch, nibble, this.load, this.pathTo(start, depth + 1))
          : old;
      const next = this.apply(child, depth + 1, start, at);
      if (next === child) continue;
      children[nibble] = next;
      isChanged = true;
    }
    if (!isChanged) return branch;
    return this.normalized(branchNode(children, value, branch), from, depth);
  }

  private atExtension(
    extension: ExtensionNode,
    depth: number,
    from: number,
    to: number,
  ): TrieNode | undefined {
    const { path } = extension;
    const common = Math.min(
      commonLength(this.entries[from]!.nibbles, depth, path),
      commonLength(this.entries[to - 1]!.nibbles, depth, path),
    );
    if (common === path.length) {
      const child = loadNext(extension, this.load, this.pathTo(from, depth + common));
      const next = this.apply(child, depth + common, from, to);
      return next === child ? extension : prepend(path, next);
    }
    const children = noChildren();
    const rest = path.slice(common + 1);
    children[path[common]!] =
      rest.length === 0 ? extension.child : extensionNode(rest, extension.child);
    const branch = branchNode(children, undefined, undefined);
    const next = this.atBranch(branch, depth + common, from, to);
    return next === branch ? extension : prepend(path.slice(0, common), next);
  }

  /** Returns the branch or, if it has fewer than two entries, the node that replaces it. */
  private normalized(branch: BranchNode, from: number, depth: number): TrieNode | undefined {
    const { children, value } = branch;
    let count = 0;
    let only = 0;
    for (let i = 0; i < 16; i++) {
      if (children![i] === undefined) continue;
      count++;
      only = i;
    }
    if (count === 0) return value === undefined ? undefined : leafAt(new Uint8Array(0), value);
    if (count > 1 || value !== undefined) return branch;
    const nibble = Uint8Array.of(only);
    const path = this.pathTo(from, depth);
    return prepend(nibble, loadNode(childOf(branch, only)!, this.load, joinNibbles(path, nibble)));
  }

  private pathTo(index: number, depth: number): Nibbles {
    return this.entries[index]!.nibbles.subarray(0, depth);
  }
}

function sameValue(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  return a === undefined || b === undefined ? a === b : equalBytes(a, b);
}

function replaceValue(leaf: LeafNode, value: Uint8Array | undefined): LeafNode | undefined {
  if (value === undefined) return undefined;
  return equalBytes(value, leafValue(leaf)) ? leaf : leafNode(packedPath(leaf), value);
}

/** Puts `path` in front of a node, merging it with the path of a leaf or an extension. */
function prepend(path: Nibbles, node: TrieNode | undefined): TrieNode | undefined {
  if (node === undefined || path.length === 0) return node;
  if (node.kind === 'leaf') {
    return leafAt(joinNibbles(path, unpackNibbles(packedPath(node))), leafValue(node));
  }
  if (node.kind === 'extension') return extensionNode(joinNibbles(path, node.path), node.child);
  return extensionNode(path, node);
}

function noChildren(): (TrieNode | undefined)[] {
  return new Array<TrieNode | undefined>(16).fill(undefined);
}

/** A new subtree of entries that all have values. */
function build(
  entries: readonly TrieEntry[],
  from: number,
  to: number,
  depth: number,
): LoadedNode | undefined {
  if (from === to) return undefined;
  const first = entries[from]!;
  if (to - from === 1) return leafAt(first.nibbles.subarray(depth), first.value!);
  const common = commonLength(entries[to - 1]!.nibbles, depth, first.nibbles.subarray(depth));
  const branch = buildBranch(entries, from, to, depth + common);
  return common === 0 ? branch : extensionNode(first.nibbles.slice(depth, depth + common), branch);
}

function buildBranch(
  entries: readonly TrieEntry[],
  from: number,
  to: number,
  depth: number,
): BranchNode {
  const children = noChildren();
  let at = from;
  let value: Uint8Array | undefined;
  if (entries[at]!.nibbles.length === depth) value = entries[at++]!.value;
  while (at < to) {
    const nibble = entries[at]!.nibbles[depth]!;
    const start = at++;
    while (at < to && entries[at]!.nibbles[depth] === nibble) at++;
    children[nibble] = build(entries, start, at, depth + 1);
  }
  return branchNode(children, value, undefined);
}
