import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { Lru } from './lru.ts';

const ENTRIES = 100;
const SETS = 20_000;
const WORDS = 100;
/** Those of all sets together take 16 MB. */
const KEPT_BYTES_MAX = 4_000_000;

it('does not keep what it has dropped until the garbage of the whole heap is collected', () => {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as (options?: { type: 'minor' }) => void;
  const lru = new Lru<number, number[]>(ENTRIES);
  const fill = (from: number, to: number) => {
    for (let key = from; key < to; key++) {
      lru.set(
        key,
        Array.from({ length: WORDS }, () => key),
      );
      if (key % (10 * ENTRIES) === 0) gc({ type: 'minor' });
    }
  };
  fill(0, 2 * ENTRIES);
  gc();
  const before = getHeapStatistics().used_heap_size;
  fill(2 * ENTRIES, SETS);
  gc({ type: 'minor' });
  gc({ type: 'minor' });
  expect(getHeapStatistics().used_heap_size - before).toBeLessThan(KEPT_BYTES_MAX);
  expect(lru.size).toBe(ENTRIES);
});
