/** A ramp in this process, on a free port, with a folder or a database of its own, and a customer's browser. */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseOptions } from '../../src/io/options/options.ts';
import { rampSettings } from '../../src/services/ramp/config.ts';
import { RAMP_ROWS } from '../../src/services/ramp/options.ts';
import { type RunningRamp, startRamp } from '../../src/services/ramp/start.ts';
import { ask } from './staking.ts';

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
  /** Changes the offer as an operator does, by its file. */
  change(edit: (offer: any) => void): void;
  /** Ends it and starts it again on the same store. */
  restart(meanwhile?: () => void): Promise<TestRamp>;
  close(): Promise<void>;
}

export async function startTestRamp(
  argv: readonly string[] = [],
  offer: any = testOffer(),
  folder = mkdtempSync(join(tmpdir(), 'quorate-ramp-')),
  clock: TestRamp['clock'] = { offsetMs: 0, nowMs: () => Date.now() + clock.offsetMs },
): Promise<TestRamp> {
  const logged: string[] = [];
  const file = join(folder, 'ramp.json');
  writeFileSync(file, JSON.stringify(offer));
  const given = ['--datadir', folder, '--offer', file, '--http.port', '0', '--rate', '0'];
  const options = rampSettings(parseOptions(RAMP_ROWS, { argv: [...given, ...argv] }));
  const log = (...words: unknown[]) => logged.push(JSON.stringify(words, errorsToo));
  const running = await startRamp(options, { log, env: {}, clock, lookMs: 20 });
  let edits = 0;
  return {
    ...{ running, url: running.url, clock, logged, folder },
    change(edit) {
      edit(offer);
      writeFileSync(file, JSON.stringify(offer));
      // Clocks of file systems are coarse.
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

/** What a customer sees: the page's text, and its form's hidden secret. */
export async function openWidget(
  ramp: Pick<TestRamp, 'url'>,
  query: Readonly<Record<string, string>> = BUY,
  side = 'buy',
) {
  const page = await ask(at(ramp.url, `/${side}`, query));
  const session = /name="session" value="([^"]+)"/.exec(String(page.body))?.[1];
  return { page, session: session! };
}

/** Sends a form of the widget, and does not follow where it leads. */
export function submit(
  ramp: Pick<TestRamp, 'url'>,
  path: string,
  form: Readonly<Record<string, string>>,
) {
  return ask(`${ramp.url}${path}`, {
    ...{ method: 'POST', body: new URLSearchParams(form), redirect: 'manual' },
  });
}

/** Buys by card; resolves with the order's id, as the aggregator gets it. */
export async function buy(
  ramp: TestRamp,
  query: Readonly<Record<string, string>> = {},
  answers: Readonly<Record<string, string>> = { card: '4242 4242 4242 4242' },
): Promise<string> {
  const { session } = await openWidget(ramp, { ...BUY, ...query });
  const { headers } = await submit(ramp, '/widget/pay', { session, ...answers });
  return new URL(headers.get('location')!).searchParams.get('orderId')!;
}

/** An order that waits for its crypto, as the aggregator reads it. */
export async function sell(
  ramp: TestRamp,
  query: Readonly<Record<string, string>> = {},
  answers: Readonly<Record<string, string>> = { outcome: 'paid' },
): Promise<any> {
  const { session } = await openWidget(ramp, { ...BUY, ...query }, 'sell');
  const { headers } = await submit(ramp, '/widget/sell', { session, ...answers });
  const id = new URL(headers.get('location')!).searchParams.get('orderId')!;
  return orderOf(ramp, id, 'sell-orders');
}

export async function orderOf(ramp: TestRamp, id: string, side = 'orders'): Promise<any> {
  return (await ask(at(ramp.url, `/${side}/${id}`, { walletAddress: WALLET }))).body;
}
