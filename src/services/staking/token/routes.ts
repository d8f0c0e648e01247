/** The token service over HTTP: token, revocation, introspection, key set and metadata (RFC 8414). */
import type { Clock } from '../../../core/base/ports.ts';
import { type HttpReply, type HttpRequest, json, type Route } from '../../../io/http/server.ts';
import { type ErrorStyle, NO_STORE, OAuthRefusal, refusalReply } from './oauth-error.ts';
import { type OAuthRequest, readRequest } from './request.ts';
import type { TokenService } from './service.ts';
import type { SigningKeys } from './signing-keys.ts';

/**
 * How long others may cache the key set: a new key is published for longer than that before it
 * signs.
 */
const KEY_SET_SECONDS = 300;
const OTHER_METHODS = ['GET', 'PUT', 'DELETE'] as const;
const CLIENT_METHODS = ['client_secret_basic', 'client_secret_post'];

export interface TokenRouteParts {
  readonly service: TokenService;
  readonly keys: SigningKeys;
  readonly clock: Clock;
  readonly place: { readonly issuer: string };
  readonly style: ErrorStyle;
}

export function tokenRoutes(parts: TokenRouteParts): readonly Route[] {
  const { service, keys, clock, style } = parts;
  const post = (
    path: string,
    answer: (request: OAuthRequest, address: string) => Promise<HttpReply>,
  ): readonly Route[] => [
    { method: 'POST', path, handle: (request) => answered(request, style, answer) },
    ...OTHER_METHODS.map((method): Route => ({ method, path, handle: () => onlyPost(style) })),
  ];
  return [
    ...post('/oauth/token', async (request, address) => ({
      ...json(200, await service.issue(request, address)),
      headers: NO_STORE,
    })),
    ...post('/oauth/revoke', async (request, address) => {
      await service.revoke(request, address);
      return { ...json(200, {}), headers: NO_STORE };
    }),
    ...post('/oauth/introspect', async (request, address) => ({
      ...json(200, await service.introspect(request, address)),
      headers: NO_STORE,
    })),
    {
      method: 'GET',
      path: '/.well-known/jwks.json',
      handle: () => ({
        ...json(200, keys.published(clock.nowMs())),
        headers: { 'cache-control': `public, max-age=${KEY_SET_SECONDS}` },
      }),
    },
    ...['oauth-authorization-server', 'openid-configuration'].map(
      (name): Route => ({
        method: 'GET',
        path: `/.well-known/${name}`,
        handle: () => json(200, metadata(parts)),
      }),
    ),
  ];
}

async function answered(
  request: HttpRequest,
  style: ErrorStyle,
  answer: (request: OAuthRequest, address: string) => Promise<HttpReply>,
): Promise<HttpReply> {
  try {
    const read = readRequest({
      contentType: request.header('content-type'),
      authorization: request.header('authorization'),
      isAuthorizedTwice: request.isRepeated?.('authorization'),
      query: request.query,
      body: request.body,
    });
    return await answer(read, request.remote ?? '');
  } catch (error) {
    if (error instanceof OAuthRefusal) return refusalReply(error.refusal, style);
    throw error;
  }
}

function onlyPost(style: ErrorStyle): HttpReply {
  const reply = refusalReply(
    { kind: 'invalid_request', why: 'the method must be POST', status: 405 },
    style,
  );
  return { ...reply, headers: { ...reply.headers, allow: 'POST' } };
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
