/** Refusals of the API: one shape, a stable code, and the field at fault. */
import type { HttpReply } from '../../../io/http/server.ts';

/** HTTP statuses of the service's own errors; all other errors are faults of the request. */
const STATUS: Readonly<Record<string, number>> = {
  RAMP_PAUSED: 503,
  RAMP_PRICE_AWAY: 503,
  RAMP_LEDGER_AWAY: 503,
  RAMP_ORDER_UNKNOWN: 404,
  RAMP_CUSTOM_ID_USED: 409,
};
const REASONS: Readonly<Record<number, string>> = {
  413: 'the body is too large',
  415: 'the content type is not supported',
  429: 'too much is being read at once: try again later',
};
const RETRY_SECONDS = 5;

export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly field: string | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    code: string,
    message: string,
    more: { field?: string; headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.field = more.field;
    this.headers = more.headers ?? {};
  }

  reply(requestId: string): HttpReply {
    const { status, code, message, field } = this;
    const details = field === undefined ? [] : [{ field, code, message }];
    const body = { statusCode: status, code, message, details, requestId };
    return {
      status,
      type: 'application/json',
      body: JSON.stringify(body),
      headers: { 'cache-control': 'no-store', 'x-request-id': requestId, ...this.headers },
    };
  }
}

export function badField(field: string, code: string, message: string): Refusal {
  return new Refusal(400, code, `${field} ${message}`, { field });
}

/** The one answer for an order that is unknown, of another side, or of another wallet. */
export function noSuchOrder(): Refusal {
  return new Refusal(404, 'order_unknown', 'there is no such order of this wallet');
}

/** What a client learns about an error; undefined: it is an internal error. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (error instanceof Refusal) return error;
  const { code, message, statusCode, data } = error as Error & {
    code?: string;
    statusCode?: number;
    data?: { field?: string };
  };
  if (code?.startsWith('RAMP_')) {
    const status = STATUS[code] ?? 400;
    const field = data?.field;
    const headers = status === 503 ? { 'retry-after': String(RETRY_SECONDS) } : {};
    const name = code.slice('RAMP_'.length).toLowerCase();
    return new Refusal(status, name, message, { headers, ...(field ? { field } : {}) });
  }
  if (code === 'STORAGE_UNREACHABLE' || code === 'STORAGE_FULL') {
    const headers = { 'retry-after': String(RETRY_SECONDS) };
    return new Refusal(503, 'unavailable', 'the service cannot answer now: try again later', {
      headers,
    });
  }
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    const why = REASONS[statusCode] ?? 'the request cannot be read';
    return new Refusal(statusCode, 'request_invalid', why);
  }
  return undefined;
}

export function faultRefusal(): Refusal {
  return new Refusal(
    500,
    'internal',
    'internal error: see the log of the service for this requestId',
  );
}
