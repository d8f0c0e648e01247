import { expect, it } from 'vitest';
import { hasFlag, isPrivacyFlag } from './flags.ts';

it('flags are 0 to 3, and 3 has the others as bits', () => {
  expect([-1, 0, 1, 2, 3, 4, 1.5].map(isPrivacyFlag)).toEqual([
    false,
    true,
    true,
    true,
    true,
    false,
    false,
  ]);
  expect([hasFlag(3, 1), hasFlag(3, 2), hasFlag(1, 3), hasFlag(0, 0)]).toEqual([
    true,
    true,
    false,
    true,
  ]);
});
