/**
 * Features of a manager, derived from the API versions that it lists (GoQuorum
 * private/engine/tessera/tessera_version_checker.go).
 */
import { fail } from '../../core/base/errors.ts';
import type { ManagerFeatures, OutgoingPayload } from '../../core/privacy/manager-port.ts';

type Version = readonly [number, number, number];

const FALLBACK: Version = [1, 0, 0];
const VERSION = /([0-9]+)\.([0-9]+)(?:\.([0-9]+))?/;

/** The highest entry that can be parsed; "1.0" when the list is missing or has no such entry. */
export function highestVersion(list: unknown): Version {
  let highest = FALLBACK;
  if (!Array.isArray(list)) return highest;
  for (const entry of list) {
    const match = typeof entry === 'string' ? VERSION.exec(entry) : null;
    if (!match) continue;
    const version: Version = [Number(match[1]), Number(match[2]), Number(match[3] ?? 0)];
    if (compare(version, highest) > 0) highest = version;
  }
  return highest;
}

export function featuresOf(version: Version): ManagerFeatures {
  return {
    privacyEnhancements: compare(version, [2, 0, 0]) >= 0,
    multiTenancy: compare(version, [2, 1, 0]) >= 0,
    multiplePrivateStates: compare(version, [3, 0, 0]) >= 0,
    mandatoryRecipients: compare(version, [4, 0, 0]) >= 0,
  };
}

function compare(a: Version, b: Version): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}

/** Throws PTM_UNSUPPORTED for a privacy flag that the manager does not know. */
export function checkFlag(
  { flag }: Pick<OutgoingPayload, 'flag'>,
  features: ManagerFeatures,
): void {
  const lacks = (what: string): Error =>
    fail('PTM_UNSUPPORTED', `private transaction manager does not support ${what}`);
  if (flag !== 0 && !features.privacyEnhancements) throw lacks('privacy enhancements');
  if (flag === 2 && !features.mandatoryRecipients) throw lacks('mandatory recipients');
}
