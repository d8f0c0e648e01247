/**
 * Recurring orders, the lifetime of aggregators' ids, and payouts that are sent again at a higher
 * price.
 */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { until } from '../../../test/support/conditions.ts';
import { seeds } from '../../../test/support/effort.ts';
import { type FakeLedger, startFakeLedger } from '../../../test/support/fake-ledger.ts';
import {
  at,
  BUY,
  buy,
  idOf,
  onWidget,
  openWidget,
  orderOf,
  placeOrder,
  startTestRamp,
  type TestRamp,
  testOffer,
  WALLET,
} from '../../../test/support/ramp.ts';
import { ask } from '../../../test/support/staking.ts';
import { stopRecurrence } from './orders/recurrence-row.ts';

const DAY_MS = 24 * 60 * 60_000;
let ledger: FakeLedger;
let ramp: TestRamp;

beforeEach(async () => {
  ledger = await startFakeLedger();
  const offer = testOffer();
  // Without the ledger's coin there is no network fee, and so no gas price that becomes stale when
  // the clock jumps.
  offer.crypto.shift();
  offer.partners[0].customIdMinutes = 5;
  ramp = await startTestRamp(['--ledger.url', ledger.url, '--ledger.from', ledger.account], offer);
  ramp.clock.offsetMs = Date.parse('2026-01-31T12:00:00Z') - Date.now();
});
afterEach(async () => {
  await ramp?.close();
  await ledger?.close();
});

const is = (id: string, status: string) =>
  until(`${id} is ${status}`, async () => (await orderOf(ramp, id)).status === status);
const goTo = (time: string) => {
  ramp.clock.offsetMs += Date.parse(time) - ramp.clock.nowMs();
};
const runs = async (id: string): Promise<any[]> => {
  const range = { start: '2020-01-01', end: '2090-01-01', skip: '0', limit: '10' };
  return (await ask(at(ramp.url, `/orders/${id}/recurring`, { walletAddress: WALLET, ...range })))
    .body;
};
const completed = (id: string, count: number) =>
  until(`${count} runs`, async () => {
    const found = await runs(id);
    return found.length === count && found.every(({ status }) => status === 'COMPLETED') && found;
  });

it('comes again on the last day of a short month, once for what was missed, until it is stopped', async () => {
  const id = await buy(ramp, { recurringFrequency: 'monthly' });
  await is(id, 'COMPLETED');
  goTo('2026-02-28T11:59:00Z');
  await until('nobody is early', async () => (await runs(id)).length === 0);
  goTo('2026-02-28T12:01:00Z');
  const [first] = await completed(id, 1);
  expect(first.createdAt.slice(0, 10)).toBe('2026-02-28');
  expect([first.fiatAmountIn, first.region]).toEqual(['100.00', 'US-AL']);
  ramp = await ramp.restart(() => goTo('2026-07-02T00:00:00Z'));
  await completed(id, 2);
  goTo('2026-07-31T12:01:00Z');
  await completed(id, 3);
  expect(await stopRecurrence(ramp.running.database.query, id)).toBe(true);
  goTo('2026-09-30T00:00:00Z');
  const later = await buy(ramp);
  await is(later, 'COMPLETED');
  expect(await runs(id)).toHaveLength(3);
  expect(ledger.mined.size).toBe(5);
});

it('is ended by its customer on the page of the order, however late, and by nobody else', async () => {
  const weekly = await openWidget(ramp, { ...BUY, recurringFrequency: 'weekly' });
  const placed = await placeOrder(ramp, weekly, { card: '4242424242424242' });
  const id = idOf(placed);
  expect(placed.body.state.order.recurs).toBe(true);
  await is(id, 'COMPLETED');
  ramp.clock.offsetMs += 8 * DAY_MS;
  await completed(id, 1);
  const stranger = await openWidget(ramp);
  expect((await onWidget(ramp, stranger, 'stop')).status).toBe(409);
  // Opening a page deletes old sessions, but not that of the recurring order.
  const ended = await onWidget(ramp, weekly, 'stop');
  expect([ended.status, ended.body.state.order.recurs]).toEqual([200, undefined]);
  const again = await onWidget(ramp, weekly, 'stop');
  expect([again.status, again.body.code]).toEqual([409, 'not_now']);
  ramp.clock.offsetMs += 8 * DAY_MS;
  await is(await buy(ramp), 'COMPLETED');
  expect(await runs(id)).toHaveLength(1);
});

