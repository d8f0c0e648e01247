/** The cases of state tests that state-tests.test.ts leaves. */
import { expect, it } from 'vitest';
import { publicVectorsFor, READS_PUBLIC_VECTORS } from './folders.ts';
import { LONG_TEST, tallyOfStateTests } from './state-tests.ts';

const CASES = 2_345;
const OPTIONS = { ...READS_PUBLIC_VECTORS, timeout: 3_600_000 };

it('official state tests, odd cases: the expected roots and logs', OPTIONS, (context) => {
  const root = publicVectorsFor(context);
  const isWanted = (path: string, number: number) => number % 2 === 1 && path !== LONG_TEST;
  const tally = tallyOfStateTests(root, isWanted);
  expect(tally.failures).toEqual([]);
  expect(tally.passed).toBe(CASES);
});
