/**
 * Three on-ramp processes on one PostgreSQL database, and one with a store of its own, each killed
 * again and again while customers buy and sell through all of them, payments are reported more than
 * once, and the ledger drops calls: money moves, and never twice. `QUORATE_RAMP_KILLS=200` for a
 * long run.
 */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Interface } from 'ethers';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { Prng } from '../../src/core/base/prng.ts';
import {
  readWebhookSecrets,
  signatureHeaders,
} from '../../src/services/ramp/webhooks/signature.ts';
import { until } from '../support/conditions.ts';
import { MAIN } from '../support/devnet.ts';
import { type FakeLedger, startFakeLedger } from '../support/fake-ledger.ts';
import { freePorts } from '../support/free-ports.ts';
import { postgresFor, startTestPostgres, type TestPostgres } from '../support/postgres.ts';
import { at, BUY, idOf, openWidget, placeOrder, TOKEN } from '../support/ramp.ts';
import { RampInstances } from '../support/ramp-instances.ts';
import { scratchFolder } from '../support/scratch.ts';
import { ask } from '../support/staking.ts';

const KILLS = Number(process.env.QUORATE_RAMP_KILLS ?? 6);
const SEED = Number(process.env.QUORATE_RAMP_SEED ?? 18);
/** Orders that are placed between two kills. */
const CUSTOMERS = 4;
/** Calls of the ledger between two kills, at most. */
const CALLS_MAX = 60;
const FAULT_CHANCE = 0.03;
const FULL = 100_000_000n;
const ERC20 = new Interface(['function transfer(address,uint256)']);

const prng = new Prng(SEED);
const folder = scratchFolder('quorate-ramp-instances-');
const secretFile = join(folder, 'payments-secret');
writeFileSync(secretFile, `whsec_${Buffer.alloc(32, 7).toString('base64')}\n`);

let postgres: TestPostgres | undefined;
let ledger: FakeLedger;
let ramps: RampInstances | undefined;
beforeAll(async () => {
  postgres = await startTestPostgres();
});
beforeEach(async () => {
  ledger = await startFakeLedger();
});
afterEach(async () => {
  ramps?.stop();
  await ledger?.close();
});
afterAll(() => postgres?.remove());

/** Each customer has a new wallet, which shows what they received. */
let customers = 0;
const newWallet = () => `0x${(++customers).toString(16).padStart(4, '0')}${'ab'.repeat(18)}`;

interface Customer {
  readonly id: string;
  readonly wallet: string;
  readonly side: 'orders' | 'sell-orders';
  /** How the order ends, and the amounts then sent to the wallet. */
  readonly ends: string;
  readonly gets: readonly bigint[];
}

async function place(
  side: 'buy' | 'sell',
  wallet: string,
  query: object,
  answers: Record<string, string>,
): Promise<string> {
  const asked = { ...BUY, ...query, walletAddress: wallet };
  for (;;) {
    let session: Awaited<ReturnType<typeof openWidget>> | undefined;
    await ramps!.reach('a page opens', async (ramp) => {
      session = await openWidget(ramp, asked, side);
      return session.page;
    });
    const placed = await ramps!.reach('an order is placed', (ramp) =>
      placeOrder(ramp, session!, answers),
    );
    if (placed.status === 200) return idOf(placed);
  }
}

/** Reports a bank transfer to every instance, more than once. */
async function report(orderId: string): Promise<void> {
  const data = { orderId, paymentId: `bank-${orderId}`, fiat: 'USD', amount: '100.00' };
  const body = JSON.stringify({ type: 'payment.settled', data });
  await Promise.all(
    ['one', 'one', 'two'].map((event) =>
      ramps!.reach('a payment is reported', ({ url }) => {
        const timestampSeconds = Math.floor(Date.now() / 1_000);
        const message = { id: `${event}-${orderId}`, timestampSeconds, body };
        const headers = signatureHeaders(message, readWebhookSecrets(secretFile));
        return ask(`${url}/webhooks/payments`, {
          ...{ method: 'POST', body, headers: Object.fromEntries(headers) },
        });
      }),
    ),
  );
}

async function buys(payment: string): Promise<Customer> {
  const wallet = newWallet();
  const isCard = payment === 'debit-credit-card';
  const answers: Record<string, string> = isCard
    ? { card: '4242424242424242' }
    : { outcome: 'never' };
  const id = await place('buy', wallet, { payment }, answers);
  if (!isCard) await report(id);
  const { body } = await ramps!.reach('it is read', ({ url }) =>
    ask(at(url, `/orders/${id}`, { walletAddress: wallet })),
  );
  const gets = [BigInt(body.cryptoAmountOut.replace('.', ''))];
  return { id, wallet, side: 'orders', ends: 'PROVIDER-COMPLETED-ORDER', gets };
}

