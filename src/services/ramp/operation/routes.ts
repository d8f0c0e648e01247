/**
 * Routes for operators: JSON under /operator, for scripts with the operator's token, and for the
 * operator's page.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Log } from '../../../core/base/ports.ts';
import type { Switches } from '../../../core/ramp/config.ts';
import type { Side, Status } from '../../../core/ramp/order.ts';
import { type HttpReply, type HttpRequest, json, type Route } from '../../../io/http/server.ts';
import type { ClientAddresses } from '../api/client-address.ts';
import type { RateLimit } from '../api/rate-limit.ts';
import { badField, Refusal } from '../api/refusal.ts';
import { failureReply } from '../api/routes.ts';
import { type Order, orderRecord } from '../orders/order-row.ts';
import { ACTIONS, type Action, type Operator } from './operator.ts';
import type { KillSwitches } from './switches.ts';

const OPERATOR = 'operator';
const WHY_MAX = 500;
const LIST_DEFAULT = 50;
const VOLUME_DAYS = 30;
const STATUSES: readonly string[] = ['CREATED', 'PENDING', 'COMPLETED', 'FAILED', 'CANCELLED'];

/** Name of the token's holder; undefined: unknown token. Takes the same time for every token. */
export type OperatorOf = (token: string) => string | undefined;

export function operatorByToken(secret: string): OperatorOf {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  const wanted = digest(secret);
  return (token) => (timingSafeEqual(digest(token), wanted) ? OPERATOR : undefined);
}

export interface OperatorRouteParts {
  readonly operator: Operator;
  readonly switches: KillSwitches;
  /** The operator; undefined: not authorised. */
  readonly by: (request: HttpRequest) => string | undefined;
  readonly addresses: ClientAddresses;
  readonly limit: RateLimit;
  readonly log: Log;
}

/** Cost of a wrong token, in requests. */
export const GUESS_COST = 25;

export function operatorRoutes(parts: OperatorRouteParts): readonly Route[] {
  const { operator, switches, addresses, limit, log } = parts;
  const route = (
    method: 'GET' | 'POST',
    path: string,
    handle: (request: HttpRequest, by: string) => Promise<unknown>,
  ): Route => ({
    ...{ method, path: `/operator/${path}` },
    handle: (request) =>
      answered(log, async () => {
        const by = parts.by(request);
        if (by === undefined) {
          limit.take(addresses.of(request), GUESS_COST);
          const headers = { 'www-authenticate': 'Bearer realm="quorate operator"' };
          throw new Refusal(401, 'unauthorized', 'the token of the operator is needed', {
            headers,
          });
        }
        const reply = json(200, await handle(request, by));
        return { ...reply, headers: { 'cache-control': 'no-store' } };
      }),
  });
  return [
    route('GET', 'orders', async ({ query }) => {
      const { orders, next } = await operator.list(searchOf(query));
      return { orders: orders.map(recordOf), ...(next === undefined ? {} : { next }) };
    }),
    route('GET', 'orders/:id', async ({ params }) => {
      const { order, ...history } = await operator.order(params.id!);
      return { order: recordOf(order), ...history };
    }),
    ...ACTIONS.map((action: Action) =>
      route('POST', `orders/:id/${action}`, async ({ params, body }, by) => {
        const done = await operator.act(params.id!, action, by, whyOf(body));
        if (done.refusal !== undefined) throw new Refusal(409, 'not_now', done.refusal);
        return { order: recordOf(done.order) };
      }),
    ),
    route('POST', 'orders/:id/webhooks', ({ params }, by) => operator.tellAgain(params.id!, by)),
    route('GET', 'balances', () => operator.balances()),
    route('GET', 'stuck', async () =>
      (await operator.stuck()).map(({ order, sinceMs, deadlineMs }) => ({
        ...{ order: recordOf(order), sinceMs, deadlineMs },
      })),
    ),
    route('GET', 'volume', ({ query }) => operator.volume(Number(query.days ?? VOLUME_DAYS))),
    route('GET', 'switches', () => switches.switches()),
    route('POST', 'switches', async ({ body }, by) => {
      await switches.setSwitches(switchesOf(body), by);
      return switches.switches();
    }),
  ];
}

/** The answer, or the refusal. */
export async function answered(log: Log, answer: () => Promise<HttpReply>): Promise<HttpReply> {
  try {
    return await answer();
  } catch (error) {
    return failureReply(error, log);
  }
}

function recordOf(order: Order): object {
  return { side: order.side, ...orderRecord(order, false) };
}

function searchOf(query: HttpRequest['query']) {
  for (const [name, text] of Object.entries(query)) {
    if (Array.isArray(text)) throw badField(name, 'parameter_repeated', 'is given more than once');
  }
  const { side, status, code, text, before, limit } = query;
  if (side !== undefined && side !== 'buy' && side !== 'sell') {
    throw badField('side', 'side_unknown', 'must be buy or sell');
  }
  if (status !== undefined && !STATUSES.includes(status)) {
    throw badField('status', 'status_unknown', `must be one of ${STATUSES.join(', ')}`);
  }
  return {
    ...{ side: side as Side | undefined, status: status as Status | undefined },
    ...{ code, text, before, limit: Number(limit ?? LIST_DEFAULT) },
  };
}

/** Throws a Refusal. */
function switchesOf(body: Uint8Array): Switches {
  try {
    const { buy, sell, crypto, payments } = JSON.parse(Buffer.from(body).toString('utf8'));
    const isList = (value: unknown) =>
      Array.isArray(value) && value.every((each) => typeof each === 'string');
    if (typeof buy === 'boolean' && typeof sell === 'boolean' && isList(crypto) && isList(payments))
      return { buy, sell, crypto, payments };
  } catch {
    // Reported below.
  }
  const form = '{"buy": false, "sell": false, "crypto": [], "payments": []}';
  throw new Refusal(400, 'body_invalid', `the body must have all switches: ${form}`);
}

function whyOf(body: Uint8Array): string {
  if (body.length === 0) return '';
  try {
    const { why = '' } = JSON.parse(Buffer.from(body).toString('utf8'));
    if (typeof why === 'string') return why.slice(0, WHY_MAX);
  } catch {
    // Reported below.
  }
  throw new Refusal(400, 'body_invalid', 'the body must be {"why": "…"}, or empty');
}
