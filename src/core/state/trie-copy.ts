/**
 * All of a trie that is stored by the hashes of its nodes, in order of its keys: each node, held against its hash, with its
 * path, and each leaf. Goes on behind a key. Memory: one path.
 */
import { compareBytes, equalBytes, type Hash32 } from '../base/bytes.ts';
import { fail } from '../base/errors.ts';
import { EMPTY_ROOT, keccak256 } from '../base/keccak.ts';
import {
  childOf,
  decodeNode,
  hashedNode,
  joinNibbles,
  type LoadedNode,
  type Nibbles,
  type TrieNode,
  toNibbles,
  unpackNibbles,
} from './trie-node.ts';

export type CopiedItem =
  /** A node that stands by itself; those within their parents are part of these. */
  | { readonly kind: 'node'; readonly path: Nibbles; readonly rlp: Uint8Array }
  | { readonly kind: 'leaf'; readonly key: Uint8Array; readonly value: Uint8Array };

export type NodeByHash = (hash: Hash32) => Uint8Array | undefined;

/**
 * `from`: leaves before this key were copied already; the nodes on the way there come again. Throws TRIE_NODE_MISSING where a
 * node is not there or is another one.
 */
export function* copyTrie(
  root: Hash32,
  read: NodeByHash,
  from: Uint8Array | undefined,
): Generator<CopiedItem> {
  if (equalBytes(root, EMPTY_ROOT)) return;
  const start = from && toNibbles(from);
  yield* copyNode(hashedNode(root), new Uint8Array(0), read, start);
}

function* copyNode(
  node: TrieNode,
  path: Nibbles,
  read: NodeByHash,
  from: Nibbles | undefined,
): Generator<CopiedItem> {
  if (from && isBefore(path, from)) return;
  let loaded: LoadedNode;
  if (node.kind === 'hashed') {
    const rlp = read(node.ref);
    if (!rlp || !equalBytes(keccak256(rlp), node.ref)) throw missing(path, rlp === undefined);
    yield { kind: 'node', path, rlp };
    loaded = decodeNode(rlp, node.ref);
  } else {
    loaded = node;
  }
  if (loaded.kind === 'leaf') {
    const key = joinNibbles(path, unpackNibbles(loaded.packed));
    if (!from || compareBytes(key, from) >= 0) {
      yield { kind: 'leaf', key: packed(key), value: loaded.value };
    }
  } else if (loaded.kind === 'extension') {
    yield* copyNode(loaded.child, joinNibbles(path, loaded.path), read, from);
  } else {
    for (let nibble = 0; nibble < 16; nibble++) {
      const child = childOf(loaded, nibble);
      if (child) yield* copyNode(child, joinNibbles(path, Uint8Array.of(nibble)), read, from);
    }
  }
}

/** Whether all keys below `path` are before `from`. */
function isBefore(path: Nibbles, from: Nibbles): boolean {
  return compareBytes(path, from.subarray(0, path.length)) < 0;
}

function packed(nibbles: Nibbles): Uint8Array {
  const key = new Uint8Array(nibbles.length / 2);
  for (let i = 0; i < key.length; i++) key[i] = (nibbles[2 * i]! << 4) | nibbles[2 * i + 1]!;
  return key;
}

function missing(path: Nibbles, isMissing: boolean): Error {
  return fail(
    'TRIE_NODE_MISSING',
    `state trie: the node at path [${path.join(' ')}] is ${isMissing ? 'missing' : 'another one'}`,
  );
}
