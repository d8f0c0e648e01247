/** The HTTP status of an answer without a result (EthSigner ResponseCodeSelector). */
import type { FailureCode } from '../../../core/signing/failures.ts';
import type { Refusal } from '../../../core/signing/guard.ts';

export const FAILURE_STATUS: Readonly<Record<FailureCode, number>> = {
  SIGNER_PARSE: 400,
  SIGNER_REQUEST: 400,
  SIGNER_PARAMS: 400,
  SIGNER_INTERNAL: 500,
  SIGNER_NONCE_RETRIES: 400,
  SIGNER_METHOD_REFUSED: 200,
  SIGNER_CHAIN_ID: 400,
  SIGNER_NO_ACCOUNT: 200,
  SIGNER_NO_SENDER: 400,
  SIGNER_FORBIDDEN: 403,
  SIGNER_UNAVAILABLE: 500,
  SIGNER_PRIVATE_VALUE: 200,
  SIGNER_MANAGER: 200,
  SIGNER_BUSY: 503,
  SIGNER_UPSTREAM_TIMEOUT: 504,
  SIGNER_UPSTREAM_UNREACHABLE: 504,
  SIGNER_UPSTREAM_TLS: 502,
  SIGNER_UPSTREAM_BROKEN: 500,
};

/** `refused` has status 200, like any other JSON-RPC answer: the error is in the body. */
export const REFUSAL_STATUS: Readonly<Record<Refusal['kind'], number>> = {
  unauthenticated: 401,
  forbidden: 403,
  refused: 200,
};
