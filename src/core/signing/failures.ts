/** Errors that a caller receives, with number and text (EthSigner JsonRpcError). */
import { fail, QuorateError } from '../base/errors.ts';

interface FailureRow {
  readonly number: number;
  readonly message: string;
}

const ROWS = {
  SIGNER_PARSE: { number: -32700, message: 'Parse error' },
  SIGNER_REQUEST: { number: -32600, message: 'Invalid Request' },
  SIGNER_PARAMS: { number: -32602, message: 'Invalid params' },
  SIGNER_INTERNAL: { number: -32603, message: 'Internal error' },
  /** EthSigner's text after its last attempt. */
  SIGNER_NONCE_RETRIES: { number: -32603, message: 'Internal error' },
  SIGNER_METHOD_REFUSED: { number: -32604, message: 'Method not enabled' },
  SIGNER_CHAIN_ID: { number: -32000, message: 'Wrong chainId' },
  SIGNER_NO_ACCOUNT: {
    number: -32000,
    message: 'No unlocked account matches the Sender',
  },
  SIGNER_NO_SENDER: {
    number: -32000,
    message: 'No unlocked account matches the Sender',
  },
  SIGNER_FORBIDDEN: { number: -40100, message: 'Unauthorized' },
  SIGNER_UNAVAILABLE: { number: -32000, message: 'Signer is not available' },
  SIGNER_PRIVATE_VALUE: {
    number: -30200,
    message: 'ether value is not supported for private transactions',
  },
  SIGNER_MANAGER: {
    number: -50100,
    message: 'Error communicating with enclave',
  },
  SIGNER_BUSY: { number: -32005, message: 'Too many requests in progress' },
  SIGNER_UPSTREAM_TIMEOUT: {
    number: -32000,
    message: 'Connection to downstream node timed out',
  },
  SIGNER_UPSTREAM_UNREACHABLE: {
    number: -32000,
    message: 'Failed to connect to downstream node',
  },
  SIGNER_UPSTREAM_TLS: {
    number: -32000,
    message: 'Failed to connect to downstream node',
  },
  SIGNER_UPSTREAM_BROKEN: { number: -32603, message: 'Internal error' },
} as const satisfies Record<string, FailureRow>;

export type FailureCode = keyof typeof ROWS;

/** An error for the caller; `data` contains `reason`, which explains it, and `fields`. */
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
export function failureOf(
  error: unknown,
): FailureRow & { readonly code: FailureCode; readonly data: unknown } {
  const code = failureCodeOf(error);
  const isOwn = error instanceof QuorateError && error.code === code;
  return { ...ROWS[code], code, data: isOwn ? error.data : undefined };
}
