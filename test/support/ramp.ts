/**
 * A ramp in this process, on a free port, with its own folder or database, and a customer's
 * browser.
 */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { balances } from '../../src/core/ramp/books.ts';
import type { WidgetState } from '../../src/core/ramp/page-data.ts';
import { parseOptions } from '../../src/io/options/options.ts';
import { rampSettings } from '../../src/services/ramp/config.ts';
import { RAMP_ROWS } from '../../src/services/ramp/options.ts';
import { postingOf } from '../../src/services/ramp/orders/tallies.ts';
import { type RunningRamp, startRamp } from '../../src/services/ramp/start.ts';
import { until } from './conditions.ts';
import { type Answer, ask, postJson } from './staking.ts';

export const API_KEY = 'a-key-of-the-aggregator-for-tests';
export const OTHER_KEY = 'a-key-of-another-aggregator-for-tests';
export const PARTNER = 'https://aggregator.example/';
export const WALLET = `0x${'ab'.repeat(20)}`;
export const TOKEN = `0x${'11'.repeat(20)}`;
const hashed = (key: string) => createHash('sha256').update(key).digest('hex');

/** An offer with two countries, three currencies, a coin and a token. */
export function testOffer(): any {
  const limits = (min: string, max: string) => [
    { id: 'debit-credit-card', min, max },
    { id: 'sepa-bank-transfer', min, max },
  ];
  return {
    countries: [{ id: 'us', states: ['al', 'ca'] }, { id: 'de' }],
    payments: [
      { id: 'debit-credit-card', adapter: 'sandbox', name: 'Sandbox card' },
      { id: 'sepa-bank-transfer', adapter: 'sandbox', payMinutes: 60 },
    ],
    fiat: [
      {
        ...{ id: 'USD', paymentLimits: limits('10', '50000') },
        fees: [{ id: 'debit-credit-card', percent: '2', fixed: '0.30' }],
      },
      { id: 'JPY', paymentLimits: limits('1000', '900000') },
    ],
    crypto: [
      {
        ...{
          id: 'eth',
          address: `0x${'00'.repeat(20)}`,
          network: '1337',
          sellLimits: limits('.01', '5'),
        },
        unsupported: [{ feature: 'buy', region: 'us-ca' }],
      },
      {
        id: 'tok',
        address: TOKEN,
        network: '1337',
        decimals: 6,
        payoutLimits: limits('1', '10000'),
        sellLimits: limits('1', '10000'),
      },
    ],
    partners: [
      {
        ...{ id: PARTNER, apiKeyHashes: [hashed(API_KEY)], redirectUrls: ['https://example.org'] },
        ...{ feePercent: '0.5', hash: { algorithm: 'sha256' } },
      },
      { id: 'other', apiKeyHashes: [hashed(OTHER_KEY)], redirectUrls: ['https://other.example'] },
    ],
    pricing: {
      spreadPercent: '0.5',
      source: {
        prices: [
          { base: 'eth', quote: 'USD', price: '2500' },
          { base: 'eth', quote: 'JPY', price: '370000' },
          { base: 'tok', quote: 'USD', price: '1' },
          { base: 'tok', quote: 'JPY', price: '150' },
          { base: 'JPY', quote: 'USD', price: '0.0067' },
        ],
      },
    },
  };
}

export interface TestRamp {
  readonly running: RunningRamp;
  readonly url: string;
  readonly clock: { nowMs: () => number; offsetMs: number };
  readonly logged: string[];
  readonly folder: string;
  /** Changes the offer as an operator does, by editing its file. */
  change(edit: (offer: any) => void): void;
  /** Stops it and starts it again on the same store. */
  restart(meanwhile?: () => void): Promise<TestRamp>;
  close(): Promise<void>;
}

/** Resolves when all prices are there, or the ledger does not answer. */
export function hasPrices(url: string): Promise<unknown> {
  return until('the ramp has prices', async () => {
    const waiting: string[] = (await ask(`${url}/ready`)).body.waiting ?? [];
    const isAway = waiting.includes('proxy') || waiting.includes('node');
    return isAway || !(waiting.includes('gas price') || waiting.includes('prices'));
  });
}

