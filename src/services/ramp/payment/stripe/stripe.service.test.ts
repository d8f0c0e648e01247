/**
 * Payments by Stripe: its own package, with an API that answers as Stripe's does, and the events of
 * real payments.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { until } from '../../../../../test/support/conditions.ts';
import { type FakeLedger, startFakeLedger } from '../../../../../test/support/fake-ledger.ts';
import {
  CARD_THAT_FAILS,
  type FakeStripe,
  STRIPE_SECRET,
  startFakeStripe,
} from '../../../../../test/support/fake-stripe.ts';
import {
  BUY,
  openWidget,
  orderOf,
  placeOrder,
  sell,
  startTestRamp,
  type TestRamp,
  TOKEN,
  testOffer,
  WALLET,
} from '../../../../../test/support/ramp.ts';
import { scratchFolder } from '../../../../../test/support/scratch.ts';
import { ask } from '../../../../../test/support/staking.ts';
import { openStripe } from '../../../../io/stripe/stripe.ts';

const folder = scratchFolder('quorate-stripe-');
const keyFile = join(folder, 'key');
const secretFile = join(folder, 'secrets');
const DAY_MS = 24 * 60 * 60_000;

let ledger: FakeLedger;
let stripe: FakeStripe;
let ramp: TestRamp;

beforeEach(async () => {
  writeFileSync(keyFile, 'sk_test_0123456789\n');
  writeFileSync(secretFile, `whsec_of_the_past\n${STRIPE_SECRET}\n`);
  ledger = await startFakeLedger();
  stripe = await startFakeStripe();
  const offer = testOffer();
  for (const payment of offer.payments) payment.adapter = 'stripe';
  offer.payments[1].payMinutes = 7 * 24 * 60;
  ramp = await startTestRamp(
    [
      ...['--ledger.url', ledger.url, '--ledger.from', ledger.account],
      ...['--sell.collector', 'deploy', '--public-url', 'https://ramp.example'],
      ...['--stripe.key-file', keyFile, '--stripe.webhook-secret-file', secretFile],
      ...['--stripe.url', stripe.url],
    ],
    offer,
  );
  stripe.nowMs = () => ramp.clock.nowMs();
  ledger.nowMs = () => ramp.clock.nowMs();
  stripe.hook = `${ramp.url}/webhooks/stripe`;
});
afterEach(async () => {
  await ramp?.close();
  await stripe?.close();
  await ledger?.close();
});

const reaches = (id: string, code: string, side = 'orders') =>
  until(`order ${id} is ${code}`, async () => {
    ramp.clock.offsetMs += 1_000;
    const order = await orderOf(ramp, id, side);
    return order.statusCode === code ? order : undefined;
  });
/** The customer is at Stripe's page. */
async function atPage(query = {}) {
  const widget = await openWidget(ramp, { ...BUY, ...query });
  expect(widget.state.questions).toEqual([]);
  const placed = await placeOrder(ramp, widget, {});
  expect(placed.body.next).toMatchObject({ kind: 'page' });
  const session = stripe.sessions.find(({ url }) => url === placed.body.next.url);
  return { widget, placed, session, id: session.client_reference_id as string };
}
const post = (body: string, signature: string) =>
  fetch(stripe.hook!, { method: 'POST', body, headers: { 'stripe-signature': signature } });

it('a customer pays at its page, comes back to the partner, and gets the crypto once', async () => {
  const { session, id } = await atPage();
  expect(session).toMatchObject({
    ...{ mode: 'payment', amount_total: 10_000, currency: 'usd', client_reference_id: id },
    ...{ allowed_payment_method_types: ['card'], metadata: { quorateOrder: id } },
    success_url: `https://ramp.example/widget/back?order=${id}`,
  });
  expect(session.payment_intent_data).toEqual({ metadata: { quorateOrder: id } });
  await stripe.pay(session, 'requires_action');
  expect((await orderOf(ramp, id)).statusCode).toBe('PROVIDER-PENDING-AUTHORIZATION');
  const intent = await stripe.pay(session);
  await reaches(id, 'PROVIDER-COMPLETED-ORDER');
  // These events bring nothing new: the first is repeated, the second is outdated.
  await stripe.tell('payment_intent.succeeded', intent);
  await stripe.tell('payment_intent.processing', intent);
  expect(ledger.mined.size).toBe(2);
  const back = await fetch(`${ramp.url}/widget/back?order=${id}`, { redirect: 'manual' });
  expect([back.status, back.headers.get('location')]).toEqual([
    ...[303, `https://example.org/back?x=1&orderId=${id}`],
  ]);
  const lost = await fetch(`${ramp.url}/widget/back?order=${'0'.repeat(8)}`, {
    redirect: 'manual',
  });
  expect(lost.status).toBe(404);
  expect(ramp.logged.join('\n')).not.toContain('sk_test_');
});

