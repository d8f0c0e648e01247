/**
 * Stripe's HTTP API, as far as a ramp uses it: form bodies in, objects out, idempotency keys that
 * repeat the first answer, paged lists, and signed events as in Stripe's documentation. It also
 * plays the customers and banks, and can lose answers.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface FakeStripe {
  readonly url: string;
  /** The requests, as `METHOD /path`. */
  readonly asked: string[];
  readonly sessions: readonly any[];
  readonly refunds: readonly any[];
  readonly transfers: readonly any[];
  readonly intents: readonly any[];
  /** Where it delivers events; undefined: nowhere, so they must be fetched. */
  hook: string | undefined;
  nowMs: () => number;
  /** Breaks every connection. */
  isAway: boolean;
  /** The path of a request that is executed next without an answer. */
  lose: string | undefined;
  /** The first status of refunds. */
  refundStatus: string;
  /** The platform's balance, in smallest units, by currency. */
  balance: Record<string, number>;
  /** Somebody else spends the balance after it was read and before the transfer. */
  isSpent: boolean;
  /** One day passes, after which idempotency keys may be used again. */
  forgetKeys(): void;
  /** The customer pays on the page; resolves with the payment once its events were delivered. */
  pay(session: any, status?: 'succeeded' | 'processing' | 'requires_action'): Promise<any>;
  /** Adds an event and delivers it. */
  tell(type: string, object: object, part?: object): Promise<Response | undefined>;
  /** Returns the signature header of a body. */
  signed(body: string, secret?: string, atMs?: number): string;
  close(): Promise<void>;
}

export const STRIPE_SECRET = 'whsec_fake_of_these_tests';
/** A card that its bank refuses for payments without the customer present. */
export const CARD_THAT_FAILS = 'pm_declines';

