/**
 * Merkle Patricia trie (Yellow Paper, appendix D): synchronous and persistent. An update returns a
 * new version that shares all unchanged nodes with the old one; nodes that are not loaded are read
 * by path and checked against their hash.
 */
import { equalBytes, type Hash32 } from '../base/bytes.ts';
import { EMPTY_ROOT, keccak256 } from '../base/keccak.ts';
import { commonLength, endsWithPacked, type Nibbles, toNibbles } from './nibbles.ts';
import { HASH_BYTES, hasHash, rlpOf } from './node-bytes.ts';
import { sealNode } from './node-encoding.ts';
import { changedNodes, type NodeChange } from './trie-difference.ts';
import { hashedNode, type LoadedNode, leafValue, packedPath, type TrieNode } from './trie-node.ts';
import { type Kept, shareWith, shed } from './trie-shedding.ts';
import {
  loadChild,
  loadNext,
  loadNode,
  type NodeLoader,
  type TrieEntry,
  updateTrie,
} from './trie-update.ts';

/** Key (already hashed by the caller) and value; undefined: delete the key. */
export type TrieChange = readonly [key: Uint8Array, value: Uint8Array | undefined];

export class Trie {
  /** The root node; a `hashed` root is replaced by the loaded node once it is read. */
  private node: TrieNode | undefined;
  private readonly load: NodeLoader | undefined;
  private known: Hash32 | undefined;

  private constructor(node: TrieNode | undefined, load: NodeLoader | undefined) {
    this.node = node;
    this.load = load;
  }

  static empty(load?: NodeLoader): Trie {
    return new Trie(undefined, load);
  }

  /**
   * A trie whose nodes are read on demand. Reading throws TRIE_NODE_MISSING if the store lacks a
   * node.
   */
  static load(root: Hash32, load: NodeLoader): Trie {
    return equalBytes(root, EMPTY_ROOT)
      ? new Trie(undefined, load)
      : new Trie(hashedNode(root), load);
  }

  /** `changes`: sorted, with distinct keys. Returns this trie itself if nothing changes. */
  update(changes: readonly TrieChange[]): Trie {
    const entries: TrieEntry[] = changes.map(([key, value]) => ({
      nibbles: toNibbles(key),
      value,
    }));
    const node = updateTrie(this.node, entries, this.load);
    return node === this.node ? this : new Trie(node, this.load);
  }

  get isEmpty(): boolean {
    return this.node === undefined;
  }

  /** Hashes about `leafBudget` leaves; undefined: call again to continue. */
  hash(leafBudget: number): Hash32 | undefined {
    return this.seal({ leaves: leafBudget });
  }

  /** Like `hash`, with a budget shared by several tries, which is counted down. */
  seal(budget: LeafBudget): Hash32 | undefined {
    if (this.known !== undefined) return this.known;
    if (this.node === undefined) {
      this.known = EMPTY_ROOT;
    } else if (seal(this.node, budget)) {
      const { bytes } = this.node;
      this.known = hasHash(bytes) ? bytes.slice(0, HASH_BYTES) : keccak256(bytes);
    }
    return this.known;
  }

  root(): Hash32 {
    return this.known ?? this.seal({ leaves: Number.POSITIVE_INFINITY })!;
  }

  get(key: Uint8Array): Uint8Array | undefined {
    const nibbles = toNibbles(key);
    let node = this.rootNode();
    let depth = 0;
    while (node !== undefined) {
      if (node.kind === 'leaf') {
        return endsWithPacked(nibbles, depth, packedPath(node)) ? leafValue(node) : undefined;
      }
      if (node.kind === 'branch' && depth === nibbles.length) return node.value;
      const step = this.step(node, nibbles, depth);
      node = step?.node;
      depth = step?.depth ?? depth;
    }
    return undefined;
  }

  /**
   * RLP of the nodes from the root towards `key`, as in eth_getProof; embedded nodes are inside
   * their parents.
   */
  prove(key: Uint8Array): Uint8Array[] {
    this.root();
    const nibbles = toNibbles(key);
    const proof: Uint8Array[] = [];
    let node = this.rootNode();
    let depth = 0;
    while (node !== undefined) {
      if (proof.length === 0 || hasHash(node.bytes)) proof.push(rlpOf(node.bytes));
      if (node.kind === 'leaf') break;
      const step = this.step(node, nibbles, depth);
      node = step?.node;
      depth = step?.depth ?? depth;
    }
    return proof;
  }

  /**
   * Nodes, by path, that turn a store of `since` into a store of this trie. Paths are distinct.
   * Hashes both tries.
   */
  changedNodes(since: Trie): Iterable<NodeChange> {
    this.root();
    since.root();
    return changedNodes(
      { root: since.node, load: since.load },
      { root: this.node, load: this.load },
    );
  }

  /**
   * The same trie with less in memory: nodes that belong to `other` too are dropped, except those
   * to be `kept`, and read again when needed. `load` reads this version, or `other`.
   */
  shed(kept: Kept, other: Trie = this): Trie {
    this.root();
    other.root();
    return this.holding(this.node && shed(this.node, other.node, kept));
  }

  /**
   * The same trie with the nodes of `stored` where it has the same: what one of the two reads later
   * is there for the other. `load` reads `stored`.
   */
  shareWith(stored: Trie): Trie {
    this.root();
    stored.root();
    return this.holding(this.node && shareWith(this.node, stored.node));
  }

  private holding(node: TrieNode | undefined): Trie {
    const trie = new Trie(node, this.load);
    trie.known = this.known;
    return trie;
  }

  private rootNode(): LoadedNode | undefined {
    if (this.node?.kind === 'hashed') {
      this.node = loadNode(this.node, this.load, new Uint8Array(0));
    }
    return this.node;
  }

  /** The next node towards a key. */
  private step(
    node: Exclude<LoadedNode, { kind: 'leaf' }>,
    key: Nibbles,
    depth: number,
  ): { node: LoadedNode | undefined; depth: number } | undefined {
    if (node.kind === 'branch') {
      if (depth === key.length) return undefined;
      const path = key.subarray(0, depth + 1);
      return { node: loadChild(node, key[depth]!, this.load, path), depth: depth + 1 };
    }
    const { length } = node.path;
    if (commonLength(key, depth, node.path) < length) return undefined;
    return {
      node: loadNext(node, this.load, key.subarray(0, depth + length)),
      depth: depth + length,
    };
  }
}

export interface LeafBudget {
  leaves: number;
}

/** Seals the leaves first; false: the budget is spent. Progress is kept. */
function seal(node: TrieNode, budget: LeafBudget): boolean {
  if (node.isSealed) return true;
  if (node.kind === 'leaf') {
    if (budget.leaves <= 0) return false;
    budget.leaves--;
  } else if (node.kind === 'branch') {
    for (const child of node.children ?? []) {
      if (child && !seal(child, budget)) return false;
    }
  } else if (node.kind === 'extension' && !seal(node.child, budget)) {
    return false;
  }
  sealNode(node as LoadedNode);
  return true;
}
