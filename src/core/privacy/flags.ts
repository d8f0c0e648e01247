/** Privacy flags of private transactions and contracts (privacy dossier §4.1). */
import type { PrivacyFlag } from './inputs.ts';

export const STANDARD_PRIVATE: PrivacyFlag = 0;
export const PARTY_PROTECTION: PrivacyFlag = 1;
export const MANDATORY_RECIPIENTS: PrivacyFlag = 2;
export const PRIVATE_STATE_VALIDATION: PrivacyFlag = 3;

export function isPrivacyFlag(value: number): value is PrivacyFlag {
  return value === 0 || value === 1 || value === 2 || value === 3;
}

/** COMPAT: the reference tests bits, so private state validation (3) "has" 1 and 2. */
export function hasFlag(flag: PrivacyFlag, other: PrivacyFlag): boolean {
  return (flag & other) === other;
}
