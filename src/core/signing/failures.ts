/**
 * Errors that a caller receives: number, text and HTTP status (EthSigner JsonRpcError,
 * ResponseCodeSelector).
 */
import { fail, QuorateError } from '../base/errors.ts';

interface FailureRow {
  readonly httpStatus: number;
  readonly number: number;
  readonly message: string;
}

const ROWS = {
  SIGNER_PARSE: { httpStatus: 400, number: -32700, message: 'Parse error' },
  SIGNER_REQUEST: { httpStatus: 400, number: -32600, message: 'Invalid Request' },
  SIGNER_PARAMS: { httpStatus: 400, number: -32602, message: 'Invalid params' },
  SIGNER_INTERNAL: { httpStatus: 500, number: -32603, message: 'Internal error' },
  /** EthSigner's text after its last attempt. */
  SIGNER_NONCE_RETRIES: { httpStatus: 400, number: -32603, message: 'Internal error' },
  SIGNER_METHOD_REFUSED: { httpStatus: 200, number: -32604, message: 'Method not enabled' },
  SIGNER_CHAIN_ID: { httpStatus: 400, number: -32000, message: 'Wrong chainId' },
  SIGNER_NO_ACCOUNT: {
    httpStatus: 200,
    number: -32000,
    message: 'No unlocked account matches the Sender',
  },
  SIGNER_NO_SENDER: {
    httpStatus: 400,
    number: -32000,
    message: 'No unlocked account matches the Sender',
  },
  SIGNER_FORBIDDEN: { httpStatus: 403, number: -40100, message: 'Unauthorized' },
  SIGNER_UNAVAILABLE: { httpStatus: 500, number: -32000, message: 'Signer is not available' },
  SIGNER_PRIVATE_VALUE: {
    httpStatus: 200,
    number: -30200,
    message: 'ether value is not supported for private transactions',
  },
  SIGNER_MANAGER: {
    httpStatus: 200,
    number: -50100,
    message: 'Error communicating with enclave',
  },
  SIGNER_BUSY: { httpStatus: 503, number: -32005, message: 'Too many requests in progress' },
  SIGNER_UPSTREAM_TIMEOUT: {
    httpStatus: 504,
    number: -32000,
    message: 'Connection to downstream node timed out',
  },
  SIGNER_UPSTREAM_UNREACHABLE: {
    httpStatus: 504,
    number: -32000,
    message: 'Failed to connect to downstream node',
  },
  SIGNER_UPSTREAM_TLS: {
    httpStatus: 502,
    number: -32000,
    message: 'Failed to connect to downstream node',
  },
  SIGNER_UPSTREAM_BROKEN: { httpStatus: 500, number: -32603, message: 'Internal error' },
} as const satisfies Record<string, FailureRow>;

export type FailureCode = keyof typeof ROWS;

/** An error for the caller; `reason` explains it in `data`, and `fields` join it there. */
export function refuse(code: FailureCode, reason?: string, fields: object = {}): QuorateError {
  const data = reason === undefined ? fields : { reason, ...fields };
  return fail(code, reason ?? ROWS[code].message, {
    data: Object.keys(data).length === 0 ? undefined : data,
  });
}

/** A wrong parameter. */
export function badParams(reason: string): QuorateError {
  return refuse('SIGNER_PARAMS', reason);
}

/** The error's code if callers may see it; that of an internal error for anything else. */
export function failureCodeOf(error: unknown): FailureCode {
  return error instanceof QuorateError && isFailure(error.code) ? error.code : 'SIGNER_INTERNAL';
}

function isFailure(code: string): code is FailureCode {
  return Object.hasOwn(ROWS, code);
}

/**
 * The error as the caller sees it; anything that is not one of these failures becomes an internal
 * error that reveals no cause.
 */
export function rowOf(error: unknown): FailureRow & { readonly data: unknown } {
  if (error instanceof QuorateError && isFailure(error.code))
    return { ...ROWS[error.code], data: error.data };
  return { ...ROWS.SIGNER_INTERNAL, data: undefined };
}
