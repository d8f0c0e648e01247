/** Privacy flags of private transactions and contracts (GoQuorum private/engine/common.go). */
import type { PrivacyFlag } from './inputs.ts';

export const STANDARD_PRIVATE: PrivacyFlag = 0;
const PARTY_PROTECTION: PrivacyFlag = 1;
export const MANDATORY_RECIPIENTS: PrivacyFlag = 2;
export const PRIVATE_STATE_VALIDATION: PrivacyFlag = 3;

const FLAGS: readonly number[] = [
  STANDARD_PRIVATE,
  PARTY_PROTECTION,
  MANDATORY_RECIPIENTS,
  PRIVATE_STATE_VALIDATION,
];

export function isPrivacyFlag(value: number): value is PrivacyFlag {
  return FLAGS.includes(value);
}

/** COMPAT: GoQuorum tests bits, so private state validation (3) "has" 1 and 2. */
export function hasFlag(flag: PrivacyFlag, other: PrivacyFlag): boolean {
  return (flag & other) === other;
}
