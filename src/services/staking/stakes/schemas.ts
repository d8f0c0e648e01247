/**
 * Schemas of the staking API's requests and answers. The types of the typed client are generated
 * from them.
 */

const TEXT = { type: 'string' };
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
export const OR_NULL = (type: string) => ({ type: [type, 'null'] });
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
export const STAKE_SCHEMAS = {
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
