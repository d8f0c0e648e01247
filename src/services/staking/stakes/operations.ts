/** The operations of the staking API, one row each: documentation, scope and handler. */
import type { Clock } from '../../../core/base/ports.ts';
import type { TokenChecker } from '../../../io/auth/token-checker.ts';
import { fingerprintOf, type Idempotency } from '../../../io/database/idempotency.ts';
import { type HttpReply, type HttpRequest, json } from '../../../io/http/server.ts';
import { jsonContent, reference } from '../../../io/rest/openapi.ts';
import type { RestOperation } from '../../../io/rest/operation.ts';
import { ApiError, badRequest } from './api-error.ts';
import type { Rewards } from './rewards.ts';
import { OR_NULL } from './schemas.ts';
import { BATCH_MAX, readStakeTerms, type StakeTerms, VALIDATOR_GWEI } from './stake-request.ts';
import { type NewStake, PUBKEY, type Stakes } from './stakes.ts';

export const SCOPE = { read: 'stake:read', write: 'stake:write' } as const;
const PAGE_DEFAULT = 50;
const PAGE_MAX = 100;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export interface StakeRouteParts {
  readonly checker: TokenChecker;
  /** False for clients that were disabled after they got their token. */
  readonly isClient: (id: string) => boolean;
  readonly clock: Clock;
  readonly stakes: Stakes;
  readonly rewards: Rewards;
  readonly idempotency: Idempotency;
  /** Target of deposits; undefined when none can be made at present. */
  readonly target: () => Promise<DepositTarget | undefined>;
  /** Called when a stake was added. */
  readonly added: () => void;
  readonly place: { readonly issuer: string };
}

export interface DepositTarget {
  readonly contract: string;
  readonly forkVersion: string;
}

export interface StakeOperation extends RestOperation {
  readonly scope: (typeof SCOPE)[keyof typeof SCOPE];
  handle(parts: StakeRouteParts, request: HttpRequest, clientId: string): Promise<HttpReply>;
}

export const STAKE_OPERATIONS: readonly StakeOperation[] = [
  stakeRow('/stake', 'one validator', `${VALIDATOR_GWEI}`, 1),
  stakeRow(
    '/batch-stake',
    `up to ${BATCH_MAX} validators of the same withdrawal key`,
    `a multiple of ${VALIDATOR_GWEI}`,
    BATCH_MAX,
  ),
  listRow('/stakes', 'Stakes of the client, oldest first', 'Stake', (parts, clientId, page) =>
    parts.stakes.list(clientId, page),
  ),
  oneRow('/stakes/{id}', 'A stake', 'id', UUID),
  listRow(
    '/validators',
    'Validators of the client, oldest first',
    'Stake',
    (parts, clientId, page) => parts.stakes.list(clientId, page),
  ),
  oneRow('/validators/{pubkey}', 'The stake of a validator', 'pubkey', PUBKEY),
  listRow(
    '/rewards',
    'Rewards that the operator has recorded for the client',
    'Reward',
    (parts, clientId, page) => parts.rewards.ofClient(clientId, page),
  ),
];

type ReadPage = (
  parts: StakeRouteParts,
  clientId: string,
  page: { after: number; limit: number },
) => Promise<readonly { readonly number: number }[]>;

function stakeRow(path: string, what: string, amount: string, max: number): StakeOperation {
  return {
    method: 'POST',
    path,
    scope: SCOPE.write,
    summary: `Stakes ${what}: amount is ${amount}`,
    security: [{ token: [SCOPE.write] }],
    parameters: [
      {
        name: 'Idempotency-Key',
        in: 'header',
        required: true,
        schema: { type: 'string', format: 'uuid' },
        about: 'The same key and body: the same answer, one stake. Another body: 409.',
      },
    ],
    body: jsonContent(reference('StakeRequest')),
    answers: {
      201: {
        about: 'Safe in the store; the deposit follows',
        content: jsonContent(reference('StakeAnswer')),
      },
    },
    refusals: [400, 401, 403, 409, 413, 503],
    handle: (parts, request, clientId) => stake(parts, request, clientId, max),
  };
}

