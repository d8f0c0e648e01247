/**
 * The difference between two versions of a trie, node by node and by path, which a checkpoint
 * writes.
 */
import type { Nibbles } from './nibbles.ts';
import { equalReferences, hasHash, rlpOf } from './node-bytes.ts';
import { childOf, commonChildren, type LoadedNode, type TrieNode } from './trie-node.ts';
import { loadNode, type NodeLoader } from './trie-update.ts';

export interface NodeChange {
  /** Nibbles from the root: a view that is overwritten after the next change. */
  readonly path: Nibbles;
  /** undefined: no node is stored at this path any more. */
  readonly rlp: Uint8Array | undefined;
}

interface Side {
  readonly root: TrieNode | undefined;
  readonly load: NodeLoader | undefined;
}

/**
 * A position in a trie, `used` nibbles into an extension's path. Only `used` 0 is the start of a
 * node.
 */
interface Place {
  readonly node: TrieNode;
  readonly used: number;
}

interface Step {
  /** How many nibbles lead to it, and the last of them. */
  readonly depth: number;
  readonly nibble: number;
  readonly before: Place | undefined;
  readonly after: Place | undefined;
}

/** Of a hash. */
const NIBBLES = 64;

/**
 * Both sides must be hashed already. Walks both nibble by nibble, because nodes may begin at
 * different depths.
 */
export function* changedNodes(before: Side, after: Side): Generator<NodeChange> {
  const todo: Step[] = [
    { depth: 0, nibble: 0, before: start(before.root), after: start(after.root) },
  ];
  // Those on the way to a place are still there from the places above it.
  const nibbles = new Uint8Array(NIBBLES);
  for (let step = todo.pop(); step !== undefined; step = todo.pop()) {
    if (isSame(step.before, step.after)) continue;
    const { depth } = step;
    if (depth > 0) nibbles[depth - 1] = step.nibble;
    const path = nibbles.subarray(0, depth);
    const wasStored = isStored(step.before, depth);
    const isStoredNow = isStored(step.after, depth);
    const old = place(step.before, before.load, path);
    const now = place(step.after, after.load, path);
    if (isStoredNow) {
      if (!wasStored || !equalReferences(step.before!.node.bytes, step.after!.node.bytes)) {
        yield { path, rlp: rlpOf(now!.node.bytes) };
      }
    } else if (wasStored) {
      yield { path, rlp: undefined };
    }
    const common =
      old?.node.kind === 'branch' && now?.node.kind === 'branch'
        ? commonChildren(old.node, now.node)
        : 0;
    for (let nibble = 15; nibble >= 0; nibble--) {
      if (common & (1 << nibble)) continue;
      const was = descend(old, nibble);
      const is = descend(now, nibble);
      if (isSame(was, is)) continue;
      todo.push({ depth: depth + 1, nibble, before: was, after: is });
    }
  }
}

interface LoadedPlace {
  readonly node: LoadedNode;
  readonly used: number;
}

function start(node: TrieNode | undefined): Place | undefined {
  return node && { node, used: 0 };
}

function place(
  at: Place | undefined,
  load: NodeLoader | undefined,
  path: Nibbles,
): LoadedPlace | undefined {
  return at && { node: loadNode(at.node, load, path), used: at.used };
}

/** Whether both are the same node at the same place, so that all nodes below are the same too. */
function isSame(a: Place | undefined, b: Place | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.used === b.used && equalReferences(a.node.bytes, b.node.bytes);
}

/** A node is stored separately when its parent holds its hash; the root always is. */
function isStored(at: Place | undefined, depth: number): boolean {
  return at !== undefined && at.used === 0 && (depth === 0 || hasHash(at.node.bytes));
}

/** Loads no node, because most positions are the same on both sides. */
function descend(at: LoadedPlace | undefined, nibble: number): Place | undefined {
  if (at === undefined || at.node.kind === 'leaf') return undefined;
  if (at.node.kind === 'branch') return start(childOf(at.node, nibble));
  if (at.node.path[at.used] !== nibble) return undefined;
  if (at.used + 1 < at.node.path.length) return { node: at.node, used: at.used + 1 };
  return start(at.node.child);
}
