/**
 * Maps typed errors to Tessera's statuses and plain-text bodies (Tessera's
 * tessera-jaxrs/common-jaxrs).
 */
import { QuorateError } from '../../../core/base/errors.ts';
import type { Log } from '../../../core/base/ports.ts';
import { type HttpReply, text } from '../../../io/http/server.ts';

const STATUS: Readonly<Record<string, number>> = {
  BASE64_INVALID: 400,
  PAYLOAD_INVALID: 400,
  PTM_REQUEST_INVALID: 400,
  PTM_URL_INVALID: 400,
  PTM_KEY_INVALID: 400,
  PTM_RECIPIENT_INVALID: 400,
  PTM_UNPROVEN: 401,
  PTM_PRIVACY_VIOLATION: 403,
  PTM_PRIVACY_UNSUPPORTED: 403,
  PTM_PEER_UNKNOWN: 403,
  PTM_URL_REFUSED: 403,
  PTM_KEY_NOT_FOUND: 404,
  PTM_NOT_FOUND: 404,
  PTM_RECIPIENT_NOT_FOUND: 404,
  PTM_PEER_OFFLINE: 410,
  PTM_MEDIA_TYPE: 415,
  PTM_TOO_MANY: 429,
  PTM_PUSH_REFUSED: 500,
  PTM_RESEND_REFUSED: 500,
  PTM_PEER_UNPROVEN: 500,
  PTM_DECRYPT_FAILED: 500,
  PTM_PAYLOAD_CONFLICT: 500,
  PTM_BUSY: 503,
  PTM_FEATURE_OFF: 503,
  PTM_PAYLOAD_DAMAGED: 500,
  STORAGE_DAMAGED: 500,
  STORAGE_FULL: 503,
  STORAGE_UNREACHABLE: 503,
};

export function failureReply(say: Log): (error: unknown) => HttpReply {
  return (error) => {
    if (error instanceof QuorateError) {
      const status = STATUS[error.code];
      if (status !== undefined) return text(status, error.message);
    }
    const refusal = (error as { statusCode?: unknown } | null)?.statusCode;
    if (typeof refusal === 'number' && refusal >= 400 && refusal < 500) {
      return text(refusal, (error as Error).message);
    }
    say('error', 'a request failed', { error: error instanceof Error ? error.message : 'unknown' });
    return text(500, 'internal error: see the log of the private transaction manager');
  };
}
