/**
 * The encrypted payload that managers exchange and store: its parts, and the parts that each
 * recipient receives (Tessera EncodedPayload, EnclaveImpl).
 */

import { fromBase64, toBase64 } from '../base/base64.ts';
import { EMPTY_BYTES, equalBytes } from '../base/bytes.ts';
import { fail } from '../base/errors.ts';
import { isPrivacyFlag, PRIVATE_STATE_VALIDATION, STANDARD_PRIVATE } from '../privacy/flags.ts';
import type { PrivacyFlag } from '../privacy/inputs.ts';
import type { PayloadHash } from '../privacy/marker.ts';

export const PUBLIC_KEY_BYTES = 32;
export const MASTER_KEY_BYTES = 32;
export const NONCE_BYTES = 24;
/** Length of a Poly1305 tag. */
const SEAL_OVERHEAD_BYTES = 16;
const RECIPIENT_BOX_BYTES: number = MASTER_KEY_BYTES + SEAL_OVERHEAD_BYTES;
export const PAYLOAD_HASH_BYTES = 64;
const EXEC_HASH_BYTES = 32;
const EXEC_HASH_CHARACTERS = 44;
/** Maximum number of recipients of one payload. */
export const RECIPIENTS_MAX = 4096;

/** X25519 public key. */
export type PublicKey = Uint8Array;

export interface AffectedPayload {
  readonly hash: PayloadHash;
  /**
   * SHA3-512 that proves that the sender knows the affected payload's master key (Tessera
   * PayloadDigest, SecurityHash).
   */
  readonly securityHash: Uint8Array;
}

export interface EncodedPayload {
  readonly senderKey: PublicKey;
  readonly cipherText: Uint8Array;
  readonly cipherTextNonce: Uint8Array;
  /** Box i is for recipient key i; payloads from very old peers have boxes without keys. */
  readonly recipientBoxes: readonly Uint8Array[];
  readonly recipientNonce: Uint8Array;
  readonly recipientKeys: readonly PublicKey[];
  readonly flag: PrivacyFlag;
  readonly affected: readonly AffectedPayload[];
  /** ASCII of the base64 text from the sender, or empty. */
  readonly execHash: Uint8Array;
  readonly mandatoryRecipients: readonly PublicKey[];
  /** Empty if there is no privacy group. */
  readonly privacyGroupId: Uint8Array;
}

/** A payload that is stored, encrypted only for its sender, until it is sent. */
export interface RawPayload {
  readonly senderKey: PublicKey;
  readonly cipherText: Uint8Array;
  readonly encryptedKey: Uint8Array;
  /** Used for both the cipher text and the encrypted key. */
  readonly nonce: Uint8Array;
}

export const NO_METADATA: Pick<
  EncodedPayload,
  'flag' | 'affected' | 'execHash' | 'mandatoryRecipients' | 'privacyGroupId'
> = {
  flag: STANDARD_PRIVATE,
  affected: [],
  execHash: EMPTY_BYTES,
  mandatoryRecipients: [],
  privacyGroupId: EMPTY_BYTES,
};

export function toPrivacyFlag(value: number): PrivacyFlag {
  if (!isPrivacyFlag(value)) {
    throw fail('PAYLOAD_INVALID', `invalid privacy flag ${value}: must be 0, 1, 2 or 3`);
  }
  return value;
}

export function hasKey(keys: readonly PublicKey[], key: PublicKey): boolean {
  return indexOfKey(keys, key) >= 0;
}

export function indexOfKey(keys: readonly PublicKey[], key: PublicKey): number {
  return keys.findIndex((candidate) => equalBytes(candidate, key));
}

/** Keeps only the first of equal keys; the order is unchanged. */
export function withoutDuplicates(keys: readonly PublicKey[]): PublicKey[] {
  const kept: PublicKey[] = [];
  for (const key of keys) if (!hasKey(kept, key)) kept.push(key);
  return kept;
}

/**
 * The payload as one recipient receives it: only with its own box. Under private state validation
 * it contains all keys, the recipient's first.
 */
export function stripFor(payload: EncodedPayload, recipient: PublicKey): EncodedPayload {
  const index = indexOfKey(payload.recipientKeys, recipient);
  const box = payload.recipientBoxes[index];
  if (index < 0 || box === undefined) {
    throw fail(
      'PTM_RECIPIENT_INVALID',
      `Recipient ${toBase64(recipient)} is not a recipient of transaction `,
    );
  }
  const others = payload.recipientKeys.filter((_, i) => i !== index);
  return {
    ...payload,
    recipientBoxes: [box],
    recipientKeys: payload.flag === PRIVATE_STATE_VALIDATION ? [recipient, ...others] : [recipient],
  };
}

