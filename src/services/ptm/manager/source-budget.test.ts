import { expect, it } from 'vitest';
import { SourceBudget } from './source-budget.ts';

it('lets each source have its share, all of them together theirs, and fills up with time', () => {
  let nowMs = 0;
  const clock = { nowMs: () => nowMs };
  const budget = new SourceBudget({ burst: 3, perSecond: 1 }, { burst: 5, perSecond: 2 }, clock);
  expect([1, 2, 3, 4].map(() => budget.take('a'))).toEqual([true, true, true, false]);
  expect([1, 2, 3].map(() => budget.take('b'))).toEqual([true, true, false]);
  expect(budget.take('c')).toBe(false);
  nowMs = 1_000;
  expect([budget.take('c'), budget.take('a'), budget.take('a')]).toEqual([true, true, false]);
  nowMs = 60_000;
  expect(budget.take('a', 4)).toBe(false);
  expect(budget.take('a', 3)).toBe(true);
});

it('charges what is known afterwards, and no more than another burst', () => {
  let nowMs = 0;
  const clock = { nowMs: () => nowMs };
  const plenty = { burst: Number.POSITIVE_INFINITY, perSecond: 0 };
  const budget = new SourceBudget({ burst: 10, perSecond: 1 }, plenty, clock);
  budget.charge('a', 9);
  expect(budget.hasRoom('a')).toBe(true);
  budget.charge('a', 1_000_000);
  expect([budget.hasRoom('a'), budget.hasRoom('b')]).toEqual([false, true]);
  nowMs = 10_500;
  expect(budget.hasRoom('a')).toBe(true);
});
