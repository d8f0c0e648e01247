/** Trie order: by keccak256 of the address or slot. */
import { compareBytes, type Hash32 } from '../base/bytes.ts';

export interface Hashed<T> {
  readonly hash: Hash32;
  readonly entry: T;
}

export function byHash(a: Hashed<unknown>, b: Hashed<unknown>): number {
  return compareBytes(a.hash, b.hash);
}

/**
 * Entries of `older` in order, with those of `changed` (in any order) in place of entries with the
 * same hash; entries that are not `kept` are dropped.
 */
export function* mergeSorted<Old, Changed>(
  older: Iterable<Old>,
  hashOf: (entry: Old) => Hash32,
  changed: Hashed<Changed>[],
  isKept: (entry: Changed) => entry is Changed & Old,
): Generator<Old> {
  const sorted = changed.sort(byHash);
  let next = 0;
  for (const entry of older) {
    const hash = hashOf(entry);
    let order = -1;
    while (next < sorted.length && order < 0) {
      order = compareBytes(sorted[next]!.hash, hash);
      if (order > 0) break;
      const replacement = sorted[next++]!.entry;
      if (isKept(replacement)) yield replacement;
    }
    if (order !== 0) yield entry;
  }
  for (; next < sorted.length; next++) {
    const { entry } = sorted[next]!;
    if (isKept(entry)) yield entry;
  }
}
