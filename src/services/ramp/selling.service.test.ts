/**
 * Sells from the page to the bank, on both databases: what customers send, when, and what fails in
 * between.
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
  BUY,
  booksOf,
  idOf,
  openWidget,
  orderOf,
  orderReaches,
  placeOrder,
  sell,
  shownBy,
  startTestRamp,
  type TestRamp,
  TOKEN,
  WALLET,
} from '../../../test/support/ramp.ts';
import { ask } from '../../../test/support/staking.ts';

const FULL = 100_000_000n;
const COLLECT = '0xcece6f3d';
const TRANSFER = '0xa9059cbb';

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
    ramp = await startTestRamp([...argv, '--sell.collector', 'deploy', ...store]);
    ledger.nowMs = () => ramp.clock.nowMs();
    await ready();
  });
  afterEach(async () => {
    await ramp?.close();
    await ledger?.close();
  });

  const ready = () =>
    until('the ramp is ready', async () => (await ask(`${ramp.url}/ready`)).status === 200);
  const reaches = (id: string, code: string) => orderReaches(ramp, id, code, 'sell-orders');
  /** Whatever was lost is sent again after a while. */
  const reachesLater = (id: string, code: string) =>
    until(`order ${id} is ${code}`, async () => {
      ramp.clock.offsetMs += 2_000;
      return (await orderOf(ramp, id, 'sell-orders')).statusCode === code;
    });
  const books = () => booksOf(ramp);
  const sent = (selector: string) =>
    [...ledger.mined.values()].filter(({ data }) => data.startsWith(selector));
  /** Sends tokens to the order's address. */
  const send = (order: any, units = FULL, part = {}) =>
    ledger.deposit({ from: WALLET, to: order.depositWallet, units, token: TOKEN, ...part });
  const refunds = () =>
    sent(TRANSFER).map(({ data }) => [
      `0x${data.slice(34, 74)}`,
      BigInt(`0x${data.slice(74, 138)}`),
    ]);

  it('takes the token at an address of the order, pays the bank, and collects the token', async () => {
    const page = await openWidget(ramp, BUY, 'sell');
    const order = await orderOf(
      ramp,
      idOf(await placeOrder(ramp, page, { outcome: 'paid' })),
      'sell-orders',
    );
    expect(order).toMatchObject({
      ...{ status: 'CREATED', statusCode: 'PROVIDER-CREATED-ORDER', cryptoAmountIn: '100' },
      ...{ fiatAmountOut: '96.71', walletAddress: WALLET, region: 'US-AL', transactionHash: null },
    });
    expect(order.depositWallet).toMatch(/^0x[0-9a-f]{40}$/);
    expect(order.providerWalletAddress).toBe(order.depositWallet);
    for (const name of ['customId', 'networkFees', 'orderType'])
      expect(order).not.toHaveProperty(name);
    expect(await orderOf(ramp, order.id, 'orders')).toMatchObject({ statusCode: 404 });
    const hash = send(order);
    await reaches(order.id, 'PROVIDER-PENDING-DEPOSIT');
    expect(await books()).toEqual({});
    const { order: shown } = await shownBy(ramp, page);
    expect(shown?.confirmations).toEqual({ count: 1, needed: 2 });
    ledger.mine();
    const done = await reaches(order.id, 'PROVIDER-COMPLETED-ORDER');
    expect(done).toMatchObject({ status: 'COMPLETED', transactionHash: hash });
    await until('it was collected', () => sent(COLLECT).length === 1);
    expect(await books()).toEqual({
      ...{ 'bank USD': -9_671n, 'fee-processing USD': -229n, 'fee-partner USD': -50n },
      ...{ 'exchange USD': 9_950n, [`exchange 1337:${TOKEN}`]: -FULL },
      [`wallet 1337:${TOKEN}`]: FULL,
    });
  });

  it('takes the coin too, and what another wallet sends waits for an operator', async () => {
    const order = await sell(ramp, { crypto: 'eth', amount: '.02' });
    const to = order.depositWallet;
    ledger.deposit({ from: WALLET, to, units: 2n * 10n ** 16n, isReverted: true });
    ledger.deposit({ from: `0x${'0a'.repeat(20)}`, to, units: 2n * 10n ** 16n });
    ledger.mine();
    await reaches(order.id, 'PROVIDER-PENDING-REVIEW');
    const released = await ramp.running.orders.take(order.id, async () => ({ kind: 'released' }));
    expect(released.refusal).toBeUndefined();
    await reaches(order.id, 'PROVIDER-COMPLETED-ORDER');
    await until('it was collected', () => sent(COLLECT).length === 1);
    expect(sent(COLLECT)[0]!.data.slice(-40)).toBe('00'.repeat(20));
  });

  it('counts two parts together, gives back what is too much, a second deposit and another token', async () => {
    const order = await sell(ramp);
    send(order, 60_000_000n);
    send(order, 60_000_000n);
    ledger.mine();
    await reaches(order.id, 'PROVIDER-COMPLETED-ORDER');
    await until('the rest went back', () => refunds().length === 1);
    send(order);
    ledger.deposit({ from: WALLET, to: order.depositWallet, units: 7n });
    ledger.mine();
    await until('the second went back', () => refunds().length === 2);
    expect(refunds()).toEqual([
      [WALLET, 20_000_000n],
      [WALLET, FULL],
    ]);
    await until('the coin went back', () =>
      [...ledger.mined.values()].some(
        ({ to, value }) => to?.toLowerCase() === WALLET && value === 7n,
      ),
    );
    await until('all is booked', async () => (await books())[`wallet 1337:${TOKEN}`] === FULL);
    expect((await orderOf(ramp, order.id, 'sell-orders')).status).toBe('COMPLETED');
  });

  it('gives back what is too little at the deadline, and what comes late', async () => {
    const [short, late] = [await sell(ramp), await sell(ramp)];
    send(short, 1n);
    ledger.mine();
    await reaches(short.id, 'PROVIDER-PENDING-DEPOSIT');
    await until('it is counted', async () => (await books())[`customer 1337:${TOKEN}`] === -1n);
    ramp.clock.offsetMs += 61 * 60_000;
    await reaches(short.id, 'PROVIDER-FAILED-DEPOSIT');
    await reaches(late.id, 'PROVIDER-CANCELLED-EXPIRED');
    send(late);
    ledger.mine();
    await until('both went back', () => refunds().length === 2);
    expect(
      await until('nothing is owed', async () => {
        const all = await books();
        return Object.keys(all).length === 0 && [all];
      }),
    ).toEqual([{}]);
  });

  it('finds what was sent while it was down, and was sent in time', async () => {
    const [intime, late] = [await sell(ramp), await sell(ramp)];
    ramp = await ramp.restart(() => {
      send(intime);
      for (let blocks = 0; blocks < 300; blocks++) ledger.mine();
      ramp.clock.offsetMs += 61 * 60_000;
      send(late);
      ledger.mine();
    });
    await reaches(intime.id, 'PROVIDER-COMPLETED-ORDER');
    await reaches(late.id, 'PROVIDER-CANCELLED-EXPIRED');
    await until('the late one went back', () => refunds().length === 1);
  });

  it('starts again when the block of a deposit is replaced', async () => {
    const order = await sell(ramp);
    send(order);
    await reaches(order.id, 'PROVIDER-PENDING-DEPOSIT');
    ledger.replaceBlocks(1);
    ledger.mine();
    const again = await reaches(order.id, 'PROVIDER-CREATED-ORDER');
    expect(again.transactionHash).toBeNull();
    send(order);
    ledger.mine();
    await reaches(order.id, 'PROVIDER-COMPLETED-ORDER');
  });

  it('waits for a slow bank, and returns the crypto when the bank refuses', async () => {
    const [slow, refused] = [
      await sell(ramp, {}, { outcome: 'slow' }),
      await sell(ramp, {}, { outcome: 'refused' }),
    ];
    send(slow);
    send(refused);
    ledger.mine();
    await reaches(slow.id, 'PROVIDER-PENDING-PAYOUT');
    await reaches(refused.id, 'PROVIDER-FAILED-PAYOUT');
    expect(refunds()).toEqual([[WALLET, FULL]]);
    ramp.clock.offsetMs += 10_000;
    await reaches(slow.id, 'PROVIDER-COMPLETED-ORDER');
  });

  const CALLS = [
    ...['eth_blockNumber', 'eth_getBlockByNumber', 'eth_getLogs', 'eth_getTransactionReceipt'],
    ...['eth_signTransaction', 'eth_sendRawTransaction'],
  ];
  it.each(seeds(CALLS))('a crash around %s neither loses nor doubles a deposit', async (method) => {
    for (const fault of seeds(['lost', 'silent', 'error'] as const)) {
      const order = await sell(ramp, {}, { outcome: 'refused' });
      const [before, asked] = [refunds().length, ledger.seen.length];
      ledger.fault = (each) => (each === method ? fault : 'none');
      send(order);
      ledger.mine();
      await until('it was asked for', () => ledger.seen.slice(asked).includes(method));
      ramp = await ramp.restart();
      ledger.fault = () => 'none';
      await reachesLater(order.id, 'PROVIDER-FAILED-PAYOUT');
      expect(refunds()).toHaveLength(before + 1);
    }
  });

  it('gives no address twice, and none while the ledger is away', async () => {
    const page = await openWidget(ramp, BUY, 'sell');
    const paid = { outcome: 'paid' };
    const all = await Promise.all(Array.from({ length: 4 }, () => placeOrder(ramp, page, paid)));
    expect(new Set(all.map(({ body }) => body.state.order.depositAddress)).size).toBe(1);
    const wrong = await openWidget(ramp, BUY, 'sell');
    const refused = await placeOrder(ramp, wrong, { outcome: 'x' });
    expect([refused.status, refused.body.code]).toEqual([400, 'answer_invalid']);
    ledger.fault = () => 'lost';
    ramp.clock.offsetMs += 61_000;
    const away = await placeOrder(ramp, wrong, paid);
    expect(away.status).toBe(503);
    expect((await ask(`${ramp.url}/ready`)).body.waiting).toContain('deposits');
  });
});
