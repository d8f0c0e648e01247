/** Parses requests of the manager's clients: JSON bodies, base64 fields, headers with key lists. */
import { fromBase64 } from '../../../core/base/base64.ts';
import { EMPTY_BYTES } from '../../../core/base/bytes.ts';
import { fail } from '../../../core/base/errors.ts';
import {
  checkedPayload,
  type EncodedPayload,
  isExecHash,
  NO_METADATA,
  PAYLOAD_HASH_BYTES,
  PUBLIC_KEY_BYTES,
  type PublicKey,
  RECIPIENTS_MAX,
  toPrivacyFlag,
} from '../../../core/payload/payload.ts';
import type { PayloadHash } from '../../../core/privacy/marker.ts';
import type { HttpRequest } from '../../../io/http/server.ts';
import type { SendTerms } from '../manager/send-terms.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** Throws PTM_REQUEST_INVALID. */
export function jsonBody(request: HttpRequest): Fields {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(request.body).toString('utf8'));
  } catch {
    throw bad('the body is not valid JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw bad('the body is not a JSON object');
  }
  return value as Fields;
}

/** Base64 by the host's decoder, which is fast; the length check makes it strict. */
export function bytesField(fields: Fields, name: string): Uint8Array {
  const value = fields[name];
  if (typeof value !== 'string') throw bad(`"${name}" is missing: give base64`);
  return decode(value, name);
}

export function keyField(fields: Fields, name: string): PublicKey | undefined {
  const value = fields[name];
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string') throw bad(`"${name}" is not a string`);
  return key(value, name);
}

export function keysField(fields: Fields, name: string): PublicKey[] {
  return strings(fields, name).map((item) => key(item, name));
}

export function hashesField(fields: Fields, name: string): PayloadHash[] {
  return strings(fields, name).map((item) => payloadHash(item, name));
}

/** Comma-separated keys of the `c11n-to` header. */
export function keysHeader(request: HttpRequest, name: string): PublicKey[] {
  const value = request.header(name);
  if (value === undefined || value === '') return [];
  return value.split(',').map((item) => key(item.trim(), name));
}

export function keyHeader(request: HttpRequest, name: string): PublicKey | undefined {
  const value = request.header(name);
  return value === undefined || value === '' ? undefined : key(value, name);
}

export function payloadHash(value: string, name: string): PayloadHash {
  const bytes = decode(value, name);
  if (bytes.length !== PAYLOAD_HASH_BYTES) {
    throw bad(`"${name}" is not a payload hash of ${PAYLOAD_HASH_BYTES} bytes`);
  }
  return bytes;
}

/**
 * Reads `to`, `privacyFlag`, `affectedContractTransactions`, `execHash`, and `mandatoryRecipients`
 * if `withMandatory`: only API versions from 4.0 on have them.
 */
export function sendTerms(fields: Fields, withMandatory: boolean): SendTerms {
  const flag = fields.privacyFlag ?? 0;
  if (typeof flag !== 'number') throw bad('"privacyFlag" is not a number');
  return {
    to: keysField(fields, 'to'),
    flag: toPrivacyFlag(flag),
    affected: hashesField(fields, 'affectedContractTransactions'),
    execHash: execHash(fields.execHash),
    mandatory: withMandatory ? keysField(fields, 'mandatoryRecipients') : [],
  };
}

/** The six parts of an encrypted payload that is not stored, and its flag if it has one. */
export function envelopeOf(fields: Fields): EncodedPayload {
  const flag = typeof fields.privacyMode === 'number' ? fields.privacyMode : 0;
  const senderKey = keyField(fields, 'senderKey');
  if (!senderKey) throw bad('"senderKey" is missing: give base64');
  return checkedPayload({
    ...NO_METADATA,
    flag: toPrivacyFlag(flag),
    senderKey,
    cipherText: bytesField(fields, 'cipherText'),
    cipherTextNonce: bytesField(fields, 'cipherTextNonce'),
    recipientBoxes: strings(fields, 'recipientBoxes').map((item) => decode(item, 'recipientBoxes')),
    recipientNonce: bytesField(fields, 'recipientNonce'),
    recipientKeys: keysField(fields, 'recipientKeys'),
  });
}

export function key(value: string, name: string): PublicKey {
  const bytes = decode(value, name);
  if (bytes.length !== PUBLIC_KEY_BYTES) {
    throw bad(`"${name}" holds a key that is not ${PUBLIC_KEY_BYTES} bytes long`);
  }
  return bytes;
}

export function bad(message: string): Error {
  return fail('PTM_REQUEST_INVALID', message);
}

function execHash(value: unknown): Uint8Array {
  if (value === undefined || value === null) return EMPTY_BYTES;
  const text = typeof value === 'string' ? new Uint8Array(Buffer.from(value, 'latin1')) : undefined;
  if (!text || !isExecHash(text)) throw bad('"execHash" is not base64 of 32 bytes');
  return text;
}

function strings(fields: Fields, name: string): string[] {
  const value = fields[name];
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || value.some((item) => typeof item !== 'string')) {
    throw bad(`"${name}" is not a list of strings`);
  }
  if (value.length > RECIPIENTS_MAX) throw bad(`"${name}" has more than ${RECIPIENTS_MAX} items`);
  return value as string[];
}

function decode(value: string, name: string): Uint8Array {
  const bytes = new Uint8Array(Buffer.from(value, 'base64'));
  const padding = value.endsWith('==') ? 2 : value.endsWith('=') ? 1 : 0;
  // The host skips invalid characters; then the length is wrong, and the strict decoder reports it.
  if (
    value.length % 4 === 0 &&
    bytes.length === (value.length / 4) * 3 - padding &&
    !/[-_]/.test(value)
  ) {
    return bytes;
  }
  try {
    return fromBase64(value);
  } catch {
    throw bad(`"${name}" is not valid base64`);
  }
}
