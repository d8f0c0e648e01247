const MIN = 128 * 1024 ** 2;
const MAX = 512 * 1024 ** 2;
const PART = 1 / 32;

/**
 * Bytes of trie nodes in the memory of a command that executes a chain, on a machine with so much
 * memory: with millions of accounts, nodes that it drops are read again for the next checkpoint.
 */
export function trieBytes(memory: number): number {
  return Math.min(MAX, Math.max(MIN, memory * PART));
}
