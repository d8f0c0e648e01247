/**
 * Refusals of the staking API, in the form of OAuth's errors, so that clients need only one parser
 * for both.
 */
import { hasCode } from '../../../core/base/errors.ts';
import type { HttpReply } from '../../../io/http/server.ts';

export class ApiError extends Error {
  readonly status: number;
  readonly error: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    error: string,
    description: string,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(description);
    this.status = status;
    this.error = error;
    this.headers = headers;
  }

  reply(): HttpReply {
    const body = { error: this.error, error_description: this.message };
    return {
      status: this.status,
      type: 'application/json',
      body: JSON.stringify(body),
      headers: this.headers,
    };
  }
}

export function badRequest(description: string): ApiError {
  return new ApiError(400, 'invalid_request', description);
}

/** The error to send to the client; undefined: an internal error. */
export function refusalOf(error: unknown): ApiError | undefined {
  if (error instanceof ApiError) return error;
  if (hasCode(error, 'IDEMPOTENCY_KEY_REUSED')) {
    return new ApiError(409, 'idempotency_key_reused', error.message);
  }
  if (hasCode(error, 'IDEMPOTENCY_KEY_IN_FLIGHT')) {
    return new ApiError(409, 'idempotency_key_in_flight', error.message, { 'retry-after': '1' });
  }
  return undefined;
}
