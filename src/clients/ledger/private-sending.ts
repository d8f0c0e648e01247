/** What sending a private transaction needs, independent of the library that signs it. */
import type { PrivateManager } from './manager.ts';
import type { PrivateTerms } from './rpc-types.ts';

/** Gas for the 64 bytes of a privacy marker's data. */
export const MARKER_GAS = 30_000n;

/** Throws TypeError. */
export function needManager(manager: PrivateManager | undefined): PrivateManager {
  if (manager) return manager;
  throw new TypeError(
    "an account that signs here needs `manager`: the URL of the third-party API of its node's manager, which stores the payload",
  );
}

/** Only the terms, without the other members of the object. */
export function termsOf(given: PrivateTerms): PrivateTerms {
  const { privateFor, privateFrom, privacyFlag, mandatoryFor } = given;
  return {
    privateFor,
    ...(privateFrom === undefined ? {} : { privateFrom }),
    ...(privacyFlag === undefined ? {} : { privacyFlag }),
    ...(mandatoryFor === undefined ? {} : { mandatoryFor }),
  };
}

export const MARKER_BY_NODE =
  'marker: true is for accounts that sign here: for its own, a node with --privacymarker.enable makes markers';
