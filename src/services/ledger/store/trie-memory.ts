import type { TrieMemory } from '../../../core/store/spaces.ts';

const MIN = 128 * 1024 ** 2;
const MAX = 192 * 1024 ** 2;
const PART = 1 / 32;
/** With millions of accounts, a node below this depth is rarely needed twice. */
const DEPTH = 3;
/** The newest one, and the one before it, on which the next block is checked. */
const VERSIONS = 2;

/**
 * Trie nodes in the memory of a command that executes a chain, on a machine with so many bytes of
 * memory: with 512 MB an import is no faster. Nobody waits for answers meanwhile, so all may be
 * dropped at once although many stay.
 */
export function trieMemory(memory: number): TrieMemory {
  return { bytes: Math.min(MAX, Math.max(MIN, memory * PART)), depth: DEPTH, versions: VERSIONS };
}
