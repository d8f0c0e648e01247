/** The operations of the token service, one row each: documentation and handler. */
import type { Clock } from '../../../core/base/ports.ts';
import { type HttpReply, type HttpRequest, json } from '../../../io/http/server.ts';
import { jsonContent, reference } from '../../../io/rest/openapi.ts';
import type { RestAnswer, RestOperation } from '../../../io/rest/operation.ts';
import { type ErrorStyle, NO_STORE, OAuthRefusal, refusalReply } from './oauth-error.ts';
import { type OAuthRequest, readRequest } from './request.ts';
import type { TokenService } from './service.ts';
import type { SigningKeys } from './signing-keys.ts';

/**
 * How long clients may cache the key set: a new key is published for longer than that before it
 * signs.
 */
const KEY_SET_SECONDS = 300;
const CLIENT_METHODS = ['client_secret_basic', 'client_secret_post'];
const FORM_TYPE = 'application/x-www-form-urlencoded';
export const CLIENT_SCHEME = { type: 'http', scheme: 'basic' };
/** Client credentials: by HTTP Basic, or in the body. */
const CLIENT_SECURITY = [{ client: [] }, {}];
const NO_SECURITY: readonly object[] = [];
const REFUSALS = [400, 401, 413, 429, 503];

export interface TokenRouteParts {
  readonly service: TokenService;
  readonly keys: SigningKeys;
  readonly clock: Clock;
  readonly place: { readonly issuer: string };
  readonly style: ErrorStyle;
}

export interface TokenOperation extends RestOperation {
  handle(parts: TokenRouteParts, request: HttpRequest): Promise<HttpReply> | HttpReply;
}

export const TOKEN_OPERATIONS: readonly TokenOperation[] = [
  {
    ...asked('/oauth/token', 'A token for client credentials', 'TokenRequest'),
    answers: { 200: answered('The token', 'TokenAnswer') },
    refusals: [...REFUSALS, 403],
    handle: (parts, request) =>
      answer(parts, request, (read, address) => parts.service.issue(read, address)),
  },
  {
    ...asked('/oauth/revoke', 'Ends a token of the client (RFC 7009)', 'TokenQuestion'),
    isOurs: true,
    answers: { 200: { about: 'It is now invalid', content: jsonContent({ type: 'object' }) } },
    handle: (parts, request) =>
      answer(parts, request, async (read, address) => {
        await parts.service.revoke(read, address);
        return {};
      }),
  },
  {
    ...asked('/oauth/introspect', 'Describes a token (RFC 7662)', 'TokenQuestion'),
    isOurs: true,
    answers: { 200: answered('The description', 'TokenIntrospection') },
    handle: (parts, request) =>
      answer(parts, request, (read, address) => parts.service.introspect(read, address)),
  },
  {
    ...open('/.well-known/jwks.json', 'Keys for checking tokens', 'KeySet'),
    handle: ({ keys, clock }) => ({
      ...json(200, keys.published(clock.nowMs())),
      headers: { 'cache-control': `public, max-age=${KEY_SET_SECONDS}` },
    }),
  },
  {
    ...open('/.well-known/oauth-authorization-server', 'Metadata (RFC 8414)', 'Metadata'),
    handle: (parts) => json(200, metadata(parts)),
  },
  {
    ...open(
      '/.well-known/openid-configuration',
      'The same, at another path that some clients use',
      'Metadata',
    ),
    handle: (parts) => json(200, metadata(parts)),
  },
];

/** Operations that the server itself answers. */
export const SERVICE_OPERATIONS: readonly RestOperation[] = [
  open('/health', 'Whether the process is alive', 'Health'),
  {
    ...open('/ready', 'Whether it serves', 'Health'),
    answers: {
      200: answered('It does', 'Health'),
      503: {
        about: 'Not ready, or the store does not answer',
        content: jsonContent({ anyOf: [reference('Health'), reference('Error')] }),
      },
    },
  },
  {
    ...open('/openapi.json', 'This document', 'Health'),
    answers: { 200: { about: 'OpenAPI 3.1', content: jsonContent({ type: 'object' }) } },
  },
];

function asked(path: string, summary: string, schema: string) {
  const content = { schema: reference(schema) };
  return {
    method: 'POST',
    path,
    summary,
    security: CLIENT_SECURITY,
    body: { 'application/json': content, [FORM_TYPE]: content },
    refusals: REFUSALS,
  } as const;
}

function open(path: string, summary: string, schema: string) {
  return {
    method: 'GET',
    path,
    summary,
    isOurs: true,
    security: NO_SECURITY,
    answers: { 200: answered(summary, schema) },
  } as const;
}

function answered(about: string, schema: string): RestAnswer {
  return { about, content: jsonContent(reference(schema)) };
}

async function answer(
  { style }: TokenRouteParts,
  request: HttpRequest,
  work: (request: OAuthRequest, address: string) => Promise<object>,
): Promise<HttpReply> {
  try {
    const read = readRequest({
      contentType: request.header('content-type'),
      authorization: request.header('authorization'),
      isAuthorizedTwice: request.isRepeated?.('authorization'),
      query: request.query,
      body: request.body,
    });
    return { ...json(200, await work(read, request.remote ?? '')), headers: NO_STORE };
  } catch (error) {
    if (error instanceof OAuthRefusal) return refusalReply(error.refusal, style);
    throw error;
  }
}

function metadata({ place: { issuer }, keys, clock }: TokenRouteParts): object {
  const at = (path: string) => `${issuer.replace(/\/$/, '')}${path}`;
  const algorithm = keys.current(clock.nowMs())?.algorithm;
  return {
    issuer,
    token_endpoint: at('/oauth/token'),
    token_endpoint_auth_methods_supported: CLIENT_METHODS,
    revocation_endpoint: at('/oauth/revoke'),
    revocation_endpoint_auth_methods_supported: CLIENT_METHODS,
    introspection_endpoint: at('/oauth/introspect'),
    introspection_endpoint_auth_methods_supported: CLIENT_METHODS,
    jwks_uri: at('/.well-known/jwks.json'),
    grant_types_supported: ['client_credentials'],
    response_types_supported: [],
    ...(algorithm === undefined ? {} : { access_token_signing_alg_values_supported: [algorithm] }),
  };
}
