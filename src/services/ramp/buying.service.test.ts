/**
 * Buys from the page to the ledger, on both databases: what customers do, what payments do, and
 * crashes in between.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../../../test/support/conditions.ts';
import { seeds } from '../../../test/support/effort.ts';
import { type FakeLedger, startFakeLedger } from '../../../test/support/fake-ledger.ts';
import {
  newStoreFlags,
  POSTGRES_PATIENCE_MS,
  startTestPostgres,
  type TestPostgres,
} from '../../../test/support/postgres.ts';
import {
  at,
  BUY,
  booksOf,
  buy,
  idOf,
  onWidget,
  openWidget,
  orderOf,
  orderReaches,
  placeOrder,
  shownBy,
  startTestRamp,
  type TestRamp,
  TOKEN,
  WALLET,
} from '../../../test/support/ramp.ts';
import { ask } from '../../../test/support/staking.ts';

let postgres: TestPostgres | undefined;
beforeAll(async () => {
  postgres = await startTestPostgres();
}, POSTGRES_PATIENCE_MS);
afterAll(() => postgres?.remove(), POSTGRES_PATIENCE_MS);

describe.each(['embedded', 'PostgreSQL'] as const)('on the %s store', (kind) => {
  let ledger: FakeLedger;
  let ramp: TestRamp;

  beforeEach(async (context) => {
    ledger = await startFakeLedger();
    const argv = ['--ledger.url', ledger.url, '--ledger.from', ledger.account];
    const store = await newStoreFlags(kind, postgres, context);
    ramp = await startTestRamp([...argv, ...store]);
  });
  afterEach(async () => {
    await ramp?.close();
    await ledger?.close();
  });

  const reaches = (id: string, code: string) => orderReaches(ramp, id, code);
  const books = () => booksOf(ramp);

  it('a card pays, the token goes out once, and the books say so', async () => {
    const id = await buy(ramp, { orderCustomId: `${'aB3'.repeat(21)}x` });
    const order = await reaches(id, 'PROVIDER-COMPLETED-ORDER');
    expect(order).toMatchObject({
      ...{ id, customId: `${'aB3'.repeat(21)}x`, status: 'COMPLETED', region: 'US-AL' },
      ...{ fiatAmountIn: '100.00', fiatAmountInUsd: '100.00', cryptoAmountOut: '96.716417' },
      ...{ payment: 'debit-credit-card', providerPayment: 'Sandbox card', orderType: 'BUY' },
      processingFees: [{ label: 'Processing fee', fiatAmount: '2.30' }],
      ...{ networkFees: [], partnerFees: [{ label: 'Partner fee', fiatAmount: '0.50' }] },
      crypto: { id: 'tok', address: TOKEN, network: '1337' },
    });
    expect([...ledger.mined.keys()]).toEqual([order.transactionHash]);
    const [transaction] = ledger.mined.values();
    expect(transaction!.data).toBe(
      `0xa9059cbb${WALLET.slice(2).padStart(64, '0')}${(96_716_417).toString(16).padStart(64, '0')}`,
    );
    expect(await books()).toEqual({
      ...{ 'bank USD': 10_000n, 'fee-processing USD': -230n, 'fee-partner USD': -50n },
      ...{ 'exchange USD': -9_720n, [`exchange 1337:${TOKEN}`]: 96_716_417n },
      [`wallet 1337:${TOKEN}`]: -96_716_417n,
    });
    const again = await orderOf(ramp, `${'aB3'.repeat(21)}x`);
    expect(again).toEqual(order);
  });

  it('a page pays once, however often its form is sent', async () => {
    const widget = await openWidget(ramp);
    const card = '4242424242424242';
    const all = await Promise.all(
      Array.from({ length: 5 }, () => placeOrder(ramp, widget, { card })),
    );
    const ids = new Set(all.map(idOf));
    expect(ids.size).toBe(1);
    await reaches([...ids][0]!, 'PROVIDER-COMPLETED-ORDER');
    expect(ledger.mined.size).toBe(1);
  });

  it('two pages with one custom id make one order', async () => {
    const orderCustomId = 'k'.repeat(64);
    const pages = await Promise.all([0, 1].map(() => openWidget(ramp, { ...BUY, orderCustomId })));
    const answers = await Promise.all(
      pages.map((each) => placeOrder(ramp, each, { card: '4242424242424242' })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const third = await openWidget(ramp, { ...BUY, orderCustomId });
    expect([third.page.status, third.page.body.code]).toEqual([409, 'custom_id_used']);
  });

  it('cards decline, ask for approval, and are charged back', async () => {
    const declined = await placeOrder(ramp, await openWidget(ramp), { card: '4000000000000002' });
    expect(declined.body.next).toEqual({ kind: 'declined' });
    for (const [isApproved, code] of [
      [true, 'PROVIDER-COMPLETED-ORDER'],
      [false, 'PROVIDER-FAILED-PAYMENT'],
    ] as const) {
      const widget = await openWidget(ramp);
      const asked = await placeOrder(ramp, widget, { card: '4000000000003220' });
      expect(asked.body.next).toEqual({ kind: 'approval' });
      await reaches(idOf(await onWidget(ramp, widget, 'approve', { isApproved })), code);
    }
    const charged = await buy(ramp, {}, { card: '4000000000000259' });
    await reaches(charged, 'PROVIDER-COMPLETED-ORDER');
    ramp.clock.offsetMs += 10_000;
    await until('the loss is booked', async () => (await books())['loss USD'] === 10_000n);
    expect((await orderOf(ramp, charged)).status).toBe('COMPLETED');
  });

  it.each([
    ['arrives', 'PROVIDER-COMPLETED-ORDER', 10_000n],
    ['twice', 'PROVIDER-COMPLETED-ORDER', 10_000n],
    ['short', 'PROVIDER-FAILED-PAYMENT', undefined],
    ['late', 'PROVIDER-FAILED-PAYMENT', undefined],
    ['never', 'PROVIDER-FAILED-PAYMENT', undefined],
  ])('a bank transfer that comes %s ends as %s', async (outcome, code, bank) => {
    const widget = await openWidget(ramp, { ...BUY, payment: 'sepa-bank-transfer' });
    const id = idOf(await placeOrder(ramp, widget, { outcome }));
    if (bank === undefined) {
      await until(
        'it was announced',
        async () => (await orderOf(ramp, id)).statusCode !== 'PROVIDER-PENDING-ORDER',
      );
      ramp.clock.offsetMs += 2 * 60 * 60_000;
    }
    await reaches(id, code);
    await until(
      'all that came is where it belongs',
      async () => (await books())['bank USD'] === bank,
    );
    expect(ledger.mined.size).toBe(bank === undefined ? 0 : 1);
  });

  it('is paid out or refunded, never both, when an operator and the payout come together', async () => {
    for (let round = 0; round < 4; round++) {
      ledger.balance = 0n;
      const before = ledger.mined.size;
      const id = await buy(ramp);
      await reaches(id, 'PROVIDER-PENDING-PAYOUT');
      ledger.balance = 10n ** 30n;
      ramp.clock.offsetMs += 2_000;
      const refunds = Array.from({ length: 3 }, () =>
        ramp.running.operator.act(id, 'refund', 'somebody').catch(() => undefined),
      );
      await Promise.all(refunds);
      const { status } = await until('it is over', async () => {
        const order = await orderOf(ramp, id);
        return ['COMPLETED', 'FAILED'].includes(order.status) && order;
      });
      expect(ledger.mined.size - before).toBe(status === 'COMPLETED' ? 1 : 0);
      const given = await ramp.running.database.query(
        'SELECT kind FROM payout WHERE order_id = $1 AND state <> $2',
        [id, 'withdrawn'],
      );
      expect(given).toEqual([{ kind: status === 'COMPLETED' ? 'crypto' : 'fiat-refund' }]);
    }
  });

  it('is found by an operator, page by page, newest first', async () => {
    const ids = [];
    for (let count = 0; count < 5; count++) {
      ids.unshift(await buy(ramp, {}, { card: '4000000000000002' }));
    }
    const { operator } = ramp.running;
    for (const search of [
      { status: 'FAILED', limit: 2 },
      { side: 'buy', code: 'PROVIDER-FAILED-PAYMENT', limit: 2 },
      { side: 'buy', text: WALLET, limit: 2 },
      { limit: 2 },
    ] as const) {
      const found: string[] = [];
      for (let before: string | undefined; ; ) {
        const page = await operator.list({ ...search, before });
        found.push(...page.orders.map(({ id }) => id));
        before = page.next;
        if (before === undefined) break;
      }
      expect(found).toEqual(ids);
    }
  });

  it('pays nothing out of an account that has too little, until it has enough', async () => {
    ledger.balance = 1n;
    const id = await buy(ramp);
    await until('somebody is told', () => ramp.logged.some((line) => line.includes('too little')));
    expect((await orderOf(ramp, id)).statusCode).toBe('PROVIDER-PENDING-PAYOUT');
    ledger.balance = 10n ** 30n;
    await reaches(id, 'PROVIDER-COMPLETED-ORDER');
  });

  it('waits for confirmations, and gives back what the ledger reverts', async () => {
    ledger.head = 7;
    const page = await openWidget(ramp);
    const id = idOf(await placeOrder(ramp, page, { card: '4242424242424242' }));
    await reaches(id, 'PROVIDER-PENDING-CONFIRMATION');
    await until('the customer sees how far it is', async () => {
      const { order } = await shownBy(ramp, page);
      return order?.confirmations?.count === 1 && order.confirmations.needed === 2;
    });
    ledger.head = 8;
    await reaches(id, 'PROVIDER-COMPLETED-ORDER');
    ledger.movesNothing = true;
    const other = await buy(ramp);
    await reaches(other, 'PROVIDER-FAILED-PAYOUT');
    expect((await books())['bank USD']).toBe(10_000n);
  });

  const CALLS = [
    ...['eth_signTransaction', 'eth_sendRawTransaction', 'eth_getTransactionReceipt'],
    'eth_blockNumber',
  ];
  it.each(seeds(CALLS))('a crash around %s neither loses nor doubles money', async (method) => {
    for (const fault of seeds(['lost', 'silent', 'error'] as const)) {
      ledger.fault = (asked) => (asked === method ? fault : 'none');
      const [before, asked] = [ledger.mined.size, ledger.seen.length];
      const id = await buy(ramp);
      await until('it was asked for', () => ledger.seen.slice(asked).includes(method));
      ramp = await ramp.restart();
      ledger.fault = () => 'none';
      await until('it is paid out', async () => {
        // Whatever was lost is sent again after a while.
        ramp.clock.offsetMs += 2_000;
        return (await orderOf(ramp, id)).status === 'COMPLETED';
      });
      expect(ledger.mined.size).toBe(before + 1);
    }
  });

  it('shows a price that holds, then asks again', async () => {
    const widget = await openWidget(ramp);
    const card = '4242424242424242';
    ramp.clock.offsetMs += 11 * 60_000;
    const late = await placeOrder(ramp, widget, { card });
    expect([late.status, late.body.code]).toEqual([409, 'offer_over']);
    // The gas price is stale as well, until it is queried again.
    const { body } = await until('there is a price again', async () => {
      const answer = await onWidget(ramp, widget, 'quote');
      return answer.status === 200 && answer;
    });
    // The customer has not seen the new price, so has not agreed to it.
    const unseen = await placeOrder(ramp, widget, { card });
    expect([unseen.status, unseen.body.code]).toEqual([409, 'quote_changed']);
    expect((await placeOrder(ramp, { ...widget, state: body.state }, { card })).status).toBe(200);
    const list = await ask(
      at(ramp.url, '/orders', { start: '2020-01-01', end: '2090-01-01', skip: '0', limit: '1' }),
    );
    expect(list.status).toBe(401);
  });
});