/** `isHasty`: resolves when the ramp listens, not when it has prices. */
export async function startTestRamp(
  argv: readonly string[] = [],
  offer: any = testOffer(),
  folder = mkdtempSync(join(tmpdir(), 'quorate-ramp-')),
  clock: TestRamp['clock'] = { offsetMs: 0, nowMs: () => Date.now() + clock.offsetMs },
  isHasty = false,
): Promise<TestRamp> {
  const logged: string[] = [];
  const file = join(folder, 'ramp.json');
  writeFileSync(file, JSON.stringify(offer));
  const given = ['--datadir', folder, '--offer', file, '--http.port', '0', '--rate', '0'];
  const options = rampSettings(parseOptions(RAMP_ROWS, { argv: [...given, ...argv] }));
  const log = (...words: unknown[]) => logged.push(JSON.stringify(words, errorsToo));
  const running = await startRamp(options, { log, env: {}, clock, lookMs: 20 });
  if (!isHasty) await hasPrices(running.url);
  let edits = 0;
  return {
    ...{ running, url: running.url, clock, logged, folder },
    change(edit) {
      edit(offer);
      writeFileSync(file, JSON.stringify(offer));
      // Timestamps of file systems are coarse.
      utimesSync(file, new Date(), new Date(Date.now() + ++edits * 1000));
      running.refresh();
    },
    async restart(meanwhile = () => {}) {
      await running.close();
      meanwhile();
      return startTestRamp(argv, offer, folder, clock);
    },
    async close() {
      await running.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function errorsToo(_key: string, value: unknown): unknown {
  return value instanceof Error
    ? { name: value.name, message: value.message, stack: value.stack }
    : value;
}

export const BUY = {
  ...{ region: 'us-al', payment: 'debit-credit-card', crypto: 'tok', fiat: 'USD', amount: '100' },
  ...{
    walletAddress: WALLET,
    redirectUrl: 'https://example.org/back?x=1',
    partnerAccountId: PARTNER,
  },
};

export function at(
  url: string,
  path: string,
  query: Readonly<Record<string, string>> = {},
): string {
  return `${url}${path}?${new URLSearchParams(query)}`;
}

export interface OpenWidget {
  /** The response to the browser. */
  readonly page: Answer;
  /** The secret of the page, and its content. */
  readonly session: string;
  readonly state: WidgetState;
}

export async function openWidget(
  ramp: Pick<TestRamp, 'url'>,
  query: Readonly<Record<string, string>> = BUY,
  side = 'buy',
): Promise<OpenWidget> {
  const page = await ask(at(ramp.url, `/${side}`, query));
  const data = /id="page-data">([^<]+)</.exec(String(page.body))?.[1] ?? '{}';
  return { page, ...JSON.parse(data) };
}

/** Sends a request of the page: `quote`, `order`, `approve`, `cancel`. */
export function onWidget(
  ramp: Pick<TestRamp, 'url'>,
  { session }: Pick<OpenWidget, 'session'>,
  what: string,
  body: object = {},
): Promise<Answer> {
  return postJson(`${ramp.url}/widget/${what}`, body, { 'x-widget-session': session });
}

/** The page's present content. */
export async function shownBy(
  ramp: Pick<TestRamp, 'url'>,
  { session }: Pick<OpenWidget, 'session'>,
): Promise<WidgetState> {
  const headers = { 'x-widget-session': session };
  return (await ask(`${ramp.url}/widget/state`, { headers })).body.state;
}

/** The customer accepts the price shown on the page, and answers its questions. */
export function placeOrder(
  ramp: Pick<TestRamp, 'url'>,
  widget: OpenWidget,
  answers: Readonly<Record<string, string>>,
): Promise<Answer> {
  const { quotedAtMs } = widget.state.quote!;
  return onWidget(ramp, widget, 'order', { quotedAtMs, answers });
}

/** The id of an order, which the aggregator receives when the customer returns. */
export function idOf({ body }: Answer): string {
  return new URL(body.state.order.backUrl).searchParams.get('orderId')!;
}

/** Buys by card; resolves with the order's id. */
export async function buy(
  ramp: TestRamp,
  query: Readonly<Record<string, string>> = {},
  answers: Readonly<Record<string, string>> = { card: '4242 4242 4242 4242' },
): Promise<string> {
  const widget = await openWidget(ramp, { ...BUY, ...query });
  return idOf(await placeOrder(ramp, widget, answers));
}

/** An order that waits for its crypto, as the aggregator reads it. */
export async function sell(
  ramp: TestRamp,
  query: Readonly<Record<string, string>> = {},
  answers: Readonly<Record<string, string>> = { outcome: 'paid' },
): Promise<any> {
  const widget = await openWidget(ramp, { ...BUY, ...query }, 'sell');
  return orderOf(ramp, idOf(await placeOrder(ramp, widget, answers)), 'sell-orders');
}

export async function orderOf(ramp: TestRamp, id: string, side = 'orders'): Promise<any> {
  return (await ask(at(ramp.url, `/${side}/${id}`, { walletAddress: WALLET }))).body;
}

/** Waits until the order has this status. Resolves with it. */
export function orderReaches(
  ramp: TestRamp,
  id: string,
  code: string,
  side?: 'sell-orders',
): Promise<any> {
  return until(`order ${id} is ${code}`, async () => {
    const order = await orderOf(ramp, id, side);
    return order.statusCode === code ? order : undefined;
  });
}

/** Balances of the accounting books that are not zero, by account and asset. */
export async function booksOf(ramp: TestRamp): Promise<Readonly<Record<string, bigint>>> {
  const rows = await ramp.running.database.query('SELECT account, asset, units FROM posting');
  return Object.fromEntries([...balances(rows.map(postingOf))].filter(([, units]) => units !== 0n));
}