export async function startFakeStripe(): Promise<FakeStripe> {
  const [sessions, refunds, transfers]: [any[], any[], any[]] = [[], [], []];
  const [intents, events]: [any[], any[]] = [[], []];
  const kept = new Map<string, { body: string; status: number; answer: object }>();
  const id = (prefix: string) => `${prefix}_${randomBytes(9).toString('hex')}`;
  const now = () => Math.floor(fake.nowMs() / 1_000);

  const answer = (method: string, path: string, given: any, account: string | undefined) => {
    const [, , kind, key] = path.split('/');
    const at = `${method} ${path.replace(/\/v1\//, '')}`;
    switch (true) {
      case at === 'GET balance':
        return {
          object: 'balance',
          available: Object.entries(fake.balance).map(([currency, amount]) => ({
            ...{ currency, amount },
          })),
        };
      case at === 'POST checkout/sessions': {
        const made = {
          ...{ id: id('cs_test'), object: 'checkout.session', created: now(), status: 'open' },
          ...{ ...given, payment_intent: null, payment_status: 'unpaid' },
          amount_total: Number(given.line_items[0].price_data.unit_amount),
          currency: given.line_items[0].price_data.currency,
        };
        made.url = `https://checkout.stripe.com/c/pay/${made.id}`;
        sessions.push(made);
        return made;
      }
      case at === 'GET payment_intents':
        return page(within(intents, given), given);
      case method === 'GET' && kind === 'payment_intents':
        return intents.find((each) => each.id === key) ?? missing('payment_intent');
      case at === 'POST payment_intents': {
        const made = intentOf(given.amount, given.currency, given.metadata);
        Object.assign(made, { customer: given.customer, payment_method: given.payment_method });
        if (given.payment_method === CARD_THAT_FAILS) {
          throw refusal(402, 'card_error', 'Your card was declined.');
        }
        Object.assign(made, { status: 'succeeded', amount_received: made.amount });
        return made;
      }
      case at === 'POST refunds': {
        const paid = intents.find((each) => each.id === given.payment_intent);
        if (!paid) return missing('payment_intent');
        const back = refunds
          .filter((each) => each.payment_intent === paid.id && each.status !== 'failed')
          .reduce((sum, each) => sum + each.amount, 0);
        const amount = Number(given.amount);
        if (back + amount > paid.amount_received) {
          throw refusal(400, 'invalid_request_error', 'Refund amount is greater than the charge');
        }
        const made = { id: id('re'), object: 'refund', ...given, amount, created: now() };
        refunds.push({ ...made, status: fake.refundStatus });
        return refunds.at(-1);
      }
      case at === 'GET refunds':
        return page(
          within(refunds, given).filter(
            (each) => (given.payment_intent ?? each.payment_intent) === each.payment_intent,
          ),
          given,
        );
      case at === 'POST transfers': {
        if (!given.destination.startsWith('acct_known')) {
          throw refusal(400, 'invalid_request_error', `No such destination: ${given.destination}`);
        }
        if (fake.isSpent) {
          const why = 'You have insufficient available funds.';
          throw refusal(400, 'invalid_request_error', why, 'balance_insufficient');
        }
        const made = { id: id('tr'), object: 'transfer', ...given, amount: Number(given.amount) };
        fake.balance[given.currency] = (fake.balance[given.currency] ?? 0) - made.amount;
        transfers.push({ ...made, created: now(), account });
        return transfers.at(-1);
      }
      case at === 'GET transfers':
        return page(
          within(transfers, given).filter(
            (each) => (given.transfer_group ?? each.transfer_group) === each.transfer_group,
          ),
          given,
        );
      case at === 'GET events': {
        const found = within(events, given).filter(({ type }) => given.types.includes(type));
        return page(found, given);
      }
      default:
        return missing(path);
    }
  };
  const intentOf = (amount: number, currency: string, metadata: object) => {
    const made: any = {
      ...{ id: id('pi'), object: 'payment_intent', amount: Number(amount), currency, metadata },
      ...{ amount_received: 0, status: 'requires_payment_method', created: now() },
      ...{ customer: null, payment_method: null },
    };
    intents.push(made);
    return made;
  };
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = '', url = '', headers } = request;
    const { pathname, searchParams } = new URL(url, 'http://stripe');
    let body = '';
    for await (const chunk of request) body += chunk;
    fake.asked.push(`${method} ${pathname}`);
    const key = headers['idempotency-key'] as string | undefined;
    const before = key === undefined ? undefined : kept.get(`${pathname} ${key}`);
    let [status, reply]: [number, object] = [200, {}];
    if (!/^Bearer sk_test_\w+$/.test(headers.authorization ?? '')) {
      [status, reply] = [401, { error: { type: 'invalid_request_error', message: 'no key' } }];
    } else if (before && before.body !== body) {
      [status, reply] = [400, { error: { type: 'idempotency_error', message: 'other body' } }];
    } else if (before) {
      [status, reply] = [before.status, before.answer];
    } else {
      const given = nested(method === 'GET' ? searchParams : new URLSearchParams(body));
      try {
        reply = answer(method, pathname, given, headers['stripe-account'] as string | undefined);
      } catch (error) {
        if (!(error instanceof StripeRefusal)) throw error;
        [status, reply] = [error.status, { error: error.said }];
      }
      if (key !== undefined) kept.set(`${pathname} ${key}`, { body, status, answer: reply });
    }
    if (fake.lose !== undefined && `${method} ${pathname}` === fake.lose) {
      fake.lose = undefined;
      // Stripe's client package retries by itself.
      response.writeHead(500, { 'stripe-should-retry': 'false' }).end('{"error":{}}');
      return;
    }
    response.writeHead(status, { 'content-type': 'application/json', 'request-id': id('req') });
    response.end(JSON.stringify(reply));
  };
  const server = createServer((request, response) => {
    if (fake.isAway) response.destroy();
    else serve(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const fake: FakeStripe = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ asked: [], sessions, refunds, transfers, intents, hook: undefined, lose: undefined },
    ...{ nowMs: () => Date.now(), refundStatus: 'succeeded', balance: { usd: 10_000_000 } },
    ...{ isAway: false, isSpent: false },
    forgetKeys: () => kept.clear(),
    async pay(session, status = 'succeeded') {
      const { amount_total: amount, currency, payment_intent_data: data } = session;
      session.payment_intent ??= intentOf(amount, currency, data.metadata).id;
      const intent = intents.find((each) => each.id === session.payment_intent);
      Object.assign(intent, { status });
      if (data.setup_future_usage === 'off_session') {
        Object.assign(intent, { customer: 'cus_1', payment_method: 'pm_1' });
      }
      if (status === 'succeeded') {
        intent.amount_received = amount;
        Object.assign(session, { status: 'complete', payment_status: 'paid', url: null });
      }
      await fake.tell(`payment_intent.${status}`, intent);
      return intent;
    },
    async tell(type, object, part = {}) {
      const event = {
        ...{ id: id('evt'), object: 'event', type, created: now(), livemode: false },
        ...{ data: { object: structuredClone(object) }, ...part },
      };
      events.push(event);
      if (fake.hook === undefined) return undefined;
      const body = JSON.stringify(event);
      const headers = { 'stripe-signature': fake.signed(body) };
      return fetch(fake.hook, { method: 'POST', body, headers });
    },
    signed(body, secret = STRIPE_SECRET, atMs = fake.nowMs()) {
      const at = Math.floor(atMs / 1_000);
      return `t=${at},v1=${createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')}`;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return fake;
}

class StripeRefusal extends Error {
  readonly status: number;
  /** The body of the answer. */
  readonly said: object;

  constructor(status: number, said: { type: string; message: string; code?: string | undefined }) {
    super(said.message);
    this.status = status;
    this.said = said;
  }
}

function refusal(status: number, type: string, message: string, code?: string): StripeRefusal {
  return new StripeRefusal(status, { type, message, ...(code === undefined ? {} : { code }) });
}

function missing(what: string): never {
  throw refusal(404, 'invalid_request_error', `No such ${what}`);
}

function within(all: readonly any[], { created = {} }: any): any[] {
  const { gte = 0, lte = Number.MAX_SAFE_INTEGER } = created;
  return all.filter((each) => each.created >= Number(gte) && each.created <= Number(lte));
}

/** A page of a list, newest first. */
function page(all: readonly any[], { limit = '10', starting_after: after }: any): object {
  const newest = all.toReversed();
  const from = after === undefined ? 0 : newest.findIndex(({ id }) => id === after) + 1;
  const data = newest.slice(from, from + Number(limit));
  return { object: 'list', data, has_more: from + data.length < newest.length };
}

/** Turns `a[b][0]=c` into objects and arrays. */
function nested(form: URLSearchParams): any {
  const whole: any = {};
  for (const [name, value] of form) {
    const path = name.replaceAll(']', '').split('[');
    let place = whole;
    for (const [at, part] of path.slice(0, -1).entries()) {
      place[part] ??= /^\d*$/.test(path[at + 1]!) ? [] : {};
      place = place[part];
    }
    const last = path.at(-1)!;
    if (last === '') place.push(value);
    else place[last] = value;
  }
  return whole;
}