it('takes nothing that Stripe has not signed, now, for this kind of key', async () => {
  const { session, id } = await atPage();
  stripe.hook = undefined;
  const intent = await stripe.pay(session);
  const event = (part = {}) =>
    JSON.stringify({
      ...{ id: 'evt_1', object: 'event', type: 'payment_intent.succeeded', created: 1 },
      ...{ livemode: false, data: { object: intent }, ...part },
    });
  stripe.hook = `${ramp.url}/webhooks/stripe`;
  const body = event();
  const nowMs = ramp.clock.nowMs();
  for (const signature of [
    ...['', 't=1', `t=${Math.floor(nowMs / 1_000)},v1=${'0'.repeat(64)}`],
    ...[stripe.signed(body, 'whsec_of_another'), stripe.signed(`${body} `)],
    ...[stripe.signed(body, STRIPE_SECRET, nowMs - 301_000)],
  ]) {
    expect((await post(body, signature)).status).toBe(401);
  }
  const live = event({ livemode: true });
  expect((await post(live, stripe.signed(live))).status).toBe(400);
  expect((await orderOf(ramp, id)).statusCode).toBe('PROVIDER-PENDING-ORDER');
  expect((await post(body, stripe.signed(body, 'whsec_of_the_past'))).status).toBe(200);
  await reaches(id, 'PROVIDER-COMPLETED-ORDER');
});

it('hears of what no webhook brought, and of what happened while it was down', async () => {
  stripe.hook = undefined;
  const slow = { payment: 'sepa-bank-transfer' };
  const [first, second] = [await atPage(slow), await atPage({ ...slow, amount: '50' })];
  expect(first.session.allowed_payment_method_types).toEqual(['sepa_debit']);
  ramp = await ramp.restart(() => {
    ramp.clock.offsetMs += 60 * 60_000;
    void stripe.pay(first.session, 'processing');
    void stripe.pay(first.session);
    ramp.clock.offsetMs += 2 * DAY_MS;
    void stripe.tell('checkout.session.expired', second.session);
  });
  await reaches(first.id, 'PROVIDER-COMPLETED-ORDER');
  await reaches(second.id, 'PROVIDER-FAILED-PAYMENT');
}, 60_000);

it('one page makes one payment, whichever answers are lost', async () => {
  stripe.lose = 'POST /v1/checkout/sessions';
  const widget = await openWidget(ramp);
  const lost = await placeOrder(ramp, widget, {});
  expect([lost.status, lost.body.code]).toEqual([503, 'payment_away']);
  const again = await placeOrder(ramp, widget, {});
  expect(again.body.next.url).toBe(stripe.sessions[0].url);
  expect(stripe.sessions).toHaveLength(1);
});

it('gives back what comes too late, once, though the answer is lost', async () => {
  const { session, id } = await atPage();
  ramp.clock.offsetMs += 2 * 60 * 60_000;
  await reaches(id, 'PROVIDER-CANCELLED-EXPIRED');
  stripe.lose = 'POST /v1/refunds';
  stripe.refundStatus = 'pending';
  const intent = await stripe.pay(session);
  await until('it is asked for', () => stripe.refunds.length === 1);
  expect(stripe.refunds[0]).toMatchObject({ payment_intent: intent.id, amount: 10_000 });
  // A day later Stripe has forgotten the idempotency key: the refund is found by its id.
  ramp.clock.offsetMs += DAY_MS;
  Object.assign(stripe.refunds[0], { status: 'succeeded' });
  await until('it is done', async () => {
    ramp.clock.offsetMs += 10_000;
    const [row] = await ramp.running.database.query('SELECT state FROM payout');
    return row?.state === 'done';
  });
  expect(stripe.refunds).toHaveLength(1);
});

it('a dispute takes the money of an order before its payout, and is a loss afterwards', async () => {
  ledger.balance = 0n;
  const unsent = await atPage();
  const paid = await stripe.pay(unsent.session);
  const dispute = { object: 'dispute', status: 'needs_response', payment_intent: paid.id };
  await stripe.tell('charge.dispute.created', { ...dispute, status: 'warning_needs_response' });
  expect((await orderOf(ramp, unsent.id)).statusCode).toBe('PROVIDER-PENDING-PAYOUT');
  await stripe.tell('charge.dispute.created', dispute);
  await stripe.tell('charge.dispute.funds_withdrawn', dispute);
  await reaches(unsent.id, 'PROVIDER-FAILED-PAYMENT');
  ledger.balance = 10n ** 30n;
  const sent = await atPage();
  const other = await stripe.pay(sent.session);
  // This customer's payments are reviewed from now on.
  await reaches(sent.id, 'PROVIDER-PENDING-REVIEW');
  await ramp.running.operator.act(sent.id, 'release', 'somebody');
  await reaches(sent.id, 'PROVIDER-COMPLETED-ORDER');
  await stripe.tell('charge.dispute.created', { ...dispute, payment_intent: other.id });
  const [loss] = await ramp.running.database.query(
    "SELECT units FROM book_balance WHERE account = 'loss'",
  );
  expect(loss).toMatchObject({ units: '10000' });
  expect(stripe.refunds).toEqual([]);
});

