import { expect, it } from 'vitest';
import { publicVectorsFor, READS_PUBLIC_VECTORS } from './folders.ts';
import { Tally } from './kind.ts';
import { LONG_TEST, runStateTests, stateTests } from './state-tests.ts';

const CASES = 4_741;
const LONG_CASES = 5;
const OPTIONS = { ...READS_PUBLIC_VECTORS, timeout: 3_600_000 };

function run(root: string, isWanted: (path: string) => boolean): Tally {
  const tally = new Tally();
  for (const file of stateTests.find(root)) runStateTests(file, tally, isWanted);
  return tally;
}

it('official state tests give the expected state roots and logs', OPTIONS, (context) => {
  const tally = run(publicVectorsFor(context), (path) => path !== LONG_TEST);
  expect(tally.failures).toEqual([]);
  expect(tally.passed).toBe(CASES - LONG_CASES);
});

it('the state test that takes minutes gives the expected ones', OPTIONS, (context) => {
  const root = publicVectorsFor(context);
  if (process.env.QUORATE_LONG_VECTORS === undefined) {
    context.skip(`five cases of ${LONG_TEST} take minutes: set QUORATE_LONG_VECTORS`);
  }
  const tally = run(root, (path) => path === LONG_TEST);
  expect(tally.failures).toEqual([]);
  expect(tally.passed).toBe(LONG_CASES);
});
