/** What may and may not change between a price and its payout, and who can see an order. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { until } from '../../../test/support/conditions.ts';
import { type FakeLedger, startFakeLedger } from '../../../test/support/fake-ledger.ts';
import {
  API_KEY,
  at,
  BUY,
  buy,
  openWidget,
  orderOf,
  placeOrder,
  startTestRamp,
  type TestRamp,
  testOffer,
  WALLET,
} from '../../../test/support/ramp.ts';
import { ask } from '../../../test/support/staking.ts';

const CARD = { card: '4242424242424242' };
let ledger: FakeLedger;
let ramp: TestRamp;

beforeEach(async () => {
  ledger = await startFakeLedger();
  ramp = await startTestRamp(['--ledger.url', ledger.url, '--ledger.from', ledger.account]);
});
afterEach(async () => {
  await ramp?.close();
  await ledger?.close();
});

const is = (id: string, code: string) =>
  until(`${id} is ${code}`, async () => (await orderOf(ramp, id)).statusCode === code);
const transfer = async (query: object = {}) =>
  openWidget(ramp, { ...BUY, payment: 'sepa-bank-transfer', ...query });
const codeOf = async (widget: Awaited<ReturnType<typeof openWidget>>, answers = CARD) => {
  const { status, body } = await placeOrder(ramp, widget, answers);
  return [status, body.code];
};

it('keeps rate, amounts and value in USD of an order, whatever prices do', async () => {
  const id = await buy(ramp, { fiat: 'JPY', amount: '10000' });
  await is(id, 'PROVIDER-COMPLETED-ORDER');
  const before = await orderOf(ramp, id);
  expect(before.fiatAmountInUsd).toBe('67.00');
  ramp.change(({ pricing }) => {
    for (const each of pricing.source.prices) each.price = '9';
  });
  expect(await orderOf(ramp, id)).toEqual(before);
});

it('looks at limits again when an order is made, and when its money comes', async () => {
  const [opened, other] = [await openWidget(ramp), await openWidget(ramp)];
  const slow = await buy(ramp, {}, { card: '4000 0000 0000 3220' });
  ramp.change(({ fiat }) => {
    fiat[0].paymentLimits[0].max = '99';
  });
  expect(await codeOf(opened)).toEqual([400, 'limit_max']);
  const { running } = ramp;
  const order = await running.orders.find(slow);
  const paid = { kind: 'settled', paymentId: 'p', fiat: 'USD', units: 10_000n } as const;
  await running.orders.take(slow, async () => ({ ...paid, verdict: 'limit' }));
  await is(slow, 'PROVIDER-FAILED-LIMIT');
  expect(order?.terms.amountIn).toBe(10_000n);
  ramp.change(({ fiat }) => {
    fiat[0].paymentLimits[0].max = '50000';
  });
  expect((await codeOf(other))[0]).toBe(200);
});

it('serves no denied wallet: not the page, not the order, not the payout', async () => {
  const opened = await openWidget(ramp);
  const waiting = await buy(ramp, {}, { card: '4000 0000 0000 3220' });
  const widget = await openWidget(ramp);
  const asked = await placeOrder(ramp, widget, { card: '4000 0000 0000 3220' });
  expect(asked.body.next).toEqual({ kind: 'approval' });
  ramp.change((offer) => {
    offer.deniedWallets = [WALLET];
  });
  expect((await openWidget(ramp)).page.body.code).toBe('wallet_refused');
  expect(await codeOf(opened)).toEqual([409, 'offer_over']);
  await ramp.running.operator.act(waiting, 'cancel', 'somebody');
  const headers = { 'x-widget-session': widget.session, 'content-type': 'application/json' };
  const body = JSON.stringify({ isApproved: true });
  await ask(`${ramp.url}/widget/approve`, { method: 'POST', headers, body });
  const id = asked.body.state.order.id;
  await is(id, 'PROVIDER-PENDING-REVIEW');
  expect(ledger.mined.size).toBe(0);
});

it('never pays out to its own account, nor to an address of another kind of ledger', async () => {
  const wallets = [ledger.account, 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq'];
  for (const walletAddress of wallets) {
    const { page } = await openWidget(ramp, { ...BUY, walletAddress });
    expect([page.status, page.body.code]).toEqual([400, 'wallet_invalid']);
  }
});

it('finds an order by both of its ids, whose case counts, and names its customer by a pseudonym', async () => {
  const lower = 'a'.repeat(64);
  const upper = 'A'.repeat(64);
  const [one, other] = [
    await buy(ramp, { orderCustomId: lower }),
    await buy(ramp, { orderCustomId: upper }),
  ];
  expect(one).not.toBe(other);
  const found = await orderOf(ramp, lower);
  expect(found).toEqual(await orderOf(ramp, one));
  expect([found.id, found.customId]).toEqual([one, lower]);
  expect((await orderOf(ramp, upper)).id).toBe(other);
  expect(found.userId).toMatch(/^[0-9a-f-]{36}$/);
  expect(found.userId).toBe((await orderOf(ramp, upper)).userId);
});

it('sends the same bytes again when the block of a payout is replaced', async () => {
  ledger.head = 7;
  const id = await buy(ramp);
  await is(id, 'PROVIDER-PENDING-CONFIRMATION');
  const { transactionHash: hash } = await orderOf(ramp, id);
  await until('it is in a block', async () => {
    const rows = await ramp.running.database.query("SELECT id FROM payout WHERE state = 'mined'");
    return rows.length === 1;
  });
  ledger.forget(hash);
  ledger.head = 8;
  await until('it is there again', () => {
    ramp.clock.offsetMs += 1_000;
    return ledger.mined.has(hash);
  });
  await is(id, 'PROVIDER-COMPLETED-ORDER');
  expect([...ledger.mined.keys()]).toEqual([hash]);
  expect((await orderOf(ramp, id)).transactionHash).toBe(hash);
});

it('shows orders while nothing can be paid out, and only its own', async () => {
  const id = await buy(ramp);
  await is(id, 'PROVIDER-COMPLETED-ORDER');
  ledger.fault = () => 'lost';
  expect((await orderOf(ramp, id)).id).toBe(id);
  const widget = await transfer();
  expect([200, 503]).toContain(widget.page.status);
  // A second service, as a sandbox, has other keys and other orders.
  const offer = testOffer();
  offer.partners[0].apiKeyHashes = ['00'.repeat(32)];
  const sandbox = await startTestRamp([], offer);
  const all = { start: '2020-01-01', end: '2090-01-01', skip: '0', limit: '10' };
  const list = await ask(at(sandbox.url, '/orders', all), { headers: { 'x-api-key': API_KEY } });
  expect(list.status).toBe(401);
  const there = await ask(at(sandbox.url, `/orders/${id}`, { walletAddress: WALLET }));
  expect(there.status).toBe(404);
  await sandbox.close();
});

it('lets one process have a folder', async () => {
  await expect(startTestRamp([], testOffer(), ramp.folder)).rejects.toMatchObject({
    code: expect.stringMatching(/^STORAGE_/),
  });
});
