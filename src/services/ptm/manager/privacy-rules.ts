/**
 * Rules that privacy flags impose on a payload and the payloads it affects (Tessera
 * PrivacyHelperImpl).
 */
import { toBase64 } from '../../../core/base/base64.ts';
import { equalBytes } from '../../../core/base/bytes.ts';
import { fail } from '../../../core/base/errors.ts';
import { type EncodedPayload, hasKey, type PublicKey } from '../../../core/payload/payload.ts';
import {
  MANDATORY_RECIPIENTS,
  PRIVATE_STATE_VALIDATION,
  STANDARD_PRIVATE,
} from '../../../core/privacy/flags.ts';
import type { PrivacyFlag } from '../../../core/privacy/inputs.ts';
import type { PayloadHash } from '../../../core/privacy/marker.ts';

export interface HeldAffected {
  readonly hash: PayloadHash;
  readonly payload: EncodedPayload;
}

export interface SendRules {
  readonly flag: PrivacyFlag;
  readonly recipients: readonly PublicKey[];
  readonly mandatory: readonly PublicKey[];
  readonly execHash: Uint8Array;
}

/**
 * Checks a send before encrypting. Throws PTM_PRIVACY_… with Tessera's texts, for the first broken
 * rule.
 */
export function checkSend(
  rules: SendRules,
  affected: readonly HeldAffected[],
  enhancements: boolean,
): void {
  const { flag, recipients, mandatory, execHash } = rules;
  if (flag !== STANDARD_PRIVATE) checkEnabled(enhancements);
  if (flag === PRIVATE_STATE_VALIDATION && execHash.length === 0) {
    throw fail('PTM_REQUEST_INVALID', 'Exec hash missing');
  }
  if (flag === MANDATORY_RECIPIENTS && !containsAll(recipients, mandatory)) {
    throw violation('One or more mandatory recipients not included in the participant list');
  }
  if (flag === PRIVATE_STATE_VALIDATION) checkSameRecipients(recipients, affected);
  const mismatched = affected.find((one) => !metadataFits(one, flag, mandatory));
  if (mismatched) {
    throw violation(`Privacy metadata mismatched with Affected Txn ${toBase64(mismatched.hash)}`);
  }
}

/** Checks an arriving payload. False: it is dropped silently, as in Tessera. */
export function acceptsArrival(
  payload: EncodedPayload,
  affected: readonly HeldAffected[],
  enhancements: boolean,
): boolean {
  if (payload.flag !== STANDARD_PRIVATE) checkEnabled(enhancements);
  if (affected.some((one) => !metadataFits(one, payload.flag, payload.mandatoryRecipients))) {
    return false;
  }
  if (payload.flag !== PRIVATE_STATE_VALIDATION) return true;
  if (affected.length !== payload.affected.length) return false;
  if (affected.some((one) => !hasKey(one.payload.recipientKeys, payload.senderKey))) return false;
  checkSameRecipients(payload.recipientKeys, affected);
  return true;
}

/** Drops affected payloads whose proof is wrong; under state validation that is an error. */
export function withoutForged(
  hash: PayloadHash,
  payload: EncodedPayload,
  expected: (affected: PayloadHash) => Uint8Array | undefined,
): EncodedPayload {
  const forged = payload.affected.filter((one) => {
    const proof = expected(one.hash);
    return proof === undefined || !equalBytes(proof, one.securityHash);
  });
  if (forged.length === 0) return payload;
  if (payload.flag === PRIVATE_STATE_VALIDATION) {
    const list = forged.map((one) => toBase64(one.hash)).join(',');
    throw violation(
      `Invalid security hashes identified for PSC TX ${toBase64(hash)}. Invalid ACOTHs: ${list}`,
    );
  }
  return { ...payload, affected: payload.affected.filter((one) => !forged.includes(one)) };
}

/** Refuses peers that are too old for the flag. */
export function checkPeerVersion(
  flag: PrivacyFlag,
  recipient: PublicKey,
  versions: ReadonlySet<string>,
): void {
  if (flag !== STANDARD_PRIVATE && !versions.has('v2')) {
    throw fail(
      'PTM_PRIVACY_UNSUPPORTED',
      `Transactions with enhanced privacy is not currently supported on recipient ${toBase64(recipient)}`,
    );
  }
  if (flag === MANDATORY_RECIPIENTS && !versions.has('4.0')) {
    throw fail(
      'PTM_PRIVACY_UNSUPPORTED',
      `Transactions with mandatory recipients are not currently supported on recipient ${toBase64(recipient)}`,
    );
  }
}

function metadataFits(
  one: HeldAffected,
  flag: PrivacyFlag,
  mandatory: readonly PublicKey[],
): boolean {
  return one.payload.flag === flag && containsAll(mandatory, one.payload.mandatoryRecipients);
}

function checkSameRecipients(
  recipients: readonly PublicKey[],
  affected: readonly HeldAffected[],
): void {
  const other = affected.find(
    ({ payload }) =>
      !containsAll(payload.recipientKeys, recipients) ||
      !containsAll(recipients, payload.recipientKeys),
  );
  if (other) throw violation(`Recipients mismatched for Affected Txn ${toBase64(other.hash)}`);
}

function containsAll(keys: readonly PublicKey[], wanted: readonly PublicKey[]): boolean {
  return wanted.every((key) => hasKey(keys, key));
}

function checkEnabled(enhancements: boolean): void {
  if (!enhancements) throw fail('PTM_PRIVACY_UNSUPPORTED', 'Enhanced Privacy is not enabled');
}

function violation(message: string): Error {
  return fail('PTM_PRIVACY_VIOLATION', message);
}
