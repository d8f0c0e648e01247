import { expect, it } from 'vitest';
import { sharedVectors } from './folders.ts';
import { Tally } from './kind.ts';
import { LONG_TEST, runStateTests, stateTests } from './state-tests.ts';

const CASES = 4_741;
const LONG_CASES = 5;
const TIMEOUT_MILLISECONDS = 3_600_000;
/** They belong to `npm run vectors`, which runs all; here they are run on request only, and that is said aloud. */
const isLongOneWanted = process.env.QUORATE_LONG_VECTORS !== undefined;

function run(isWanted: (path: string) => boolean): Tally | undefined {
  const root = sharedVectors();
  if (!root) {
    console.warn('PUBLIC VECTORS ARE ABSENT: official state tests were not run');
    return undefined;
  }
  const tally = new Tally();
  for (const file of stateTests.find(root)) runStateTests(file, tally, isWanted);
  return tally;
}

it(
  'official state tests give their state roots and logs',
  () => {
    const tally = run((path) => path !== LONG_TEST);
    if (!tally) return;
    expect(tally.failures).toEqual([]);
    expect(tally.passed).toBe(CASES - LONG_CASES);
    if (!isLongOneWanted) {
      console.warn(
        `NOT RUN HERE: ${LONG_CASES} cases of ${LONG_TEST}; set QUORATE_LONG_VECTORS, or npm run vectors`,
      );
    }
  },
  TIMEOUT_MILLISECONDS,
);

it.runIf(isLongOneWanted)(
  'the state test that takes minutes gives its own',
  () => {
    const tally = run((path) => path === LONG_TEST);
    if (!tally) return;
    expect(tally.failures).toEqual([]);
    expect(tally.passed).toBe(LONG_CASES);
  },
  TIMEOUT_MILLISECONDS,
);
