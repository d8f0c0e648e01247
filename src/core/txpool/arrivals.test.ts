import { expect, it } from 'vitest';
import { keyOf } from '../base/bytes.ts';
import type { Transaction } from '../chain/transaction.ts';
import { Arrivals, type Slice } from './arrivals.ts';

const MB = 1024 * 1024;

let sentBefore = 0;
function sent(count: number, bytes = 10): Transaction[] {
  return Array.from({ length: count }, () => {
    const hash = new Uint8Array(new Uint32Array([sentBefore++]).buffer);
    return { raw: new Uint8Array(bytes), hash, key: keyOf(hash) };
  }) as unknown as Transaction[];
}

const few = (transactions: number): Slice => ({ transactions, bytes: Number.MAX_SAFE_INTEGER });

it('holds so many bytes of one peer, and of all; the rest is given back', () => {
  const arrivals = new Arrivals();
  const many = sent(100, MB - 1024);
  expect(arrivals.add('a', many)).toEqual(many.slice(16));
  for (const peer of ['b', 'c', 'd', 'e', 'f']) arrivals.add(peer, sent(16, MB - 1024));
  expect(arrivals.take(few(1_000))).toHaveLength(64);
  expect(arrivals.isEmpty).toBe(true);
  arrivals.add('a', sent(100, MB - 1024));
  expect(arrivals.take(few(1_000))).toHaveLength(16);
});

it('gives them out in order, each once', () => {
  const arrivals = new Arrivals();
  const [first, second, third] = sent(3);
  arrivals.add('a', [first!, second!]);
  arrivals.add('b', [second!, third!]);
  expect(arrivals.take(few(2))).toEqual([first, second]);
  expect(arrivals.take(few(2))).toEqual([third]);
  expect(arrivals.take(few(2))).toEqual([]);
});

it('finds a waiting one by its hash', () => {
  const arrivals = new Arrivals();
  const [waiting, other] = sent(2);
  arrivals.add('a', [waiting!]);
  expect(arrivals.get(waiting!.hash)).toBe(waiting);
  expect(arrivals.get(other!.hash)).toBeUndefined();
  arrivals.take(few(1));
  expect(arrivals.get(waiting!.hash)).toBeUndefined();
});

it('drops those of a block, with the space that they took, and refuses to take them again', () => {
  const arrivals = new Arrivals();
  const many = sent(16, MB - 1024);
  arrivals.add('a', many);
  arrivals.include(many.slice(1));
  expect(arrivals.get(many[1]!.hash)).toBeUndefined();
  expect(arrivals.add('b', many.slice(1))).toEqual([]);
  expect(arrivals.add('a', sent(15, MB - 1024))).toEqual([]);
  expect(arrivals.take(few(1))).toEqual([many[0]]);
});

it('keeps no place for those that have left', () => {
  const arrivals = new Arrivals();
  const [last, ...many] = sent(1_000);
  arrivals.add('a', [...many, last!]);
  arrivals.include(many);
  expect(arrivals.first(few(1))).toEqual([last]);
  expect(arrivals.take(few(1))).toEqual([last]);
  expect(arrivals.isEmpty).toBe(true);
});

it('remembers so many transactions of recent blocks', () => {
  const arrivals = new Arrivals();
  const [old] = sent(1);
  arrivals.include([old!]);
  arrivals.include(sent(16_383));
  expect(arrivals.add('a', [old!])).toEqual([]);
  expect(arrivals.isEmpty).toBe(true);
  arrivals.include(sent(1));
  arrivals.add('a', [old!]);
  expect(arrivals.take(few(1))).toEqual([old]);
});

it('takes few bytes at once, but at least one transaction', () => {
  const arrivals = new Arrivals();
  const many = sent(3, 1_000);
  arrivals.add('a', many);
  expect(arrivals.first({ transactions: 64, bytes: 1 })).toEqual([many[0]]);
  expect(arrivals.take({ transactions: 64, bytes: 1_001 })).toEqual(many.slice(0, 2));
});
