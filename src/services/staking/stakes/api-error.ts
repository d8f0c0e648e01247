/** Refusals of the staking API: the shape of OAuth's errors, so that clients need one reader for both. */
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