it('does not come again when the first one failed, or by a method that only the customer can pay with', async () => {
  const refused = await openWidget(ramp, {
    ...{ ...BUY, payment: 'sepa-bank-transfer', recurringFrequency: 'weekly' },
  });
  expect(refused.page.body.code).toBe('recurring_disabled');
  const weekly = await openWidget(ramp, { ...BUY, recurringFrequency: 'weekly' });
  // Customers agree only to what the page shows.
  expect(weekly.state.frequency).toBe('weekly');
  await placeOrder(ramp, weekly, { card: '4000000000000002' });
  ramp.clock.offsetMs += 8 * DAY_MS;
  await until('it is over', async () => {
    const rows = await ramp.running.database.query(
      "SELECT * FROM recurrence WHERE state = 'ended'",
    );
    return rows.length === 1;
  });
});

it('each run has the price and the limits of its time', async () => {
  const id = await buy(ramp, { recurringFrequency: 'weekly' });
  await is(id, 'COMPLETED');
  ramp.change(({ fiat, pricing }) => {
    fiat[0].paymentLimits[0].max = '99';
    pricing.source.prices.find(({ base, quote }: any) => base === 'tok' && quote === 'USD').price =
      '2';
  });
  ramp.clock.offsetMs += 8 * DAY_MS;
  await until('it cannot be made', () =>
    ramp.logged.some((line) => line.includes('A recurring order cannot be made now')),
  );
  expect(await runs(id)).toEqual([]);
  ramp.change(({ fiat }) => {
    fiat[0].paymentLimits[0].max = '50000';
  });
  ramp.clock.offsetMs += DAY_MS;
  const [run] = await completed(id, 1);
  expect(run.cryptoAmountOut).toBe('48.358208');
});

it('a custom id makes one order in seven days, and none after its time', async () => {
  const orderCustomId = 'Z'.repeat(64);
  const opened = await openWidget(ramp, { ...BUY, orderCustomId });
  ramp.clock.offsetMs += 6 * 60_000;
  const late = await placeOrder(ramp, opened, { card: '4242424242424242' });
  expect(late.status).toBe(409);
  const declining = await openWidget(ramp, { ...BUY, orderCustomId });
  await placeOrder(ramp, declining, { card: '4000000000000002' });
  await is(orderCustomId, 'FAILED');
  const { id: first } = await orderOf(ramp, orderCustomId);
  ramp.clock.offsetMs += 7 * DAY_MS - 60_000;
  const soon = await openWidget(ramp, { ...BUY, orderCustomId });
  expect([soon.page.status, soon.page.body.code]).toEqual([409, 'custom_id_used']);
  ramp.clock.offsetMs += 2 * 60_000;
  const second = await buy(ramp, { orderCustomId });
  expect(second).not.toBe(first);
  expect((await orderOf(ramp, orderCustomId)).id).toBe(second);
});

it.each(seeds(['dearer one', 'first one']))(
  'a payout that waits is sent for more, and the %s counts once',
  async (which) => {
    ledger.gasPrice = 100n;
    ledger.gasPriceMin = 1_000n;
    const id = await buy(ramp);
    const [first] = await until(
      'it waits',
      () => ledger.waiting.size === 1 && [...ledger.waiting.keys()],
    );
    ledger.gasPrice = 109n;
    ramp.clock.offsetMs += 6_000;
    const sends = () => ledger.seen.filter((method) => method === 'eth_sendRawTransaction').length;
    await until('it was sent again', () => sends() >= 2);
    expect(ledger.waiting.size).toBe(1);
    ledger.gasPrice = 200n;
    if (which === 'dearer one') ledger.gasPriceMin = 150n;
    const seen = ledger.seen.length;
    await until('it was signed for more', () => {
      ramp.clock.offsetMs += 1_000;
      return ledger.seen.slice(seen).includes('eth_signTransaction');
    });
    if (which === 'first one') {
      await until('both wait', () => ledger.waiting.size === 2);
      ledger.take(first!);
    }
    await is(id, 'COMPLETED');
    const [hash] = ledger.mined.keys();
    expect([ledger.mined.size, hash === first]).toEqual([1, which === 'first one']);
    expect((await orderOf(ramp, id)).transactionHash).toBe(hash);
  },
);
