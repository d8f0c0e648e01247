/** The manager's answers in JSON, by media type (Tessera's tessera-jaxrs/jaxrs-model). */
import { fail } from '../../../core/base/errors.ts';
import type { EncodedPayload, PublicKey } from '../../../core/payload/payload.ts';
import type { HttpReply, HttpRequest } from '../../../io/http/server.ts';
import type { Received, Sent } from '../manager/send-terms.ts';

export const MEDIA = {
  json: 'application/json',
  tenancy: 'application/vnd.tessera-2.1+json',
  groups: 'application/vnd.tessera-3.0+json',
  mandatory: 'application/vnd.tessera-4.0+json',
} as const;
export type Media = (typeof MEDIA)[keyof typeof MEDIA];

const OCTETS = 'application/octet-stream';
const KNOWN: readonly string[] = Object.values(MEDIA);

export function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
}

export function isOctets(request: HttpRequest): boolean {
  return mediaOf(request.header('content-type')) === OCTETS;
}

/** The form of a POST, by its Content-Type; JSON by default. Throws PTM_MEDIA_TYPE. */
export function postedMedia(request: HttpRequest): Media {
  const type = mediaOf(request.header('content-type')) ?? MEDIA.json;
  if (!KNOWN.includes(type)) throw fail('PTM_MEDIA_TYPE', 'HTTP 415 Unsupported Media Type');
  return type as Media;
}

/** The first supported form in Accept; otherwise plain JSON. */
export function acceptedMedia(request: HttpRequest): Media {
  const accepted = (request.header('accept') ?? '').split(',').map(mediaOf);
  return (accepted.find((type) => type !== undefined && KNOWN.includes(type)) ??
    MEDIA.json) as Media;
}

/** 201 with the hash; with a vendor media type, also with our own parties and the sender. */
export function sentReply(sent: Sent, media: Media): HttpReply {
  const key = base64(sent.hash);
  const body =
    media === MEDIA.json
      ? { key }
      : { key, managedParties: sent.managedParties.map(base64), senderKey: base64(sent.senderKey) };
  return { status: 201, type: media, body: JSON.stringify(body), headers: location(key) };
}

/**
 * 200 with the hash as text, for octet streams. COMPAT: not 201, because the node accepts only 200
 * here.
 */
export function sentTextReply(sent: Sent): HttpReply {
  const key = base64(sent.hash);
  const headers = {
    ...location(key),
    tesseraSender: base64(sent.senderKey),
    tesseraManagedParties: sent.managedParties.map(base64).join(','),
  };
  return { status: 200, type: 'text/plain', body: key, headers };
}

export function receivedBody(received: Received, media: Media): Record<string, unknown> {
  const body: Record<string, unknown> = {
    payload: base64(received.payload),
    privacyFlag: received.flag,
    affectedContractTransactions: received.affected.map(base64),
  };
  if (received.execHash.length > 0)
    body.execHash = Buffer.from(received.execHash).toString('latin1');
  if (media !== MEDIA.json) {
    body.managedParties = received.managedParties.map(base64);
    body.senderKey = base64(received.senderKey);
  }
  if (received.privacyGroupId) body.privacyGroupId = base64(received.privacyGroupId);
  return body;
}

/** A raw payload has no metadata. */
export function rawBody(received: Received, media: Media): Record<string, unknown> {
  const body: Record<string, unknown> = { payload: base64(received.payload) };
  if (media !== MEDIA.json) {
    body.managedParties = received.managedParties.map(base64);
    body.senderKey = base64(received.senderKey);
  }
  return body;
}

/** Members for an encrypted payload: its keys, nonces and encrypted parts. */
export function sealedBody(payload: EncodedPayload) {
  return {
    senderKey: base64(payload.senderKey),
    cipherText: base64(payload.cipherText),
    cipherTextNonce: base64(payload.cipherTextNonce),
    recipientBoxes: payload.recipientBoxes.map(base64),
    recipientNonce: base64(payload.recipientNonce),
    recipientKeys: payload.recipientKeys.map(base64),
  };
}

export function envelopeBody(payload: EncodedPayload): Record<string, unknown> {
  return {
    ...sealedBody(payload),
    privacyMode: payload.flag,
    affectedContractTransactions: Object.fromEntries(
      payload.affected.map((one) => [base64(one.hash), base64(one.securityHash)]),
    ),
    execHash: Buffer.from(payload.execHash).toString('latin1'),
  };
}

export function keyList(keys: readonly PublicKey[]): string {
  return keys.map(base64).join(',');
}

function location(key: string): Record<string, string> {
  return { location: `transaction/${encodeURIComponent(key)}` };
}

function mediaOf(header: string | undefined): string | undefined {
  const type = header?.split(';')[0]?.trim().toLowerCase();
  return type === '' ? undefined : type;
}