/**
 * `deposits` transfers of the full amount; those after the first are refunded, and so is the first
 * if the bank refuses.
 */
async function sells(outcome: 'paid' | 'refused', deposits: number): Promise<Customer> {
  const wallet = newWallet();
  const id = await place('sell', wallet, {}, { outcome });
  const { body } = await ramps!.reach('it is read', ({ url }) =>
    ask(at(url, `/sell-orders/${id}`, { walletAddress: wallet })),
  );
  const to = body.depositWallet;
  for (let each = 0; each < deposits; each++) {
    ledger.deposit({ from: wallet, to, units: FULL, token: TOKEN });
    ledger.mine();
  }
  const isPaid = outcome === 'paid';
  return {
    ...{ id, wallet, side: 'sell-orders' },
    ends: isPaid ? 'PROVIDER-COMPLETED-ORDER' : 'PROVIDER-FAILED-PAYOUT',
    gets: Array.from({ length: isPaid ? deposits - 1 : deposits }, () => FULL),
  };
}

const KINDS = [
  () => buys('debit-credit-card'),
  () => buys('sepa-bank-transfer'),
  () => sells('paid', 1),
  () => sells('paid', 2),
  () => sells('refused', 1),
];

function sentTo(wallet: string): bigint[] {
  return [...ledger.mined.values()]
    .filter(({ to }) => to?.toLowerCase() === TOKEN)
    .map(({ data }) => ERC20.decodeFunctionData('transfer', data))
    .filter(([to]) => to.toLowerCase() === wallet)
    .map(([, units]) => units);
}

/** Differences within the books, and between books and ledger. */
async function differences(store: readonly string[]): Promise<string[]> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    ...[MAIN, 'ramp', 'reconcile', ...store, '--json'],
    ...['--ledger.url', ledger.url, '--ledger.from', ledger.account],
  ]).catch((error: { stdout: string }) => error);
  const sections = Object.entries<any>(JSON.parse(stdout));
  // The sandbox does not know what a payment system has reported.
  const own = sections.filter(([name]) => name === 'books' || name === 'ledger');
  expect(own).toHaveLength(2);
  return own.flatMap(([, found]) => found.differences.map(({ text }: any) => text));
}

it.for([
  ['on PostgreSQL', 3],
  ['on the embedded store', 1],
] as const)('pays each order once, %s, after kills at any time', async ([kind, count], context) => {
  const store =
    kind === 'on PostgreSQL'
      ? ['--store', await postgresFor(postgres, context).newDatabase()]
      : ['--datadir', join(folder, 'data')];
  const first = await freePorts();
  const ports = Array.from({ length: count }, (_, each) => first + each);
  ledger.idleMs = () => Date.now();
  const flags = [
    ...['--ledger.url', ledger.url, '--ledger.from', ledger.account],
    ...['--sell.collector', 'deploy', '--payments.secret-file', secretFile],
  ];
  ramps = new RampInstances({ folder, ports, store, flags, prng });
  await ramps.start();

  // At a call to the ledger, before its answer.
  let calls = CALLS_MAX;
  ledger.fault = () => {
    if (ramps!.kills < KILLS && --calls <= 0) {
      calls = 1 + prng.below(CALLS_MAX);
      ramps!.kill();
    }
    return prng.chance(FAULT_CHANCE)
      ? (['lost', 'silent', 'error'] as const)[prng.below(3)]!
      : 'none';
  };
  const orders: Customer[] = [];
  while (ramps.kills < KILLS) {
    const wave = Array.from({ length: CUSTOMERS }, () => KINDS[prng.below(KINDS.length)]!());
    orders.push(...(await Promise.all(wave)));
  }
  ledger.fault = () => 'none';

  for (const { id, wallet, side, ends, gets } of orders) {
    const { body } = await ramps.reach(`${id} is ${ends}`, async ({ url }) => {
      const answer = await ask(at(url, `/${side}/${id}`, { walletAddress: wallet }));
      return { ...answer, status: answer.body.statusCode === ends ? answer.status : 503 };
    });
    expect(body.statusCode).toBe(ends);
    await until(`${wallet} has its money`, () => sentTo(wallet).length >= gets.length);
  }
  let found: string[] = [];
  await until('nothing differs', async () => {
    found = await differences(store);
    return found.length === 0;
  }).finally(() => expect(found).toEqual([]));
  expect(orders.map(({ wallet }) => sentTo(wallet))).toEqual(orders.map(({ gets }) => gets));
});
