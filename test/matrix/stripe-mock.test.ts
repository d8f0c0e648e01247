/**
 * Stripe's own mock of its API validates each request against Stripe's OpenAPI document: the
 * on-ramp's requests are well formed.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Database } from '../../src/io/database/database.ts';
import { openStripe, type StripeClient } from '../../src/io/stripe/stripe.ts';
import type { BuyOrder, SellOrder } from '../../src/services/ramp/orders/order-row.ts';
import type { PaymentReport } from '../../src/services/ramp/payment/adapter.ts';
import { StripePayments } from '../../src/services/ramp/payment/stripe/stripe-payments.ts';
import { until } from '../support/conditions.ts';

const MODULE = 'github.com/stripe/stripe-mock@v0.203.0';
const CACHE = resolve(import.meta.dirname, '../../.cache/stripe-mock');
const PATIENCE_MS = 300_000;

let mock: ChildProcess;
let stripe: StripeClient;
let reports: PaymentReport[];
let payments: StripePayments;

beforeAll(async () => {
  mkdirSync(CACHE, { recursive: true });
  const env = { ...process.env, GOBIN: CACHE, GOFLAGS: '-mod=mod' };
  await promisify(execFile)('go', ['install', MODULE], { env, cwd: CACHE });
  const port = await freePort();
  mock = spawn(`${CACHE}/stripe-mock`, ['-http-addr', `127.0.0.1:${port}`], { stdio: 'ignore' });
  const url = new URL(`http://127.0.0.1:${port}`);
  stripe = await openStripe({ secretKey: 'sk_test_0123456789', url });
  renameMethods(stripe);
  await until('the mock answers', async () => Boolean(await stripe.balance.retrieve()));
  reports = [];
  payments = new StripePayments({
    ...{ stripe, database: storeOf([]), clock: { nowMs: () => Date.now() }, log: () => {} },
    place: { url: 'https://ramp.example' },
  });
}, PATIENCE_MS);
afterAll(() => mock?.kill());

const terms = {
  ...{ fiat: { id: 'USD', decimals: 2 }, amountIn: 10_000n, amountOut: 9_000n },
  crypto: { id: 'eth', address: `0x${'00'.repeat(20)}`, network: '1', decimals: 18 },
};
const nowMs = Date.now();
const order = {
  ...{ id: '0f0e0d0c-0000-4000-8000-000000000001', payment: 'debit-credit-card', terms },
  ...{ createdAtMs: nowMs, state: { payByMs: nowMs + 3_600_000, payments: {} } },
  payoutTo: { account: 'acct_1032D82eZvKYlo2C' },
};
const bought = order as unknown as BuyOrder;
const sold = order as unknown as SellOrder;

/**
 * The mock's document is from an earlier version of the API, where this one parameter had another
 * name.
 */
function renameMethods({ checkout }: StripeClient): void {
  const { sessions } = checkout;
  const create = sessions.create.bind(sessions);
  sessions.create = ((params: any, options: any) => {
    const { allowed_payment_method_types: types, ...rest } = params;
    return create({ ...rest, payment_method_types: types } as never, options);
  }) as typeof sessions.create;
}

/** Answers every query with the same rows. */
function storeOf(rows: readonly object[]): Database {
  return { query: async () => rows } as unknown as Database;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}

it.each([
  ...['debit-credit-card', 'wallet-pay', 'sepa-bank-transfer', 'gbp-bank-transfer'],
  ...['ach-bank-transfer', 'pix', 'upi'],
])('a page for %s', async (payment) => {
  const begun = await payments.begin({ ...bought, payment });
  expect(['page', 'taken']).toContain(begun.kind);
});

it('a page that saves the card, refunds, transfers, events, and the check that Stripe is reachable', async () => {
  const again = new StripePayments({
    ...{ stripe, database: storeOf([{ order_id: order.id }]), log: () => {} },
    ...{ clock: { nowMs: () => Date.now() }, place: { url: 'https://ramp.example' } },
  });
  expect(['page', 'taken']).toContain((await again.begin(bought)).kind);
  const payout = { id: `${order.id}/payout-1`, recipient: 'pi_1', fiat: 'USD', units: 100n };
  expect((await payments.refund(payout, bought)).kind).toMatch(/done|pending/);
  expect((await payments.payOut(payout, sold)).kind).toMatch(/done|pending/);
  await stripe.transfers.create({
    ...{ amount: 100, currency: 'usd', destination: 'acct_1032D82eZvKYlo2C' },
    ...{ transfer_group: payout.id, metadata: { quoratePayout: payout.id } },
  });
  const made = await stripe.paymentIntents.create({
    ...{ amount: 100, currency: 'usd', customer: 'cus_1', payment_method: 'pm_1' },
    ...{ off_session: true, confirm: true, metadata: { quorateOrder: order.id } },
  });
  expect(made.object).toBe('payment_intent');
  expect(await payments.isUp()).toBe(true);
  payments.start(async (_id, report) => {
    reports.push(report);
  });
  await payments.stop();
});

it('the mock refuses an unknown parameter, so the tests above can fail', async () => {
  const params = { amount: 100, currency: 'usd', destinations: 'x' } as never;
  await expect(stripe.transfers.create(params)).rejects.toThrow(/destination/);
});
