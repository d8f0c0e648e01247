/**
 * The rules of GoQuorum internal/ethapi/api.go (checkAndHandlePrivateTransaction); the first
 * violated rule decides.
 */
import { expect, it } from 'vitest';
import type { Rules } from '../../../../core/chain/rules.ts';
import { checkPrivateArgs } from './private-checks.ts';

const DISABLED =
  'PrivacyEnhancements are disabled. Can only accept transactions with PrivacyFlag=0(StandardPrivate).';
const MISSING =
  'missing mandatory recipients data. if no mandatory recipients required consider using PrivacyFlag=1(PartyProtection)';
const INVALID =
  'privacy metadata invalid. mandatory recipients are only applicable for PrivacyFlag=2(MandatoryRecipients)';

function outcome(flag: number, mandatoryFor: string[] | undefined, isPrivacyEnhancements: boolean) {
  try {
    const args = { privateFrom: undefined, privateFor: ['B'], flag, mandatoryFor };
    return checkPrivateArgs(args, { isPrivacyEnhancements } as Rules);
  } catch (error) {
    return (error as Error).message;
  }
}

it.each([
  [0, undefined, 0],
  [1, undefined, 1],
  [3, undefined, 3],
  [2, ['B'], 2],
  [4, undefined, 'invalid privacy flag'],
  [5, ['B'], 'invalid privacy flag'],
  [2, undefined, MISSING],
  [2, [], MISSING],
  [0, ['B'], INVALID],
  [1, ['B'], INVALID],
  [3, ['B'], INVALID],
  [1, [], 1],
])('flag %d with mandatory recipients %j: %s', (flag, mandatoryFor, expected) => {
  expect(outcome(flag, mandatoryFor, true)).toBe(expected);
});

it('before the privacy enhancements only standard private transactions pass', () => {
  expect(outcome(0, undefined, false)).toBe(0);
  for (const flag of [1, 2, 3]) expect(outcome(flag, undefined, false)).toBe(DISABLED);
  expect(outcome(2, ['B'], false)).toBe(DISABLED);
  expect(outcome(4, undefined, false)).toBe('invalid privacy flag');
});
