/** A sender's terms for a payload, and the manager's answer. */
import { EMPTY_BYTES } from '../../../core/base/bytes.ts';
import type { PublicKey } from '../../../core/payload/payload.ts';
import { STANDARD_PRIVATE } from '../../../core/privacy/flags.ts';
import type { PrivacyFlag } from '../../../core/privacy/inputs.ts';
import type { PayloadHash } from '../../../core/privacy/marker.ts';
import type { PayloadMetadata } from './enclave.ts';

export interface SendTerms {
  readonly to: readonly PublicKey[];
  readonly flag: PrivacyFlag;
  readonly affected: readonly PayloadHash[];
  /** ASCII of base64, or empty. */
  readonly execHash: Uint8Array;
  readonly mandatory: readonly PublicKey[];
  /** The id of the group whose members `to` lists. */
  readonly privacyGroupId?: Uint8Array;
}

export const STANDARD_TERMS: Omit<SendTerms, 'to'> = {
  flag: STANDARD_PRIVATE,
  affected: [],
  execHash: EMPTY_BYTES,
  mandatory: [],
};

export interface Sent {
  readonly hash: PayloadHash;
  readonly managedParties: readonly PublicKey[];
  readonly senderKey: PublicKey;
}

export interface Received {
  readonly payload: Uint8Array;
  readonly flag: PrivacyFlag;
  readonly affected: readonly PayloadHash[];
  readonly execHash: Uint8Array;
  readonly managedParties: readonly PublicKey[];
  readonly senderKey: PublicKey;
  readonly privacyGroupId?: Uint8Array;
}

export function metadataOf(terms: SendTerms): PayloadMetadata {
  return {
    flag: terms.flag,
    affected: [],
    execHash: terms.execHash,
    mandatoryRecipients: terms.mandatory,
    privacyGroupId: terms.privacyGroupId ?? EMPTY_BYTES,
  };
}
