/** Reconciles orders of every kind, and names each deliberate discrepancy, of one unit. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { until } from '../../../test/support/conditions.ts';
import { type FakeLedger, startFakeLedger } from '../../../test/support/fake-ledger.ts';
import { type FakeStripe, startFakeStripe } from '../../../test/support/fake-stripe.ts';
import {
  BUY,
  buy,
  openWidget,
  orderOf,
  placeOrder,
  sell,
  startTestRamp,
  type TestRamp,
  TOKEN,
  testOffer,
  WALLET,
} from '../../../test/support/ramp.ts';
import { scratchFolder } from '../../../test/support/scratch.ts';
import { ask } from '../../../test/support/staking.ts';
import { parseFor } from '../command.ts';
import { rampReconcileCommand } from './reconcile.ts';

const folder = scratchFolder('quorate-reconcile-');
let ledger: FakeLedger;
let stripe: FakeStripe;
let ramp: TestRamp;

beforeEach(async () => {
  ledger = await startFakeLedger();
  stripe = await startFakeStripe();
  ledger.idleMs = () => Date.now();
  const offer = testOffer();
  offer.payments[1].adapter = 'stripe';
  ramp = await startTestRamp(
    [...ledgerFlags(), '--sell.collector', 'deploy', ...stripeFlags()],
    offer,
  );
});
afterEach(async () => {
  vi.restoreAllMocks();
  await ramp?.close();
  await stripe?.close();
  await ledger?.close();
});

const ledgerFlags = () => ['--ledger.url', ledger.url, '--ledger.from', ledger.account];
function stripeFlags(): string[] {
  const file = join(folder, 'key');
  writeFileSync(file, 'sk_test_0123456789');
  return ['--stripe.key-file', file, '--stripe.url', stripe.url];
}

async function reconcile(
  ...flags: string[]
): Promise<{ status: number; found: any; codes: string[] }> {
  const lines: string[] = [];
  vi.spyOn(console, 'log').mockImplementation((line) => void lines.push(String(line)));
  const argv = ['--datadir', ramp.folder, ...ledgerFlags(), ...stripeFlags(), '--json', ...flags];
  const status = await rampReconcileCommand.run(parseFor(rampReconcileCommand, argv));
  const found = JSON.parse(lines.join(''));
  const all: any[] = Object.values(found).flatMap(({ differences }: any) => differences);
  return { status: status!, found, codes: all.map(({ code }) => code).sort() };
}
const completed = (id: string, side = 'orders') =>
  until(`${id} is completed`, async () => (await orderOf(ramp, id, side)).status === 'COMPLETED');
const change = (text: string) => ramp.running.database.query(text);

it('finds no difference in what went well, and names each that there is', async () => {
  await until('the ramp is ready', async () => (await ask(`${ramp.url}/ready`)).status === 200);
  const bought = await buy(ramp);
  await completed(bought);
  const order = await sell(ramp);
  ledger.deposit({ from: WALLET, to: order.depositWallet, units: 100_000_000n, token: TOKEN });
  ledger.mine();
  await completed(order.id, 'sell-orders');
  const widget = await openWidget(ramp, { ...BUY, payment: 'sepa-bank-transfer' });
  await placeOrder(ramp, widget, {});
  const [session] = stripe.sessions as any[];
  await stripe.pay(session);
  ramp = await ramp.restart();
  await completed(session.client_reference_id);
  await until('all is collected', async () => {
    const rows = await change("SELECT id FROM payout WHERE state NOT IN ('done')");
    return rows.length === 0;
  });
  const first = await reconcile();
  expect(first).toMatchObject({ status: 0, codes: [] });
  expect(first.found.ledger.counts).toMatchObject({ payouts: 2, deposits: 1 });
  expect(first.found.stripe.counts).toEqual({ books: 1, statement: 1 });
  expect(first.found.sandbox.counts.books).toBe(1);

  // Discrepancies of one unit: on the account, in the books, and at the provider.
  ledger.balance += 1n;
  expect((await reconcile()).codes).toEqual(['balance_unexplained']);
  expect((await reconcile('--accept')).codes).toEqual(['balance_unexplained']);
  expect((await reconcile()).codes).toEqual([]);
  const [{ id, units }] = (await change(
    "SELECT id, units FROM payout WHERE kind = 'crypto' ORDER BY created_at LIMIT 1",
  )) as any[];
  await change(`UPDATE payout SET units = '${BigInt(units) + 1n}' WHERE id = '${id}'`);
  expect((await reconcile()).codes).toEqual(['payout_not_on_ledger']);
  await change(`UPDATE payout SET units = '${units}' WHERE id = '${id}'`);
  const [bank] = (await change(
    "SELECT units FROM book_balance WHERE account = 'bank' AND asset = 'USD'",
  )) as any[];
  await change(
    `UPDATE book_balance SET units = '${BigInt(bank.units) + 1n}' WHERE account = 'bank' AND asset = 'USD'`,
  );
  expect((await reconcile()).codes).toEqual(['balance_differs']);
  await change(
    `UPDATE book_balance SET units = '${bank.units}' WHERE account = 'bank' AND asset = 'USD'`,
  );
  const intent = stripe.intents[0];
  intent.amount_received += 1;
  expect((await reconcile()).codes).toEqual(['amount_differs']);
  intent.amount_received -= 1;
  const other = { ...intent, id: 'pi_unseen' };
  (stripe.intents as any[]).push(other);
  expect((await reconcile()).codes).toEqual(['not_in_books']);
  (stripe.intents as any[]).pop();
  const deposit = "UPDATE deposit SET units = '99999999'";
  await change(deposit);
  expect((await reconcile()).codes).toEqual(['deposit_not_on_ledger']);
  await change("UPDATE deposit SET units = '100000000'");
  ledger.spendNonce();
  const last = await reconcile();
  expect(last).toMatchObject({ status: 1, codes: ['foreign_transactions'] });
}, 120_000);

it('says what is wrong with its options', async () => {
  const run = (...argv: string[]) =>
    rampReconcileCommand.run(parseFor(rampReconcileCommand, argv)) as Promise<number>;
  await expect(run('--datadir', join(ramp.folder, 'nobody'))).rejects.toMatchObject({
    code: 'STORAGE_MISSING',
  });
  await expect(run('--datadir', ramp.folder, '--since', '2026-02-30')).rejects.toThrow('--since');
});