function listRow(path: string, summary: string, schema: string, read: ReadPage): StakeOperation {
  const page = {
    type: 'object',
    required: ['data', 'next'],
    properties: { data: { type: 'array', items: reference(schema) }, next: OR_NULL('integer') },
  };
  return {
    method: 'GET',
    path,
    scope: SCOPE.read,
    summary,
    isOurs: true,
    parameters: [
      { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: PAGE_MAX } },
      { name: 'after', in: 'query', schema: { type: 'integer' }, about: '`next` of a page' },
    ],
    answers: { 200: { about: 'A page', content: jsonContent(page) } },
    refusals: [400, 401, 403, 503],
    handle: (parts, { query }, clientId) => paged(query, (asked) => read(parts, clientId, asked)),
  };
}

function oneRow(
  path: string,
  summary: string,
  name: 'id' | 'pubkey',
  form: RegExp,
): StakeOperation {
  return {
    method: 'GET',
    path,
    scope: SCOPE.read,
    summary,
    isOurs: true,
    parameters: [{ name, in: 'path', required: true, schema: { type: 'string' } }],
    answers: { 200: { about: summary, content: jsonContent(reference('Stake')) } },
    refusals: [401, 403, 404, 503],
    async handle({ stakes }, { params }, clientId) {
      const value = params[name]!.toLowerCase();
      // The form is checked first, because stores do not accept every text.
      const found = form.test(value) ? await stakes.find(clientId, name, value) : undefined;
      if (!found) throw new ApiError(404, 'not_found', 'there is no such stake of this client');
      return json(200, found);
    },
  };
}

async function stake(
  parts: StakeRouteParts,
  request: HttpRequest,
  clientId: string,
  validatorsMax: number,
): Promise<HttpReply> {
  const key = request.header('idempotency-key');
  if (key === undefined || !UUID.test(key)) {
    throw badRequest('the header Idempotency-Key must be a UUID of your own for each stake');
  }
  const type = (request.header('content-type') ?? '').split(';')[0]!.trim().toLowerCase();
  if (type !== 'application/json') throw badRequest('the content type must be application/json');
  const terms = readStakeTerms(request.body, validatorsMax);
  const path = validatorsMax === 1 ? '/stake' : '/batch-stake';
  const fingerprint = fingerprintOf(path, terms.asked);
  const { stakes, idempotency, clock } = parts;
  const kept = await idempotency.once(
    { clientId, key: key.toLowerCase(), fingerprint },
    async () => ({ target: await targetOf(parts), made: await stakes.sign(terms) }),
    async (query, { target, made }) => {
      await stakes.insert(query, clientId, terms, made, clock.nowMs());
      return { status: 201, body: JSON.stringify(stakeAnswer(target, terms, made)) };
    },
  );
  parts.added();
  return { status: kept.status, type: 'application/json', body: kept.body };
}

async function targetOf({ target }: StakeRouteParts): Promise<DepositTarget> {
  const found = await target();
  if (found) return found;
  throw new ApiError(
    503,
    'temporarily_unavailable',
    'there is no deposit contract yet: the service waits for its ledger, or was started without --deposit.from',
    { 'retry-after': '5' },
  );
}

function stakeAnswer(
  { contract, forkVersion }: DepositTarget,
  { options }: StakeTerms,
  made: readonly NewStake[],
): object {
  return {
    chain_deposit_configuration: {
      deposit_contract_address: contract,
      genesis_fork_version: forkVersion,
    },
    eth1_contract_address: contract,
    stakes: made.map((each) => ({
      id: each.id,
      pubkey: each.pubkey,
      withdrawal_credentials: each.withdrawalCredentials,
      amount: String(VALIDATOR_GWEI),
      signature: each.signature,
      deposit_root: each.depositRoot,
      status: 'QUEUED',
      ...(options.fee_recipient === undefined ? {} : { fee_recipient: options.fee_recipient }),
    })),
  };
}

async function paged(
  query: HttpRequest['query'],
  read: (page: { after: number; limit: number }) => Promise<readonly { readonly number: number }[]>,
): Promise<HttpReply> {
  const limit = wholeNumber(query.limit, 'limit', PAGE_DEFAULT);
  const after = wholeNumber(query.after, 'after', 0);
  if (limit < 1 || limit > PAGE_MAX) throw badRequest(`limit must be 1 to ${PAGE_MAX}`);
  const data = await read({ after, limit });
  const next = data.length === limit ? data.at(-1)!.number : null;
  return json(200, { data, next });
}

function wholeNumber(text: string | undefined, name: string, missing: number): number {
  if (text === undefined) return missing;
  const value = Number(text);
  if (!/^\d{1,15}$/.test(text)) throw badRequest(`${name} must be a whole number`);
  return value;
}
