/** The operator's interface: lists, searches, actions, switches, money, and metrics. */
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { until } from '../../../../test/support/conditions.ts';
import { type FakeLedger, startFakeLedger } from '../../../../test/support/fake-ledger.ts';
import {
  at,
  BUY,
  buy,
  openWidget,
  orderOf,
  startTestRamp,
  type TestRamp,
  TOKEN,
  testOffer,
  WALLET,
} from '../../../../test/support/ramp.ts';
import { ask } from '../../../../test/support/staking.ts';

const SECRET = 'a-token-of-an-operator-for-these-tests';
const tokenFile = join(tmpdir(), `quorate-operator-${process.pid}`);
let ledger: FakeLedger;
let ramp: TestRamp;

beforeEach(async () => {
  ledger = await startFakeLedger();
  writeFileSync(tokenFile, `${SECRET}\n`);
  const offer = { ...testOffer(), reviewAbove: { tok: '500' } };
  const argv = ['--ledger.url', ledger.url, '--ledger.from', ledger.account];
  ramp = await startTestRamp(
    [...argv, '--operator.token-file', tokenFile, '--metrics.port', '0'],
    offer,
  );
});
afterEach(async () => {
  await ramp?.close();
  await ledger?.close();
});

const operate = (path: string, init: RequestInit = {}, token = SECRET) =>
  ask(`${ramp.url}/operator/${path}`, { ...init, headers: { authorization: `Bearer ${token}` } });
const act = (id: string, action: string, body?: object) =>
  operate(`orders/${id}/${action}`, { method: 'POST', body: JSON.stringify(body ?? {}) });
const is = (id: string, code: string) =>
  until(`${id} is ${code}`, async () => (await orderOf(ramp, id)).statusCode === code);

it('a paid order above the bound waits for the operator, who releases or refunds it', async () => {
  const [good, bad] = [await buy(ramp, { amount: '600' }), await buy(ramp, { amount: '700' })];
  for (const id of [good, bad]) await is(id, 'PROVIDER-PENDING-REVIEW');
  const list = await operate('orders?status=PENDING&side=buy&limit=1');
  expect(list.body.orders.map(({ id }: any) => id)).toEqual([bad]);
  const rest = await operate(`orders?status=PENDING&limit=5&before=${list.body.next}`);
  expect(rest.body.orders.map(({ id }: any) => id)).toEqual([good]);
  for (const [query, found] of [
    ['side=sell', []],
    ['side=buy', [bad, good]],
    ['code=PROVIDER-PENDING-REVIEW', [bad, good]],
    ['code=PROVIDER-PENDING-REVIEW&status=FAILED', []],
    ['code=PROVIDER-OF-NOBODY', []],
    [`status=PENDING&text=${good}`, [good]],
    [`side=buy&text=${WALLET}`, [bad, good]],
    [`side=sell&text=${WALLET}`, []],
  ] as const) {
    const { body } = await operate(`orders?${query}`);
    expect([query, body.orders.map(({ id }: any) => id)]).toEqual([query, found]);
  }
  expect((await act(good, 'cancel')).body).toMatchObject({ statusCode: 409, code: 'not_now' });
  expect((await act(good, 'release')).status).toBe(200);
  expect((await act(bad, 'refund', { why: 'looks odd' })).status).toBe(200);
  await is(good, 'PROVIDER-COMPLETED-ORDER');
  await is(bad, 'PROVIDER-FAILED-REVIEW');
  const { body } = await operate(`orders/${bad}`);
  expect(body.events).toContainEqual(
    expect.objectContaining({
      type: 'operator.refund',
      data: { by: 'operator', why: 'looks odd' },
    }),
  );
  expect(body.payouts).toHaveLength(1);
  const found = await operate(`orders?text=${(await orderOf(ramp, good)).transactionHash}`);
  expect(found.body.orders.map(({ id }: any) => id)).toEqual([good]);
  expect((await operate(`orders?text=${WALLET}`)).body.orders).toHaveLength(2);
  const balances = (await operate('balances')).body;
  expect(balances.books).toContainEqual({ account: 'bank', asset: 'USD', units: '60000' });
  expect(balances.ledger).toContainEqual({
    ...{ asset: `1337:${TOKEN}`, address: ledger.account, units: String(ledger.balance) },
  });
  const [today] = (await operate('volume?days=2')).body;
  expect(today).toMatchObject({
    side: 'buy',
    asset: 'USD',
    count: 2,
    completed: 1,
    units: '60000',
  });
});

it('more than an hour may have goes out when an operator says so', async () => {
  ramp.change((offer) => {
    offer.hourlyPayouts = { tok: '150' };
  });
  const [first, second] = [await buy(ramp), await buy(ramp)];
  await is(first, 'PROVIDER-COMPLETED-ORDER');
  await is(second, 'PROVIDER-PENDING-REVIEW');
  expect((await act(second, 'release')).status).toBe(200);
  await is(second, 'PROVIDER-COMPLETED-ORDER');
  ramp.clock.offsetMs += 61 * 60_000;
  // The gas price is stale after this jump of the clock, until it is queried again.
  await until('a page opens', async () => (await openWidget(ramp)).page.status === 200);
  await is(await buy(ramp), 'PROVIDER-COMPLETED-ORDER');
});

