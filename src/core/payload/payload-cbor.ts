/**
 * CBOR form of an encoded payload, for peers with API 5.0 (Tessera CBOREncoder). Tessera's last
 * releases write one map with named fields; an earlier form, used for a short time, was the
 * sequence of values alone. Both forms are read, only the map is written.
 */

import { fromBase64, toBase64 } from '../base/base64.ts';
import { EMPTY_BYTES } from '../base/bytes.ts';
import { fail } from '../base/errors.ts';
import {
  type AffectedPayload,
  checkedPayload,
  type EncodedPayload,
  toPrivacyFlag,
} from './payload.ts';
import { type CborMap, CborReader, type CborValue, CborWriter } from './payload-cbor-items.ts';

const FIELD_COUNT = 11;
const SEQUENCE_LENGTH = 11;

export function encodeCbor(payload: EncodedPayload): Uint8Array {
  const out = new CborWriter().map(FIELD_COUNT);
  out.text('sender').bytes(payload.senderKey);
  out.text('cipherText').bytes(payload.cipherText);
  out.text('nonce').bytes(payload.cipherTextNonce);
  out.text('recipientNonce').bytes(payload.recipientNonce);
  out.text('recipientBoxes').byteStrings(payload.recipientBoxes);
  out.text('recipients').byteStrings(payload.recipientKeys);
  out.text('privacyFlag').unsigned(payload.flag);
  out.text('affected').map(payload.affected.length);
  for (const { hash, securityHash } of payload.affected) {
    out.text(toBase64(hash)).bytes(securityHash);
  }
  out.text('execHash').bytes(payload.execHash);
  out.text('mandatoryFor').byteStrings(payload.mandatoryRecipients);
  out.text('privacyGroupId').bytes(payload.privacyGroupId);
  return out.finish();
}

/** Throws PAYLOAD_INVALID. */
export function decodeCbor(input: Uint8Array): EncodedPayload {
  const reader = new CborReader(input);
  const first = reader.item();
  if (first instanceof Map) {
    if (reader.remaining !== 0) throw invalid();
    return checkedPayload(fromMap(first));
  }
  const sequence: CborValue[] = [first];
  while (reader.remaining > 0 && sequence.length < SEQUENCE_LENGTH) sequence.push(reader.item());
  if (sequence.length !== SEQUENCE_LENGTH || reader.remaining !== 0) throw invalid();
  return checkedPayload(fromSequence(sequence));
}

function fromMap(map: CborMap): EncodedPayload {
  const affected: AffectedPayload[] = [];
  const entries = map.get('affected') ?? new Map();
  if (!(entries instanceof Map)) throw invalid();
  for (const [name, value] of entries) {
    affected.push({ hash: fromBase64(name), securityHash: asBytes(value) });
  }
  return {
    senderKey: asBytes(map.get('sender')),
    cipherText: asBytes(map.get('cipherText')),
    cipherTextNonce: asBytes(map.get('nonce')),
    recipientNonce: asBytes(map.get('recipientNonce')),
    recipientBoxes: asByteStrings(map.get('recipientBoxes')),
    recipientKeys: asByteStrings(map.get('recipients')),
    flag: toPrivacyFlag(asNumber(map.get('privacyFlag'))),
    affected,
    execHash: asBytes(map.get('execHash') ?? EMPTY_BYTES),
    mandatoryRecipients: asByteStrings(map.get('mandatoryFor') ?? []),
    privacyGroupId: asBytes(map.get('privacyGroupId') ?? EMPTY_BYTES),
  };
}

function fromSequence(items: readonly CborValue[]): EncodedPayload {
  const pairs = asByteStrings(items[7]);
  if (pairs.length % 2 !== 0) throw invalid();
  const affected: AffectedPayload[] = [];
  for (let i = 0; i < pairs.length; i += 2) {
    affected.push({ hash: pairs[i]!, securityHash: pairs[i + 1]! });
  }
  return {
    senderKey: asBytes(items[0]),
    cipherText: asBytes(items[1]),
    cipherTextNonce: asBytes(items[2]),
    recipientNonce: asBytes(items[3]),
    recipientBoxes: asByteStrings(items[4]),
    recipientKeys: asByteStrings(items[5]),
    flag: toPrivacyFlag(asNumber(items[6])),
    affected,
    execHash: asBytes(items[8]),
    mandatoryRecipients: asByteStrings(items[9]),
    privacyGroupId: asBytes(items[10]),
  };
}

function asBytes(value: CborValue | undefined): Uint8Array {
  if (!(value instanceof Uint8Array)) throw invalid();
  return value;
}

function asByteStrings(value: CborValue | undefined): Uint8Array[] {
  if (!Array.isArray(value)) throw invalid();
  return value.map(asBytes);
}

function asNumber(value: CborValue | undefined): number {
  if (typeof value !== 'number') throw invalid();
  return value;
}

function invalid(): Error {
  return fail('PAYLOAD_INVALID', 'invalid CBOR of an encoded payload');
}
