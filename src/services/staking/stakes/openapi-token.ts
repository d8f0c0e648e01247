/**
 * The token service in the OpenAPI document: its requests and answers, next to the operations that
 * need its tokens.
 */
import { inline, JSON_TYPE, OURS, reference, TEXT } from './openapi-parts.ts';

const FORM_TYPE = 'application/x-www-form-urlencoded';
/** By HTTP Basic, or in the body. */
const CLIENT_SECURITY = [{ client: [] }, {}];
const NO_SECURITY: readonly object[] = [];
const PROOF = { client_id: TEXT, client_secret: TEXT };

export const TOKEN_SCHEMAS = {
  TokenRequest: {
    type: 'object',
    required: ['grant_type'],
    properties: {
      ...PROOF,
      grant_type: { type: 'string', enum: ['client_credentials'] },
      audience: { type: 'string', description: 'The address of the API, compared exactly.' },
      resource: { type: 'string', description: 'The same, as RFC 8707 names it.' },
      scope: TEXT,
    },
  },
  TokenAnswer: {
    type: 'object',
    required: ['access_token', 'token_type', 'expires_in'],
    properties: {
      access_token: TEXT,
      token_type: { type: 'string', enum: ['Bearer'] },
      expires_in: { type: 'integer', minimum: 1, description: 'Seconds.' },
      scope: TEXT,
    },
  },
  TokenQuestion: {
    type: 'object',
    required: ['token'],
    properties: { ...PROOF, token: TEXT, token_type_hint: TEXT },
  },
  TokenIntrospection: {
    type: 'object',
    required: ['active'],
    properties: {
      active: { type: 'boolean' },
      token_type: TEXT,
      iss: TEXT,
      sub: TEXT,
      aud: TEXT,
      client_id: TEXT,
      jti: TEXT,
      scope: TEXT,
      iat: { type: 'integer' },
      exp: { type: 'integer' },
    },
  },
  KeySet: {
    type: 'object',
    required: ['keys'],
    properties: {
      keys: {
        type: 'array',
        items: {
          type: 'object',
          required: ['kty', 'kid', 'alg', 'use'],
          properties: { kty: TEXT, kid: TEXT, alg: TEXT, use: TEXT },
          not: { required: ['d'] },
        },
      },
    },
  },
  Metadata: {
    type: 'object',
    required: ['issuer', 'token_endpoint', 'jwks_uri', 'response_types_supported'],
    properties: {
      issuer: { type: 'string', format: 'uri' },
      token_endpoint: { type: 'string', format: 'uri' },
      jwks_uri: { type: 'string', format: 'uri' },
      response_types_supported: { type: 'array', items: TEXT },
    },
  },
  Health: { type: 'object', required: ['status'], properties: { status: TEXT } },
};

export const CLIENT_SCHEME = { type: 'http', scheme: 'basic' };

type Refusals = (...statuses: readonly number[]) => object;

export function tokenPaths(refusals: Refusals): object {
  const refused = refusals(400, 401, 413, 429, 503);
  return {
    '/oauth/token': {
      post: {
        summary: 'A token for client credentials',
        security: CLIENT_SECURITY,
        requestBody: asked('TokenRequest'),
        responses: {
          200: answered('The token', 'TokenAnswer'),
          ...refused,
          ...refusals(403),
        },
      },
    },
    '/oauth/revoke': {
      post: {
        summary: 'Ends a token of the client (RFC 7009)',
        ...OURS,
        security: CLIENT_SECURITY,
        requestBody: asked('TokenQuestion'),
        responses: {
          200: { description: 'It is now invalid', content: inline({ type: 'object' }) },
          ...refused,
        },
      },
    },
    '/oauth/introspect': {
      post: {
        summary: 'Describes a token (RFC 7662)',
        ...OURS,
        security: CLIENT_SECURITY,
        requestBody: asked('TokenQuestion'),
        responses: { 200: answered('The description', 'TokenIntrospection'), ...refused },
      },
    },
    '/.well-known/jwks.json': open('Keys for checking tokens', 'KeySet'),
    '/.well-known/oauth-authorization-server': open('Metadata (RFC 8414)', 'Metadata'),
    '/.well-known/openid-configuration': open(
      'The same, at another path that some clients use',
      'Metadata',
    ),
    '/health': open('Whether the process is alive', 'Health'),
    '/ready': {
      get: {
        summary: 'Whether it serves',
        ...OURS,
        security: NO_SECURITY,
        responses: {
          200: answered('It does', 'Health'),
          503: {
            description: 'Not ready, or the store does not answer',
            content: inline({
              anyOf: [reference('Health'), reference('Error')],
            }),
          },
        },
      },
    },
    '/openapi.json': {
      get: {
        summary: 'This document',
        ...OURS,
        security: NO_SECURITY,
        responses: {
          200: { description: 'OpenAPI 3.1', content: inline({ type: 'object' }) },
        },
      },
    },
  };
}

function open(summary: string, schema: string): object {
  return {
    get: {
      summary,
      ...OURS,
      security: NO_SECURITY,
      responses: { 200: answered(summary, schema) },
    },
  };
}

function asked(schema: string): object {
  const content = { schema: reference(schema) };
  return { required: true, content: { [JSON_TYPE]: content, [FORM_TYPE]: content } };
}

function answered(description: string, schema: string): object {
  return { description, content: inline(reference(schema)) };
}