it('tells somebody of a chargeback, and later orders of that customer wait for the operator', async () => {
  const id = await buy(ramp, {}, { card: '4000 0000 0000 0259' });
  await is(id, 'PROVIDER-COMPLETED-ORDER');
  ramp.clock.offsetMs += 10_000;
  const { events } = await until('it is charged back', async () => {
    const { body } = await operate(`orders/${id}`);
    return body.events.some(({ type }: any) => type === 'payment.chargeback') && body;
  });
  expect(events).toContainEqual(
    expect.objectContaining({ type: 'alert', data: { why: 'a payment was charged back' } }),
  );
  await until('somebody is told', () => ramp.logged.some((line) => line.includes(id)));
  expect((await ask(ramp.running.metricsUrl!)).body).toContain('ramp_alerts_total 1');
  expect((await orderOf(ramp, id)).statusCode).toBe('PROVIDER-COMPLETED-ORDER');
  const later = await buy(ramp);
  await is(later, 'PROVIDER-PENDING-REVIEW');
  expect((await act(later, 'release')).status).toBe(200);
  await is(later, 'PROVIDER-COMPLETED-ORDER');
  const walletAddress = `0x${'cd'.repeat(20)}`;
  const others = await buy(ramp, { walletAddress });
  await until('another customer is paid', async () => {
    const { body } = await operate(`orders/${others}`);
    return body.order.statusCode === 'PROVIDER-COMPLETED-ORDER';
  });
});

it('lets nobody guess the token: a try costs as much as 25 requests', async () => {
  const argv = ['--ledger.url', ledger.url, '--rate', '5', '--operator.token-file', tokenFile];
  const limited = await startTestRamp(argv);
  const headers = { authorization: `Bearer ${'x'.repeat(40)}` };
  const statuses: number[] = [];
  for (let guess = 0; guess < 10; guess++) {
    statuses.push((await ask(`${limited.url}/operator/stuck`, { headers })).status);
  }
  expect([statuses[0], statuses.includes(429)]).toEqual([401, true]);
  await limited.close();
});

it('answers nobody without the token', async () => {
  for (const path of ['orders', 'balances', 'stuck', 'volume', 'switches']) {
    expect((await operate(path, {}, 'guess')).status).toBe(401);
    expect((await ask(`${ramp.url}/operator/${path}`)).status).toBe(401);
  }
  expect((await operate('orders/x/hold', { method: 'POST' }, '')).status).toBe(401);
  expect((await operate('orders?side=both')).body.details[0].field).toBe('side');
  expect((await operate('orders?before=x')).status).toBe(400);
});

it('a switch refuses new orders, shows in the configuration, and begun ones continue', async () => {
  const { switches } = ramp.running;
  const begun = await buy(ramp, { amount: '600' });
  await is(begun, 'PROVIDER-PENDING-REVIEW');
  const own = { buy: false, sell: false, crypto: ['tok'], payments: ['sepa-bank-transfer'] };
  await switches.setSwitches(own, 'operator');
  expect((await ask(at(ramp.url, '/quote', BUY))).body.code).toBe('paused');
  expect((await ask(at(ramp.url, '/buy', BUY))).status).toBe(503);
  expect((await ask(at(ramp.url, '/quote', { ...BUY, crypto: 'eth' }))).status).toBe(200);
  const { body } = await ask(`${ramp.url}/configuration`);
  expect(body.crypto.map(({ id }: any) => id)).toEqual(['eth']);
  expect(body.payments).toEqual([{ id: 'debit-credit-card' }]);
  expect((await act(begun, 'release')).status).toBe(200);
  await is(begun, 'PROVIDER-COMPLETED-ORDER');
  ramp = await ramp.restart();
  expect((await ask(at(ramp.url, '/quote', BUY))).status).toBe(503);
  await ramp.running.switches.setSwitches({ ...own, crypto: [] }, 'operator');
  expect((await ask(at(ramp.url, '/quote', BUY))).status).toBe(200);
});

it('metrics count orders by state, their age, payouts, and what is stuck', async () => {
  const id = await buy(ramp, { amount: '600' });
  await is(id, 'PROVIDER-PENDING-REVIEW');
  ramp.clock.offsetMs += 25 * 60 * 60_000;
  const { body } = await ask(ramp.running.metricsUrl!);
  const lines = String(body).split('\n');
  const of = '{side="buy",code="PROVIDER-PENDING-REVIEW"}';
  expect(lines).toContain(`ramp_orders${of} 1`);
  expect(lines).toContain(`ramp_order_steps_total${of} 1`);
  expect(lines).toContain('ramp_stuck_orders 1');
  expect(lines).toContain('ramp_nonces_pending 0');
  expect(String(body)).toMatch(
    /^ramp_http_requests_total\{method="POST",route="[^"]*",status="200"\} \d+$/m,
  );
  expect(String(body)).toMatch(/^quorate_disk_free_bytes [1-9]\d+$/m);
  expect(lines).toContain('ramp_price_age_seconds 0');
  const age = lines.find((line) => line.startsWith(`ramp_oldest_order_seconds${of} `))!;
  expect(Number(age.split(' ')[1])).toBeGreaterThan(24 * 60 * 60);
  const { body: stuck } = await operate('stuck');
  expect(stuck.map(({ order }: any) => order.id)).toEqual([id]);
});
