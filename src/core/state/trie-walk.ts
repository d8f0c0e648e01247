/**
 * Lists all leaves of a stored trie; each node is checked against the hash in its parent. Memory:
 * one path.
 */
import type { Hash32 } from '../base/bytes.ts';
import { equalBytes } from '../base/bytes.ts';
import { EMPTY_ROOT } from '../base/keccak.ts';
import { joinNibbles, type Nibbles, packKey, unpackNibbles } from './nibbles.ts';
import { childOf, hashedNode, leafValue, packedPath, type TrieNode } from './trie-node.ts';
import { loadNode, type NodeLoader } from './trie-update.ts';

export interface WalkedLeaf {
  /** The whole key, hashed. */
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

/** `onFault` is called for a missing or wrong node; everything below it is skipped. */
export function* walkTrie(
  root: Hash32,
  load: NodeLoader,
  onFault: (error: Error) => void,
): Generator<WalkedLeaf> {
  if (!equalBytes(root, EMPTY_ROOT)) {
    yield* walkNode(hashedNode(root), new Uint8Array(0), load, onFault);
  }
}

function* walkNode(
  top: TrieNode,
  path: Nibbles,
  load: NodeLoader,
  onFault: (error: Error) => void,
): Generator<WalkedLeaf> {
  let node: ReturnType<typeof loadNode>;
  try {
    node = loadNode(top, load, path);
  } catch (error) {
    onFault(error as Error);
    return;
  }
  if (node.kind === 'leaf') {
    yield {
      key: packKey(joinNibbles(path, unpackNibbles(packedPath(node)))),
      value: leafValue(node),
    };
  } else if (node.kind === 'extension') {
    yield* walkNode(node.child, joinNibbles(path, node.path), load, onFault);
  } else {
    for (let nibble = 0; nibble < 16; nibble++) {
      const child = childOf(node, nibble);
      if (child) yield* walkNode(child, joinNibbles(path, Uint8Array.of(nibble)), load, onFault);
    }
  }
}
