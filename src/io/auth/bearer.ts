/** A resource server's answers to an insufficient bearer token (RFC 6750 §3). */
import type { Verdict } from './token-checker.ts';

export interface BearerRefusal {
  readonly status: 400 | 401 | 403 | 503;
  readonly error: string;
  readonly description: string;
  /** Value of WWW-Authenticate. */
  readonly challenge: string | undefined;
}

/** The refusal, if the token is not valid for `scope` now; undefined: it is. */
export function bearerRefusal(
  verdict: Verdict,
  scope: string,
  nowMs: number,
): BearerRefusal | undefined {
  if (verdict.kind === 'refused') {
    switch (verdict.cause) {
      case 'missing':
        return {
          status: 401,
          error: 'unauthorized',
          description: 'a bearer token is required',
          challenge: 'Bearer realm="quorate"',
        };
      case 'unknown':
        return {
          status: 503,
          error: 'temporarily_unavailable',
          description: 'tokens cannot be checked now: try again later',
          challenge: undefined,
        };
      case 'invalid':
        return invalidToken();
    }
  }
  if (verdict.token.isExpired(nowMs)) return invalidToken();
  if (verdict.holder.scopes.includes(scope)) return undefined;
  return {
    status: 403,
    error: 'insufficient_scope',
    description: `the token lacks the scope ${scope}`,
    challenge: `Bearer realm="quorate", error="insufficient_scope", scope="${scope}"`,
  };
}

/**
 * The answer to a token that is given twice, or in the wrong place. `why` must not contain quotes.
 */
export function badCredentials(why: string): BearerRefusal {
  return {
    status: 400,
    error: 'invalid_request',
    description: why,
    challenge: `Bearer realm="quorate", error="invalid_request", error_description="${why}"`,
  };
}

/** Does not say which part of the token is wrong. */
export function invalidToken(): BearerRefusal {
  const description = 'the token is expired, revoked, malformed or from another issuer';
  return {
    status: 401,
    error: 'invalid_token',
    description,
    challenge: `Bearer realm="quorate", error="invalid_token", error_description="${description}"`,
  };
}
