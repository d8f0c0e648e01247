import { expect, it } from 'vitest';
import { timeLeft } from './time-left.ts';

it.each([
  [1_000, 0, 'not known yet'],
  [10_000, 0.2, '40 s'],
  [60_000, 0.1, '9 min'],
  [3_600_000, 0.2, '4.0 h'],
  [5_000, 1, '0 s'],
  [5_000, 1.01, '0 s'],
])('after %i ms, %d of it done: %s', (elapsedMs, part, left) => {
  expect(timeLeft(elapsedMs, part)).toBe(left);
});
