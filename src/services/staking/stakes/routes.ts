/**
 * The staking API over HTTP, behind bearer tokens: the documented operations, and our own reads.
 */
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../../core/base/ports.ts';
import { badCredentials, bearerRefusal, invalidToken } from '../../../io/auth/bearer.ts';
import type { TokenChecker } from '../../../io/auth/token-checker.ts';
import { fingerprintOf, type Idempotency } from '../../../io/database/idempotency.ts';
import { type HttpReply, type HttpRequest, json, type Route } from '../../../io/http/server.ts';
import { ApiError, badRequest, refusalOf } from './api-error.ts';
import { openApiDocument } from './openapi.ts';
import type { Rewards } from './rewards.ts';
import { BATCH_MAX, readStakeTerms, type StakeTerms, VALIDATOR_GWEI } from './stake-request.ts';
import { type NewStake, PUBKEY, type Stakes } from './stakes.ts';

const SCOPE = { read: 'stake:read', write: 'stake:write' } as const;
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
  /** Target of deposits; undefined when none can be made now. */
  readonly target: () => Promise<DepositTarget | undefined>;
  /** Called when a stake was added. */
  readonly added: () => void;
  readonly place: { readonly issuer: string };
}

export interface DepositTarget {
  readonly contract: string;
  readonly forkVersion: string;
}

type Handler = (request: HttpRequest, clientId: string) => Promise<HttpReply>;

export function stakeRoutes(parts: StakeRouteParts): readonly Route[] {
  const { stakes, rewards } = parts;
  const guarded = (
    method: 'GET' | 'POST',
    path: string,
    scope: string,
    handle: Handler,
  ): Route => ({ method, path, handle: (request) => answer(parts, request, scope, handle) });
  const read = (path: string, handle: Handler) => guarded('GET', path, SCOPE.read, handle);
  const one = (path: string, name: 'id' | 'pubkey', form: RegExp) =>
    read(path, async ({ params }, clientId) => {
      const value = params[name]!.toLowerCase();
      // Stores do not accept every text.
      const found = form.test(value) ? await stakes.find(clientId, name, value) : undefined;
      if (!found) throw new ApiError(404, 'not_found', 'there is no such stake of this client');
      return json(200, found);
    });
  const list = (path: string) =>
    read(path, async ({ query }, clientId) => paged(query, (page) => stakes.list(clientId, page)));
  return [
    guarded('POST', '/stake', SCOPE.write, (request, id) => stake(parts, request, id, 1)),
    guarded('POST', '/batch-stake', SCOPE.write, (request, id) =>
      stake(parts, request, id, BATCH_MAX),
    ),
    list('/stakes'),
    one('/stakes/:id', 'id', UUID),
    list('/validators'),
    one('/validators/:pubkey', 'pubkey', PUBKEY),
    read('/rewards', async ({ query }, clientId) =>
      paged(query, (page) => rewards.ofClient(clientId, page)),
    ),
    {
      method: 'GET',
      path: '/openapi.json',
      handle: () => json(200, openApiDocument(parts.place)),
    },
  ];
}

async function answer(
  parts: StakeRouteParts,
  request: HttpRequest,
  scope: string,
  handle: Handler,
): Promise<HttpReply> {
  // Neither a client's data nor a refusal may be cached.
  const id = { 'x-request-id': randomUUID(), 'cache-control': 'no-store' };
  try {
    const reply = await handle(request, await clientOf(parts, request, scope));
    return { ...reply, headers: { ...reply.headers, ...id } };
  } catch (error) {
    const refusal = refusalOf(error);
    if (!refusal) throw error;
    const reply = refusal.reply();
    return { ...reply, headers: { ...reply.headers, ...id } };
  }
}

async function clientOf(
  { checker, clock, isClient }: StakeRouteParts,
  request: HttpRequest,
  scope: string,
): Promise<string> {
  if ('access_token' in request.query) throw badBearer('a token belongs in the header');
  if (request.isRepeated?.('authorization'))
    throw badBearer('there are several Authorization headers');
  const verdict = await checker.check(request.header('authorization'));
  const holder = verdict.kind === 'token' ? verdict.holder.clientId : undefined;
  const isStranger = verdict.kind === 'token' && (holder === undefined || !isClient(holder));
  const refusal = isStranger ? invalidToken() : bearerRefusal(verdict, scope, clock.nowMs());
  if (!refusal) return holder!;
  const { status, error, description, challenge } = refusal;
  const headers = challenge === undefined ? {} : { 'www-authenticate': challenge };
  throw new ApiError(status, error, description, headers);
}

function badBearer(why: string): ApiError {
  const { status, error, description, challenge } = badCredentials(why);
  return new ApiError(status, error, description, { 'www-authenticate': challenge! });
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
