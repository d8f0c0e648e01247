/**
 * Every second case of the state tests, and the long test; state-tests-odd.test.ts runs the other
 * cases beside it. loopMul, which takes minutes, has a case for each fork: both files share them.
 */
import { expect, it } from 'vitest';
import { publicVectorsFor, READS_PUBLIC_VECTORS } from './folders.ts';
import { LONG_TEST, tallyOfStateTests } from './state-tests.ts';

const CASES = 2_391;
const LONG_CASES = 5;
const OPTIONS = { ...READS_PUBLIC_VECTORS, timeout: 3_600_000 };

it('official state tests, even cases: the expected roots and logs', OPTIONS, (context) => {
  const root = publicVectorsFor(context);
  const isWanted = (path: string, number: number) => number % 2 === 0 && path !== LONG_TEST;
  const tally = tallyOfStateTests(root, isWanted);
  expect(tally.failures).toEqual([]);
  expect(tally.passed).toBe(CASES);
});

it('the state test that takes minutes gives the expected ones', OPTIONS, (context) => {
  const root = publicVectorsFor(context);
  if (process.env.QUORATE_LONG_VECTORS === undefined) {
    context.skip(`five cases of ${LONG_TEST} take minutes: set QUORATE_LONG_VECTORS`);
  }
  const tally = tallyOfStateTests(root, (path) => path === LONG_TEST);
  expect(tally.failures).toEqual([]);
  expect(tally.passed).toBe(LONG_CASES);
});
