import { expect, it } from 'vitest';
import { sharedVectors } from './folders.ts';
import { Tally } from './kind.ts';
import { SLOW_CASES, stateTests } from './state-tests.ts';

it('official state tests give their state roots and logs', async () => {
  const root = sharedVectors();
  if (!root) {
    console.warn('PUBLIC VECTORS ARE ABSENT: official state tests were not run');
    return;
  }
  const tally = new Tally();
  const files = stateTests.find(root);
  for (const file of files) await stateTests.run(file, tally);
  expect(tally.failures).toEqual([]);
  expect(tally.passed).toBe(4741 - SLOW_CASES);
});
