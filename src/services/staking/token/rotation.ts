/** Properties of a new signing key, created by the service or by a command. */
import type { KeyConfig } from '../config.ts';
import type { RotationPlan } from './signing-keys.ts';

/** Longer than clients may cache the key set (token/operations.ts). */
const KEY_LEAD_MS = 10 * 60_000;

export function rotationOf({
  algorithm,
  tokenSeconds,
  toleranceSeconds,
}: KeyConfig): Omit<RotationPlan, 'nowMs'> {
  const tokenMs = (tokenSeconds + toleranceSeconds) * 1000;
  return { algorithm, leadMs: KEY_LEAD_MS, tokenMs };
}
