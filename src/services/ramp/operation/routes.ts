/** What an operator does by script: JSON under /operator, with the token of the operator. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Log } from '../../../core/base/ports.ts';
import type { Side, Status } from '../../../core/ramp/order.ts';
import { type HttpReply, type HttpRequest, json, type Route } from '../../../io/http/server.ts';
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

/** The name under which the holder of this token acts; undefined: nobody's. Takes the same time for every token. */
export type OperatorOf = (token: string) => string | undefined;

export function operatorByToken(secret: string): OperatorOf {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  const wanted = digest(secret);
  return (token) => (timingSafeEqual(digest(token), wanted) ? OPERATOR : undefined);
}

export interface OperatorRouteParts {
  readonly operator: Operator;
  readonly switches: KillSwitches;
  readonly operatorOf: OperatorOf;
  readonly log: Log;
}

export function operatorRoutes(parts: OperatorRouteParts): readonly Route[] {
  const { operator, switches, operatorOf, log } = parts;
  const route = (
    method: 'GET' | 'POST',
    path: string,
    handle: (request: HttpRequest, by: string) => Promise<unknown>,
  ): Route => ({
    ...{ method, path: `/operator/${path}` },
    async handle(request): Promise<HttpReply> {
      try {
        const by = operatorOf(request.header('authorization')?.replace(/^Bearer /i, '') ?? '');
        if (by === undefined) {
          const headers = { 'www-authenticate': 'Bearer realm="quorate operator"' };
          throw new Refusal(401, 'unauthorized', 'the token of the operator is needed', {
            headers,
          });
        }
        const reply = json(200, await handle(request, by));
        return { ...reply, headers: { 'cache-control': 'no-store' } };
      } catch (error) {
        return failureReply(error, log);
      }
    },
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
    route('GET', 'balances', () => operator.balances()),
    route('GET', 'stuck', async () =>
      (await operator.stuck()).map(({ order, sinceMs, deadlineMs }) => ({
        ...{ order: recordOf(order), sinceMs, deadlineMs },
      })),
    ),
    route('GET', 'volume', ({ query }) => operator.volume(Number(query.days ?? VOLUME_DAYS))),
    route('GET', 'switches', () => switches.switches()),
  ];
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

function whyOf(body: Uint8Array): string {
  if (body.length === 0) return '';
  try {
    const { why = '' } = JSON.parse(Buffer.from(body).toString('utf8'));
    if (typeof why === 'string') return why.slice(0, WHY_MAX);
  } catch {
    // Said below.
  }
  throw new Refusal(400, 'body_invalid', 'the body must be {"why": "…"}, or empty');
}
