/**
 * The OpenAPI 3.1 document of the service, as it answers. Our own additions are marked x-quorate.
 */
import { inline, OURS, reference, TEXT } from './openapi-parts.ts';
import { CLIENT_SCHEME, TOKEN_SCHEMAS, tokenPaths } from './openapi-token.ts';
import { BATCH_MAX, VALIDATOR_GWEI } from './stake-request.ts';

const ADDRESS = '^0x[0-9a-fA-F]{40}$';
const STAKE_REQUEST = {
  type: 'object',
  required: ['withdrawal_pubkey', 'amount'],
  additionalProperties: false,
  properties: {
    withdrawal_pubkey: {
      type: 'string',
      pattern: '^(?:0x[0-9a-fA-F]{96}|0x[0-9a-fA-F]{40})$',
      description: 'Who may withdraw: an address (0x01 credentials), or a BLS public key (0x00).',
    },
    amount: { type: 'string', pattern: '^[0-9]{1,20}$', description: 'Gwei.' },
    vault_name: { type: 'string', pattern: '^[ a-zA-Z0-9_-]{3,20}$' },
    fee_recipient: { type: 'string', pattern: ADDRESS },
    builder_relays: { type: 'array', maxItems: 100, items: { type: 'string', format: 'uri' } },
    cloud_providers: { type: 'array', items: { type: 'string', enum: ['azure', 'aws'] } },
    regions: {
      type: 'array',
      items: {
        type: 'string',
        enum: ['as-japan', 'as-singapore', 'eu-sweden', 'eu-ireland', 'us-east', 'us-central'],
      },
    },
    client_types: { type: 'array', items: { type: 'string', enum: ['teku', 'lighthouse'] } },
  },
};
const OR_NULL = (type: string) => ({ type: [type, 'null'] });
const DEPOSIT = {
  id: TEXT,
  pubkey: TEXT,
  withdrawal_credentials: TEXT,
  amount: TEXT,
  signature: TEXT,
  deposit_root: TEXT,
};
const STATUS = { type: 'string', enum: ['QUEUED', 'SUBMITTED', 'DEPOSITED', 'FAILED'] };
const STAKE = {
  ...DEPOSIT,
  number: { type: 'integer' },
  options: { type: 'object' },
  status: STATUS,
  transaction_hash: OR_NULL('string'),
  block_number: OR_NULL('integer'),
  failure: OR_NULL('string'),
  created_at: { type: 'string', format: 'date-time' },
  updated_at: { type: 'string', format: 'date-time' },
};
const REWARD = {
  number: { type: 'integer' },
  pubkey: TEXT,
  amount: { type: 'string', description: 'Gwei.' },
  at: { type: 'string', format: 'date-time' },
  note: TEXT,
};
const SCHEMAS = {
  ...TOKEN_SCHEMAS,
  StakeRequest: STAKE_REQUEST,
  StakeAnswer: {
    type: 'object',
    required: ['chain_deposit_configuration', 'eth1_contract_address', 'stakes'],
    properties: {
      chain_deposit_configuration: {
        type: 'object',
        required: ['deposit_contract_address', 'genesis_fork_version'],
        properties: {
          deposit_contract_address: { type: 'string', pattern: ADDRESS },
          genesis_fork_version: TEXT,
        },
      },
      eth1_contract_address: { type: 'string', pattern: ADDRESS },
      stakes: {
        type: 'array',
        items: {
          type: 'object',
          required: Object.keys(DEPOSIT),
          properties: { ...DEPOSIT, status: STATUS, fee_recipient: TEXT },
        },
      },
    },
  },
  Stake: { type: 'object', required: Object.keys(STAKE), properties: STAKE },
  Reward: { type: 'object', required: Object.keys(REWARD), properties: REWARD },
  Error: {
    type: 'object',
    required: ['error', 'error_description'],
    properties: { error: TEXT, error_description: TEXT },
  },
};

export function openApiDocument(place: { readonly issuer: string }): object {
  const tokenUrl = `${place.issuer.replace(/\/$/, '')}/oauth/token`;
  return {
    openapi: '3.1.0',
    info: {
      title: 'Quorate staking API',
      version: '1.0.0',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    // The address from which the document was fetched, also behind a proxy.
    servers: [{ url: '/' }],
    security: [{ token: ['stake:read'] }],
    paths: {
      ...tokenPaths(refusals),
      '/stake': { post: stakeOperation('one validator', `${VALIDATOR_GWEI}`) },
      '/batch-stake': {
        post: stakeOperation(
          `up to ${BATCH_MAX} validators of the same withdrawal key`,
          `a multiple of ${VALIDATOR_GWEI}`,
        ),
      },
      '/stakes': { get: listOperation('Stakes of the client, oldest first', 'Stake') },
      '/stakes/{id}': { get: oneOperation('A stake', 'id') },
      '/validators': { get: listOperation('Validators of the client, oldest first', 'Stake') },
      '/validators/{pubkey}': { get: oneOperation('The stake of a validator', 'pubkey') },
      '/rewards': {
        get: listOperation('Rewards that the operator has recorded for the client', 'Reward'),
      },
    },
    components: {
      schemas: SCHEMAS,
      securitySchemes: {
        client: CLIENT_SCHEME,
        token: {
          type: 'oauth2',
          flows: {
            clientCredentials: {
              tokenUrl,
              scopes: { 'stake:read': 'Read stakes and rewards', 'stake:write': 'Stake' },
            },
          },
        },
      },
    },
  };
}

function stakeOperation(what: string, amount: string): object {
  return {
    summary: `Stakes ${what}: amount is ${amount}`,
    security: [{ token: ['stake:write'] }],
    parameters: [
      {
        name: 'Idempotency-Key',
        in: 'header',
        required: true,
        schema: { type: 'string', format: 'uuid' },
        description: 'The same key and body: the same answer, one stake. Another body: 409.',
      },
    ],
    requestBody: { required: true, content: content('StakeRequest') },
    responses: {
      201: {
        description: 'Safe in the store; the deposit follows',
        content: content('StakeAnswer'),
      },
      ...refusals(400, 401, 403, 409, 413, 503),
    },
  };
}

function listOperation(summary: string, schema: string): object {
  const items = reference(schema);
  const page = {
    type: 'object',
    required: ['data', 'next'],
    properties: { data: { type: 'array', items }, next: OR_NULL('integer') },
  };
  return {
    summary,
    ...OURS,
    parameters: [
      { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 100 } },
      { name: 'after', in: 'query', schema: { type: 'integer' }, description: '`next` of a page' },
    ],
    responses: {
      200: { description: 'A page', content: inline(page) },
      ...refusals(400, 401, 403, 503),
    },
  };
}

function oneOperation(summary: string, name: string): object {
  return {
    summary,
    ...OURS,
    parameters: [{ name, in: 'path', required: true, schema: TEXT }],
    responses: {
      200: { description: summary, content: content('Stake') },
      ...refusals(401, 403, 404, 503),
    },
  };
}

function content(schema: string): object {
  return inline(reference(schema));
}

function refusals(...statuses: readonly number[]): object {
  return Object.fromEntries(
    statuses.map((status) => [status, { description: 'Refused', content: content('Error') }]),
  );
}
