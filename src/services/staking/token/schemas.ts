/** Schemas of the token service's requests and answers. */
const TEXT = { type: 'string' };
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
