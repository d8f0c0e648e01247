/**
 * Signatures of webhooks as in Standard Webhooks: HMAC-SHA-256 over `id.timestamp.body`,
 * https://www.standardwebhooks.com.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { fail } from '../../../core/base/errors.ts';
import { readText } from '../../../io/host/files.ts';

const PREFIX = 'whsec_';
const SECRET_BYTES_MIN = 24;
const TOLERANCE_SECONDS = 5 * 60;
const SIGNATURES_MAX = 10;
const ID = /^[!-~]{1,128}$/;

export interface SignedMessage {
  readonly id: string;
  readonly timestampSeconds: number;
  readonly body: string;
}

/**
 * Reads secrets, one per line, the newest first. Messages are signed with each of them, so that
 * receivers can change over. Throws FILE_UNREADABLE, WEBHOOK_SECRET_INVALID.
 */
export function readWebhookSecrets(file: string): readonly Buffer[] {
  const lines = readText(file).split('\n');
  const secrets = lines
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => Buffer.from(line.replace(PREFIX, ''), 'base64'));
  if (secrets.length > 0 && secrets.every(({ length }) => length >= SECRET_BYTES_MIN)) {
    return secrets;
  }
  const what = `${PREFIX} and ${SECRET_BYTES_MIN} bytes or more in base64, one secret per line`;
  throw fail('WEBHOOK_SECRET_INVALID', `${file} must hold ${what}`, { data: { path: file } });
}

export function signatureHeaders(
  message: SignedMessage,
  secrets: readonly Buffer[],
): readonly (readonly [string, string])[] {
  return [
    ['webhook-id', message.id],
    ['webhook-timestamp', String(message.timestampSeconds)],
    ['webhook-signature', secrets.map((secret) => signature(message, secret)).join(' ')],
  ];
}

/**
 * The message, when a secret signed it and its time is within five minutes of ours; else undefined.
 */
export function verifiedMessage(
  header: (name: string) => string | undefined,
  body: Uint8Array,
  secrets: readonly Buffer[],
  nowMs: number,
): SignedMessage | undefined {
  const id = header('webhook-id') ?? '';
  const timestamp = header('webhook-timestamp') ?? '';
  const given = (header('webhook-signature') ?? '').split(' ').slice(0, SIGNATURES_MAX);
  if (!ID.test(id) || !/^\d{1,12}$/.test(timestamp)) return undefined;
  const timestampSeconds = Number(timestamp);
  if (Math.abs(nowMs / 1000 - timestampSeconds) > TOLERANCE_SECONDS) return undefined;
  const message = { id, timestampSeconds, body: Buffer.from(body).toString('utf8') };
  const isSigned = secrets.some((secret) => {
    const wanted = Buffer.from(signature(message, secret));
    return given.some((each) => {
      const found = Buffer.from(each);
      return found.length === wanted.length && timingSafeEqual(found, wanted);
    });
  });
  return isSigned ? message : undefined;
}

function signature({ id, timestampSeconds, body }: SignedMessage, secret: Buffer): string {
  const signed = `${id}.${timestampSeconds}.${body}`;
  return `v1,${createHmac('sha256', secret).update(signed).digest('base64')}`;
}
