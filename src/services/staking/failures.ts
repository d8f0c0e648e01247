/**
 * Error answers of routes for clients: the server's own refusals are passed on, everything else is
 * reported without the cause.
 */
import type { Log } from '../../core/base/ports.ts';
import type { HttpReply } from '../../io/http/server.ts';
import { type ErrorStyle, refusalReply } from './token/oauth-error.ts';

const REFUSALS: Readonly<Record<number, string>> = {
  413: 'the body is too large',
  415: 'the content type is not supported',
};

export function failureReply(error: unknown, style: ErrorStyle, log: Log): HttpReply {
  const { statusCode, code } = error as { statusCode?: number; code?: string };
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    const why = REFUSALS[statusCode] ?? 'the request cannot be read';
    return refusalReply({ kind: 'invalid_request', why, status: statusCode }, style);
  }
  log('error', 'A request failed', { code, err: error });
  return refusalReply({ kind: 'unavailable' }, style);
}

/** The answer for paths without a route. */
export function missingReply(style: ErrorStyle): HttpReply {
  return refusalReply({ kind: 'not_found' }, style);
}
