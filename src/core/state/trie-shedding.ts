/**
 * Versions of a trie with less in memory: nodes that the store has too are dropped, and read again
 * when needed. All versions must be hashed. Nodes that stay get memory of their own, because new
 * ones share it with others.
 */
import { equalBytes } from '../base/bytes.ts';
import { equalReferences, HASH_BYTES, hasHash, ownBytes } from './node-bytes.ts';
import {
  type BranchNode,
  type Children,
  cellsOf,
  childOf,
  commonChildren,
  type ExtensionNode,
  hashedNode,
  knownChild,
  sealedBranch,
  type TrieNode,
  undecodedChildren,
} from './trie-node.ts';

/** Which nodes stay although the store has them. */
export interface Kept {
  /** Those at most so many nibbles below the root. */
  readonly depth: number;
  /** At most so many of them; counted down. */
  nodes: number;
}

/** Without the nodes that belong to `other` too, except those to be `kept`. */
export function shed(top: TrieNode, other: TrieNode | undefined, kept: Kept): TrieNode {
  return shedNode(top, other, kept.depth, kept);
}

function shedNode(top: TrieNode, other: TrieNode | undefined, depth: number, kept: Kept): TrieNode {
  const isCommon = isSame(top, other);
  const isDropped = isCommon && (depth < 0 || kept.nodes < 1);
  if (isDropped && hasHash(top.bytes)) return hashedNode(top.bytes.slice(0, HASH_BYTES));
  const node = nearest(top);
  if (node.kind === 'hashed') return hashedNode(node.bytes.slice());
  if (isCommon) kept.nodes--;
  if (node.kind === 'branch') {
    return shedBranch(node, isCommon ? node : branchAt(other), depth, kept);
  }
  if (node.kind === 'extension') {
    const below = isCommon ? node.child : childBeside(node, other);
    const child = shedNode(node.child, below, depth - node.path.length, kept);
    return { ...node, child, bytes: ownBytes(node.bytes) };
  }
  return isCommon ? { ...node, bytes: ownBytes(node.bytes) } : node;
}

function shedBranch(
  branch: BranchNode,
  twin: BranchNode | undefined,
  depth: number,
  kept: Kept,
): BranchNode {
  const { value } = branch;
  const isWhole = twin === branch;
  const bytes = isWhole ? ownBytes(branch.bytes) : branch.bytes;
  let children: Children | undefined;
  if (isWhole && (depth < 1 || kept.nodes < 1)) {
    const isBare = !branch.children && !branch.cells && bytes === branch.bytes;
    return isBare ? branch : sealedBranch(undefined, value, bytes, undefined);
  }
  const common = twin && !isWhole ? commonChildren(branch, twin) : 0;
  for (let nibble = 0; nibble < 16; nibble++) {
    const own = knownChild(branch, nibble);
    if (!own) continue;
    const isCommon = isWhole || (common & (1 << nibble)) !== 0;
    const below = isCommon ? own : twin && childOf(twin, nibble);
    const left = shedNode(own, below, depth - 1, kept);
    if (left.kind === 'hashed') continue;
    children ??= undecodedChildren(bytes);
    children[nibble] = left;
  }
  return sealedBranch(children, value, bytes, undefined);
}

/**
 * The same version with the nodes of `stored` where both have the same: what one of them reads
 * later is there for the other too. `stored` is in the store, and has shed its nodes.
 */
export function shareWith(top: TrieNode, stored: TrieNode | undefined): TrieNode {
  if (isSame(top, stored)) return stored!;
  const node = nearest(top);
  if (node.kind === 'hashed') return hashedNode(node.bytes);
  if (node.kind === 'branch') return sharedBranch(node, branchAt(stored));
  if (node.kind === 'extension') {
    const child = shareWith(node.child, childBeside(node, stored));
    return { ...node, child };
  }
  return node;
}

function sharedBranch(branch: BranchNode, twin: BranchNode | undefined): BranchNode {
  const common = twin ? commonChildren(branch, twin) : 0;
  const children = twin?.children?.slice() ?? undecodedChildren(branch.bytes);
  for (let nibble = 0; nibble < 16; nibble++) {
    if (common & (1 << nibble)) continue;
    // Not left in the encoding: below the shared cells it would be the other's child.
    const own = childOf(branch, nibble);
    children[nibble] = own && shareWith(own, twin && childOf(twin, nibble));
  }
  return sealedBranch(children, branch.value, branch.bytes, twin && cellsOf(twin));
}

function isSame(node: TrieNode, other: TrieNode | undefined): boolean {
  return other !== undefined && equalReferences(other.bytes, node.bytes);
}

function branchAt(node: TrieNode | undefined): BranchNode | undefined {
  const found = node && nearest(node);
  return found?.kind === 'branch' ? found : undefined;
}

/** Below an extension with the same path. */
function childBeside({ path }: ExtensionNode, other: TrieNode | undefined): TrieNode | undefined {
  const found = other && nearest(other);
  return found?.kind === 'extension' && equalBytes(found.path, path) ? found.child : undefined;
}

function nearest(node: TrieNode): TrieNode {
  return node.kind === 'hashed' ? (node.loaded ?? node) : node;
}
