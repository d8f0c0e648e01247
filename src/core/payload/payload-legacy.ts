/**
 * Tessera's own binary form of an encoded payload: peers of every version read it, also those
 * before privacy modes (Tessera LegacyPayloadEncoder).
 */
import { EMPTY_BYTES } from '../base/bytes.ts';
import { fail } from '../base/errors.ts';
import { MANDATORY_RECIPIENTS, PRIVATE_STATE_VALIDATION } from '../privacy/flags.ts';
import {
  type AffectedPayload,
  checkedPayload,
  type EncodedPayload,
  NO_METADATA,
  toPrivacyFlag,
} from './payload.ts';
import { BinaryReader, BinaryWriter } from './payload-binary.ts';

const AFFECTED_ENTRY_BYTES_MIN = 16;

export function encodeLegacy(payload: EncodedPayload): Uint8Array {
  const out = new BinaryWriter()
    .field(payload.senderKey)
    .field(payload.cipherText)
    .field(payload.cipherTextNonce)
    .fields(payload.recipientBoxes)
    .field(payload.recipientNonce)
    .fields(payload.recipientKeys)
    .field(Uint8Array.of(payload.flag))
    .count(payload.affected.length);
  for (const { hash, securityHash } of payload.affected) out.field(hash).field(securityHash);
  // Written only with private state validation: with any other flag, readers would misread an
  // execHash.
  if (payload.execHash.length > 0 && payload.flag === PRIVATE_STATE_VALIDATION) {
    out.field(payload.execHash);
  }
  if (payload.flag === MANDATORY_RECIPIENTS) out.fields(payload.mandatoryRecipients);
  if (payload.privacyGroupId.length > 0) out.field(payload.privacyGroupId);
  return out.finish();
}

/** Fields of the result are views into `bytes`. Throws PAYLOAD_INVALID. */
export function decodeLegacy(bytes: Uint8Array): EncodedPayload {
  const input = new BinaryReader(bytes);
  const base = {
    senderKey: input.field(),
    cipherText: input.field(),
    cipherTextNonce: input.field(),
    recipientBoxes: input.fields(),
    recipientNonce: input.field(),
  };
  // Payloads from peers before privacy modes end here, or after the recipient keys.
  const recipientKeys = input.remaining === 0 ? [] : input.fields();
  const metadata = input.remaining === 0 ? NO_METADATA : readMetadata(input);
  if (input.remaining !== 0) {
    throw fail('PAYLOAD_INVALID', 'encoded payload has bytes behind its end');
  }
  return checkedPayload({ ...base, recipientKeys, ...metadata });
}

function readMetadata(input: BinaryReader): typeof NO_METADATA {
  const flagField = input.field();
  if (flagField.length !== 1) throw fail('PAYLOAD_INVALID', 'privacy flag is not one byte');
  const flag = toPrivacyFlag(flagField[0]!);
  const count = input.count(AFFECTED_ENTRY_BYTES_MIN);
  const affected: AffectedPayload[] = [];
  for (let i = 0; i < count; i++) {
    affected.push({ hash: input.field(), securityHash: input.field() });
  }
  const execHash =
    flag === PRIVATE_STATE_VALIDATION && input.remaining > 0 ? input.field() : EMPTY_BYTES;
  const mandatoryRecipients =
    flag === MANDATORY_RECIPIENTS && input.remaining > 0 ? input.fields() : [];
  const privacyGroupId = input.remaining > 0 ? input.field() : EMPTY_BYTES;
  return { flag, affected, execHash, mandatoryRecipients, privacyGroupId };
}
