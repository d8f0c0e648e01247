/**
 * Refusals of the token service, with the standard's texts (RFC 6749 §5.2) or with those of Auth0,
 * which the API's clients know.
 */
import type { HttpReply } from '../../../io/http/server.ts';

export const ERROR_STYLES = ['rfc6749', 'auth0'] as const;
export type ErrorStyle = (typeof ERROR_STYLES)[number];

export type Refusal =
  | { readonly kind: 'invalid_request'; readonly why: string; readonly status?: number }
  /** `usedHeader`: the client sent an Authorization header. */
  | { readonly kind: 'invalid_client'; readonly usedHeader: boolean }
  | { readonly kind: 'unsupported_grant_type'; readonly grant: string }
  | { readonly kind: 'no_audience' }
  | { readonly kind: 'unknown_audience' | 'foreign_audience'; readonly audience: string }
  | { readonly kind: 'several_resources' }
  | { readonly kind: 'invalid_scope' }
  /** No route for that path and method. */
  | { readonly kind: 'not_found' }
  | { readonly kind: 'too_many_requests'; readonly retrySeconds: number }
  | { readonly kind: 'unavailable' };

/** Headers of every answer of the token endpoint, including errors (RFC 6749 §5.1). */
export const NO_STORE = { 'cache-control': 'no-store', pragma: 'no-cache' } as const;
const CHALLENGE = 'Basic realm="quorate", charset="UTF-8"';

/** Thrown while reading a request; never reveals what was wrong with a secret. */
export class OAuthRefusal extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.kind);
    this.refusal = refusal;
  }
}

interface Words {
  readonly status: number;
  readonly error: string;
  readonly description: string;
  readonly uri?: string;
}

export function refusalReply(refusal: Refusal, style: ErrorStyle): HttpReply {
  const { status, error, description, uri } =
    (style === 'auth0' ? auth0Words(refusal) : undefined) ?? standardWords(refusal);
  const body = {
    error,
    error_description: printable(description, style),
    ...(uri === undefined ? {} : { error_uri: uri }),
  };
  return {
    status,
    type: 'application/json',
    body: JSON.stringify(body),
    headers: {
      ...NO_STORE,
      ...(refusal.kind === 'invalid_client' && (style === 'rfc6749' || refusal.usedHeader)
        ? { 'www-authenticate': CHALLENGE }
        : {}),
      ...(refusal.kind === 'too_many_requests'
        ? { 'retry-after': String(refusal.retrySeconds) }
        : {}),
    },
  };
}

function standardWords(refusal: Refusal): Words {
  switch (refusal.kind) {
    case 'invalid_request':
      return { status: refusal.status ?? 400, error: 'invalid_request', description: refusal.why };
    case 'invalid_client':
      return { status: 401, error: 'invalid_client', description: 'client authentication failed' };
    case 'unsupported_grant_type':
      return {
        status: 400,
        error: 'unsupported_grant_type',
        description: 'the only grant type is client_credentials',
      };
    case 'no_audience':
      return { status: 400, error: 'invalid_target', description: 'an audience is required' };
    case 'unknown_audience':
    case 'foreign_audience':
      return {
        status: 400,
        error: 'invalid_target',
        description: 'the audience is unknown, or not open to this client',
      };
    case 'several_resources':
      return {
        status: 400,
        error: 'invalid_target',
        description: 'audience and resource must be one and the same',
      };
    case 'invalid_scope':
      return {
        status: 400,
        error: 'invalid_scope',
        description: 'the scope is malformed, or not open to this client',
      };
    case 'not_found':
      return {
        status: 404,
        error: 'not_found',
        description: 'there is nothing at this path for this method',
      };
    case 'too_many_requests':
      return {
        status: 429,
        error: 'temporarily_unavailable',
        description: 'too many requests: wait before the next one',
      };
    case 'unavailable':
      return {
        status: 503,
        error: 'temporarily_unavailable',
        description: 'the service cannot answer now: try again later',
      };
  }
}

/** Auth0's texts. Undefined: Auth0 uses the standard's texts too. */
function auth0Words(refusal: Refusal): Words | undefined {
  switch (refusal.kind) {
    case 'invalid_client':
      return { status: 401, error: 'access_denied', description: 'Unauthorized' };
    case 'unsupported_grant_type':
      return {
        status: 403,
        error: 'unsupported_grant_type',
        description: `Unsupported grant type: ${refusal.grant}`,
      };
    case 'no_audience':
      return {
        status: 403,
        error: 'access_denied',
        description:
          'No audience parameter was provided, and no default audience has been configured',
      };
    case 'unknown_audience':
      return {
        status: 403,
        error: 'access_denied',
        description: `Service not enabled within domain: ${refusal.audience}`,
      };
    case 'foreign_audience':
      return {
        status: 403,
        error: 'access_denied',
        description: `Client is not authorized to access "${refusal.audience}".`,
      };
    case 'too_many_requests':
      return {
        status: 429,
        error: 'too_many_requests',
        description: 'Global limit has been reached',
      };
    default:
      return undefined;
  }
}

/**
 * Replaces characters that a terminal or a log would interpret; RFC 6749 §5.2 also forbids quotes
 * and backslashes.
 */
function printable(text: string, style: ErrorStyle): string {
  return text.replace(
    style === 'rfc6749' ? /[^\x20\x21\x23-\x5b\x5d-\x7e]/g : /[^\x20-\x7e]/g,
    '?',
  );
}