/**
 * One payload per box, as the recipients received them; from these a sender recovers its own
 * payload.
 */
export function splitBoxes(payload: EncodedPayload): EncodedPayload[] {
  return payload.recipientBoxes.map((box, i) => {
    const key = payload.recipientKeys[i];
    const others = payload.recipientKeys.filter((_, j) => j !== i);
    const isShared = payload.flag === PRIVATE_STATE_VALIDATION;
    const recipientKeys = key === undefined ? [] : isShared ? [key, ...others] : [key];
    return { ...payload, recipientBoxes: [box], recipientKeys };
  });
}

/**
 * Merges a raw payload that was sent again: recipients of both times keep their boxes, which are
 * identical. undefined: nothing is new. Throws PTM_PAYLOAD_CONFLICT when the privacy terms differ
 * from those that the first recipients hold.
 */
export function mergeSent(held: EncodedPayload, again: EncodedPayload): EncodedPayload | undefined {
  const added = again.recipientKeys.filter((key) => !hasKey(held.recipientKeys, key));
  const isFixed = held.flag === PRIVATE_STATE_VALIDATION;
  const sameTerms =
    sameContent(held, again) &&
    sameKeys(held.mandatoryRecipients, again.mandatoryRecipients) &&
    equalBytes(held.privacyGroupId, again.privacyGroupId) &&
    (!isFixed || sameKeys(held.recipientKeys, again.recipientKeys));
  if (!sameTerms) {
    throw fail(
      'PTM_PAYLOAD_CONFLICT',
      'Invalid existing transaction: this raw payload was sent before, with other privacy terms. Store the payload again and send the new one',
    );
  }
  if (added.length === 0) return undefined;
  const boxes = added.map((key) => again.recipientBoxes[indexOfKey(again.recipientKeys, key)]!);
  return {
    ...held,
    recipientBoxes: [...held.recipientBoxes, ...boxes],
    recipientKeys: [...held.recipientKeys, ...added],
  };
}

function sameKeys(a: readonly PublicKey[], b: readonly PublicKey[]): boolean {
  return a.every((key) => hasKey(b, key)) && b.every((key) => hasKey(a, key));
}

/**
 * Compares everything except the boxes: these parts must not change when a payload arrives again.
 */
export function sameContent(a: EncodedPayload, b: EncodedPayload): boolean {
  return (
    equalBytes(a.cipherText, b.cipherText) &&
    equalBytes(a.cipherTextNonce, b.cipherTextNonce) &&
    equalBytes(a.senderKey, b.senderKey) &&
    equalBytes(a.recipientNonce, b.recipientNonce) &&
    a.flag === b.flag &&
    equalBytes(a.execHash, b.execHash) &&
    a.affected.length === b.affected.length &&
    a.affected.every((one) =>
      b.affected.some(
        (other) =>
          equalBytes(one.hash, other.hash) && equalBytes(one.securityHash, other.securityHash),
      ),
    )
  );
}

/**
 * Whether the text is empty, or 32 bytes in base64: nodes decode it, and must not fail because of a
 * peer's text.
 */
export function isExecHash(text: Uint8Array): boolean {
  if (text.length === 0) return true;
  if (text.length !== EXEC_HASH_CHARACTERS) return false;
  try {
    return fromBase64(String.fromCharCode(...text)).length === EXEC_HASH_BYTES;
  } catch {
    return false;
  }
}

/** Checks sizes after decoding; called by the codecs. */
export function checkedPayload(payload: EncodedPayload): EncodedPayload {
  const keys = [payload.senderKey, ...payload.recipientKeys, ...payload.mandatoryRecipients];
  const nonces = [payload.cipherTextNonce, payload.recipientNonce];
  const ok =
    keys.length <= 2 * RECIPIENTS_MAX + 1 &&
    keys.every((key) => key.length === PUBLIC_KEY_BYTES) &&
    nonces.every((nonce) => nonce.length === NONCE_BYTES) &&
    payload.recipientBoxes.every((box) => box.length === RECIPIENT_BOX_BYTES) &&
    payload.recipientBoxes.length <= RECIPIENTS_MAX &&
    payload.affected.length <= RECIPIENTS_MAX &&
    payload.affected.every((one) => one.hash.length === PAYLOAD_HASH_BYTES) &&
    payload.cipherText.length >= SEAL_OVERHEAD_BYTES &&
    isExecHash(payload.execHash);
  if (!ok) {
    throw fail('PAYLOAD_INVALID', 'encoded payload holds an invalid key, nonce, box or hash');
  }
  return payload;
}