it('sellers are paid by one transfer each, and an invalid account returns the crypto', async () => {
  const ready = () =>
    until('the ramp is ready', async () => (await ask(`${ramp.url}/ready`)).status === 200);
  await ready();
  const widget = await openWidget(ramp, BUY, 'sell');
  const wrong = await placeOrder(ramp, widget, { account: 'DE89370400440532013000' });
  expect([wrong.status, wrong.body.details[0].field]).toEqual([400, 'account']);
  stripe.balance.usd = 100;
  const order = await sell(ramp, {}, { account: 'acct_known123' });
  const send = (to: string) => {
    ledger.deposit({ from: WALLET, to, units: 100_000_000n, token: TOKEN });
    ledger.mine();
  };
  send(order.depositWallet);
  await until('somebody is told', () => ramp.logged.join('').includes('balance at Stripe'));
  expect(stripe.transfers).toEqual([]);
  stripe.balance.usd = 100_000;
  stripe.lose = 'POST /v1/transfers';
  await reaches(order.id, 'PROVIDER-COMPLETED-ORDER', 'sell-orders');
  expect(stripe.transfers).toHaveLength(1);
  expect(stripe.transfers[0]).toMatchObject({
    ...{ amount: 9_671, currency: 'usd', destination: 'acct_known123' },
  });
  await ready();
  // Another payout has used up the balance: this one waits as well, and no crypto goes back.
  stripe.isSpent = true;
  const waiting = await sell(ramp, {}, { account: 'acct_known123' });
  const asked = stripe.asked.length;
  send(waiting.depositWallet);
  await until('it was asked for', () => stripe.asked.slice(asked).includes('POST /v1/transfers'));
  stripe.isSpent = false;
  stripe.forgetKeys();
  await until('it is paid', async () => {
    ramp.clock.offsetMs += 2_000;
    return (await orderOf(ramp, waiting.id, 'sell-orders')).status === 'COMPLETED';
  });
  expect(stripe.transfers).toHaveLength(2);
  await ready();
  const refused = await sell(ramp, {}, { account: 'acct_unknown1' });
  send(refused.depositWallet);
  await reaches(refused.id, 'PROVIDER-FAILED-PAYOUT', 'sell-orders');
  expect(stripe.transfers).toHaveLength(2);
}, 60_000);

it('recurring orders charge the cards that they kept, once a run', async () => {
  const recurring = { recurringFrequency: 'weekly' };
  const [good, bad] = [await atPage(recurring), await atPage(recurring)];
  expect(good.session).toMatchObject({ customer_creation: 'always' });
  expect(good.session.payment_intent_data.setup_future_usage).toBe('off_session');
  await stripe.pay(good.session);
  const intent = await stripe.pay(bad.session);
  await reaches(good.id, 'PROVIDER-COMPLETED-ORDER');
  await reaches(bad.id, 'PROVIDER-COMPLETED-ORDER');
  const run = async (id: string) => {
    const text = 'SELECT code FROM ramp_order WHERE parent_id = $1';
    const rows = await ramp.running.database.query(text, [id]);
    expect(rows.length).toBeLessThan(2);
    return rows[0]?.code;
  };
  intent.payment_method = CARD_THAT_FAILS;
  stripe.lose = 'POST /v1/payment_intents';
  ramp.clock.offsetMs += 7 * DAY_MS;
  const comes = (id: string, code: string) =>
    until(`a run is ${code}`, async () => {
      ramp.clock.offsetMs += 1_000;
      return (await run(id)) === code;
    });
  await comes(good.id, 'PROVIDER-COMPLETED-ORDER');
  await comes(bad.id, 'PROVIDER-FAILED-PAYMENT');
  const charged = stripe.intents.filter(({ status }) => status === 'succeeded');
  expect(charged).toHaveLength(3);
}, 60_000);

it('says which package is missing, and what a key looks like', async () => {
  const load = async () => {
    throw Object.assign(new Error('Cannot find module'), { code: 'MODULE_NOT_FOUND' });
  };
  const address = { secretKey: 'sk_test_0123456789', url: new URL('https://stripe.example'), load };
  await expect(openStripe(address)).rejects.toMatchObject({
    code: 'PACKAGE_MISSING',
    message: expect.stringContaining('npm install stripe'),
  });
  writeFileSync(keyFile, 'pk_test_public');
  const starting = startTestRamp(['--stripe.key-file', keyFile]);
  await expect(starting).rejects.toThrow('--stripe.key-file must hold a secret key');
});
