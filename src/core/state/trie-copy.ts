/**
 * Lists a whole trie whose nodes are stored by hash, in order of its keys: each node with its path,
 * checked against its hash, and each leaf. Can continue from a key. Memory: the siblings of one
 * path.
 */
import { compareBytes, equalBytes, type Hash32 } from '../base/bytes.ts';
import { fail } from '../base/errors.ts';
import { EMPTY_ROOT, keccak256 } from '../base/keccak.ts';
import { joinNibbles, type Nibbles, packKey, toNibbles, unpackNibbles } from './nibbles.ts';
import { bytesOfRlp } from './node-bytes.ts';
import {
  childOf,
  decodeNode,
  hashedNode,
  type LoadedNode,
  leafValue,
  packedPath,
  type TrieNode,
} from './trie-node.ts';

export type CopiedItem =
  /** A node that is stored separately; embedded nodes are part of their parents. */
  | { readonly kind: 'node'; readonly path: Nibbles; readonly rlp: Uint8Array }
  | { readonly kind: 'leaf'; readonly key: Uint8Array; readonly value: Uint8Array };

export type NodeByHash = (hash: Hash32) => Uint8Array | undefined;

interface Step {
  readonly node: TrieNode;
  readonly path: Nibbles;
}

/**
 * `from`: leaves before this key were copied already; the nodes on the path to it are listed again.
 * Throws TRIE_NODE_MISSING if a node is missing or does not have its hash.
 */
export function* copyTrie(
  root: Hash32,
  read: NodeByHash,
  from: Uint8Array | undefined,
): Generator<CopiedItem> {
  if (equalBytes(root, EMPTY_ROOT)) return;
  const start = from && toNibbles(from);
  // The next step is at the end of the list. A loop, because nested generators are slower.
  const todo: Step[] = [{ node: hashedNode(root), path: new Uint8Array(0) }];
  for (let step = todo.pop(); step !== undefined; step = todo.pop()) {
    const { node, path } = step;
    if (start && isBefore(path, start)) continue;
    let loaded: LoadedNode;
    if (node.kind === 'hashed') {
      const rlp = read(node.bytes);
      if (!rlp || !equalBytes(keccak256(rlp), node.bytes)) throw missing(path, rlp === undefined);
      yield { kind: 'node', path, rlp };
      loaded = decodeNode(bytesOfRlp(rlp, node.bytes));
    } else {
      loaded = node;
    }
    if (loaded.kind === 'leaf') {
      const key = joinNibbles(path, unpackNibbles(packedPath(loaded)));
      if (start && compareBytes(key, start) < 0) continue;
      yield { kind: 'leaf', key: packKey(key), value: leafValue(loaded) };
    } else if (loaded.kind === 'extension') {
      todo.push({ node: loaded.child, path: joinNibbles(path, loaded.path) });
    } else {
      for (let nibble = 15; nibble >= 0; nibble--) {
        const child = childOf(loaded, nibble);
        if (child) todo.push({ node: child, path: joinNibbles(path, Uint8Array.of(nibble)) });
      }
    }
  }
}

/** Whether all keys below `path` are before `from`. */
function isBefore(path: Nibbles, from: Nibbles): boolean {
  return compareBytes(path, from.subarray(0, path.length)) < 0;
}

function missing(path: Nibbles, isMissing: boolean): Error {
  return fail(
    'TRIE_NODE_MISSING',
    `state trie: the node at path [${path.join(' ')}] is ${isMissing ? 'missing' : 'another one'}`,
  );
}
