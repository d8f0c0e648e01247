/**
 * The whole service against a plain model: customers buy and sell in any order, payments are
 * reported late, twice, short and in another currency, blocks are replaced, operators intervene,
 * and the process ends at any statement of its database. After each step the books balance and
 * nothing is paid out twice; in the end, each customer has what they paid for, or has their money
 * back.
 */
import fc from 'fast-check';
import { afterEach, expect, it, vi } from 'vitest';
import { runs } from '../../../test/support/effort.ts';
import { RampWorld, type WorldOrder } from '../../../test/support/ramp-world.ts';
import type { Terms } from '../../core/ramp/order.ts';
import { fromJson } from './orders/state-json.ts';
import type { FiatPayout } from './payment/adapter.ts';
import { Sandbox } from './payment/sandbox.ts';

/** `QUORATE_RAMP_RUNS=500` for a long run. */
const RUNS = Number(process.env.QUORATE_RAMP_RUNS ?? runs(4));
const SEED = Number(process.env.QUORATE_RAMP_SEED ?? 18);
const PATIENCE_MS = 120_000 + RUNS * 30_000;
const IN_USD = 10_000n;
const IN_TOKEN = 100_000_000n;
const STRANGER = `0x${'5e'.repeat(20)}`;
const METHODS = [
  ...['eth_signTransaction', 'eth_sendRawTransaction', 'eth_getTransactionReceipt'],
  ...['eth_blockNumber', 'eth_getBlockByNumber', 'eth_getLogs', 'eth_call'],
];
const PAYMENTS = {
  exact: { fiat: 'USD', amount: '100.00', units: IN_USD },
  again: { fiat: 'USD', amount: '100.00', units: IN_USD },
  short: { fiat: 'USD', amount: '60.00', units: 6_000n },
  rest: { fiat: 'USD', amount: '40.00', units: 4_000n },
  much: { fiat: 'USD', amount: '101.00', units: 10_100n },
  foreign: { fiat: 'EUR', amount: '100.00', units: IN_USD },
} as const;
const WAITS_MS = [500, 6_000, 20 * 60_000, 65 * 60_000];

/** The state of the model: the number of orders of each side, and whether they are paused. */
interface Counted {
  buy: number;
  sell: number;
  isPaused: boolean;
}
type Command = fc.AsyncCommand<Counted, RampWorld>;

/** Number of database statements after which the step crashes; undefined: it does not crash. */
const crash = fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, fc.nat(30));

class Step implements Command {
  private readonly name: string;
  private readonly needs: 'buy' | 'sell' | undefined;
  private readonly crashAfter: number | undefined;
  private readonly work: (world: RampWorld, model: Counted) => Promise<unknown> | unknown;

  constructor(
    name: string,
    needs: 'buy' | 'sell' | undefined,
    crashAfter: number | undefined,
    work: (world: RampWorld, model: Counted) => Promise<unknown> | unknown,
  ) {
    this.name = name;
    this.needs = needs;
    this.crashAfter = crashAfter;
    this.work = work;
  }

  check(model: Readonly<Counted>): boolean {
    return this.needs === undefined || model[this.needs] > 0;
  }

  async run(model: Counted, world: RampWorld): Promise<void> {
    if (this.crashAfter !== undefined) world.database.crashAfter(this.crashAfter);
    await this.work(world, model);
    if (world.database.isCrashed) await world.restart();
    else world.database.crashAfter(Number.POSITIVE_INFINITY);
    model.buy = world.orders.filter(({ side }) => side === 'buy').length;
    model.sell = world.orders.length - model.buy;
    await booksBalance(world);
    const sent = world.sent();
    for (const { side, wallet } of world.orders) {
      if (side === 'buy') expect(sent.filter(({ to }) => to === wallet).length).toBeLessThan(2);
    }
  }

  toString(): string {
    return this.crashAfter === undefined ? this.name : `${this.name} †${this.crashAfter}`;
  }
}

function one(world: RampWorld, side: 'buy' | 'sell', at: number): WorldOrder {
  const all = world.orders.filter((each) => each.side === side);
  return all[at % all.length]!;
}

const anyOrder = fc.nat(5);
const commands = [
  fc.tuple(fc.constantFrom('pays', 'declines', 'bank', 'bank', 'reverts'), crash).map(
    ([how, at]) =>
      new Step(`buy ${how}`, undefined, at, async (world, model) => {
        const isBank = how === 'bank';
        const payment = isBank ? 'sepa-bank-transfer' : 'debit-credit-card';
        const card = how === 'declines' ? '4000000000000002' : '4242424242424242';
        const answers: Record<string, string> = isBank ? { outcome: 'never' } : { card };
        if (how === 'reverts') world.revertNext();
        const order = await world.buy(payment, answers);
        expect(order === undefined).toBe(model.isPaused);
        if (isBank || how === 'declines') return;
        order?.paid.set(`sandbox-${order.id}-card`, { fiat: 'USD', units: IN_USD });
      }),
  ),
  fc
    .tuple(
      anyOrder,
      fc.constantFrom(...(Object.keys(PAYMENTS) as (keyof typeof PAYMENTS)[])),
      fc.constantFrom('', '', '-second'),
      crash,
    )
    .map(
      ([at, name, event, dies]) =>
        new Step(`settle ${at} ${name}${event}`, 'buy', dies, async (world) => {
          const order = one(world, 'buy', at);
          const paymentId = `${name}-${order.id}`;
          const { fiat, amount, units } = PAYMENTS[name];
          order.paid.set(paymentId, { fiat, units });
          const data = { orderId: order.id, paymentId, fiat, amount };
          await world.tell(`${paymentId}${event}`, 'payment.settled', data);
        }),
    ),
  fc.tuple(anyOrder, crash).map(
    ([at, dies]) =>
      new Step(`charge back ${at}`, 'buy', dies, async (world) => {
        const order = one(world, 'buy', at);
        const [paymentId] = order.paid.keys();
        if (paymentId === undefined) return;
        order.chargedBack.add(paymentId);
        const data = { orderId: order.id, paymentId };
        await world.tell(`back-${paymentId}`, 'payment.chargeback', data);
      }),
  ),
  fc
    .tuple(fc.constantFrom('paid', 'paid', 'slow', 'refused'), crash)
    .map(
      ([outcome, dies]) =>
        new Step(`sell ${outcome}`, undefined, dies, (world) => world.sell(outcome)),
    ),
  fc.tuple(anyOrder, fc.constantFrom('full', 'full', 'half', 'more', 'stranger'), crash).map(
    ([at, how, dies]) =>
      new Step(`deposit ${at} ${how}`, 'sell', dies, (world) => {
        const units = { full: 1n, half: 0n, more: 2n, stranger: 1n }[how] * IN_TOKEN;
        const order = one(world, 'sell', at);
        const from = how === 'stranger' ? STRANGER : order.wallet;
        world.deposit(order, how === 'half' ? IN_TOKEN / 2n : units, from);
      }),
  ),
  fc.constant(new Step('mine', undefined, undefined, (world) => world.ledger.mine())),
  fc.constant(new Step('replace a block', undefined, undefined, (world) => world.replaceBlock())),
  fc
    .tuple(fc.constantFrom(...WAITS_MS), crash)
    .map(([ms, dies]) => new Step(`wait ${ms}`, undefined, dies, (world) => world.wait(ms))),
  fc.tuple(fc.constantFrom(...METHODS), fc.constantFrom('lost', 'silent', 'error')).map(
    ([method, fault]) =>
      new Step(`${method} ${fault}`, undefined, undefined, (world) => {
        world.ledger.fault = (asked) =>
          asked === method ? (fault as 'lost' | 'silent' | 'error') : 'none';
      }),
  ),
  fc
    .tuple(
      fc.constantFrom('buy' as const, 'sell' as const),
      anyOrder,
      fc.constantFrom('hold' as const, 'release' as const, 'refund' as const, 'cancel' as const),
      crash,
    )
    .map(
      ([side, at, action, dies]) =>
        new Step(`${action} ${side} ${at}`, side, dies, (world) =>
          world.operate(one(world, side, at), action),
        ),
    ),
  fc
    .tuple(fc.constantFrom('buy' as const, 'sell' as const), anyOrder, crash)
    .map(
      ([side, at, dies]) =>
        new Step(`customer cancels ${side} ${at}`, side, dies, (world) =>
          world.cancel(one(world, side, at)),
        ),
    ),
  fc.boolean().map(
    (isPaused) =>
      new Step(`buys ${isPaused ? 'off' : 'on'}`, undefined, undefined, async (world, model) => {
        await world.switchOff(isPaused);
        model.isPaused = isPaused;
      }),
  ),
  fc.constant(new Step('restart', undefined, undefined, (world) => world.restart())),
];

/** Refunds and payouts that the payment system has made, by the ids of the requests. */
const given = new Map<string, FiatPayout & { readonly orderId: string }>();

/** Behaves as providers do: idempotent by id, and the answer is lost now and then. */
function give(payout: FiatPayout): void {
  const earlier = given.get(payout.id);
  if (earlier) expect(earlier).toMatchObject({ ...payout });
  else given.set(payout.id, { ...payout, orderId: payout.id.split('/')[0]! });
  if (earlier === undefined && given.size % 2 === 1) {
    throw new Error('the answer is lost');
  }
}

/** Makes the sandbox the payment system that pays money out. */
function stubSandbox(): void {
  const { payOut } = Sandbox.prototype;
  vi.spyOn(Sandbox.prototype, 'refund').mockImplementation((async (payout: FiatPayout) => {
    give(payout);
    return { kind: 'done' };
  }) as never);
  vi.spyOn(Sandbox.prototype, 'payOut').mockImplementation(async function (
    this: Sandbox,
    payout,
    order,
  ) {
    const outcome = await payOut.call(this, payout, order);
    if (outcome.kind === 'done') give(payout);
    return outcome;
  });
}

async function plays(steps: Iterable<Command>): Promise<void> {
  given.clear();
  const world = await RampWorld.start();
  try {
    await fc.asyncModelRun(
      () => ({ model: { buy: 0, sell: 0, isPaused: false }, real: world }),
      steps,
    );
    await world.settle();
    await booksBalance(world);
    await isFair(world);
  } finally {
    await world.close();
  }
}

afterEach(() => vi.restoreAllMocks());

it(
  'keeps the money of everybody, whatever happens and whenever it ends',
  async () => {
    stubSandbox();
    const steps = fc.commands(commands, { maxCommands: 60, size: 'max' });
    // No shrinking: reaching the same state by a shorter run takes as long.
    const options = { numRuns: RUNS, seed: SEED, endOnFailure: true };
    await fc.assert(fc.asyncProperty(steps, plays), options);
  },
  PATIENCE_MS,
);

async function booksBalance(world: RampWorld): Promise<void> {
  const sums = new Map<string, bigint>();
  for (const { asset, units } of await world.rows('SELECT asset, units FROM posting')) {
    sums.set(asset, (sums.get(asset) ?? 0n) + BigInt(units));
  }
  expect([...sums.values()].filter((sum) => sum !== 0n)).toEqual([]);
}

interface Ended {
  readonly order: WorldOrder;
  readonly isDone: boolean;
  readonly amountOut: bigint;
  /** Refunds and payouts that the payment system has made for the order. */
  readonly given: readonly { readonly recipient: string; readonly units: bigint }[];
}

async function endOf(world: RampWorld, order: WorldOrder): Promise<Ended> {
  const [row] = await world.rows(`SELECT code, terms FROM ramp_order WHERE id = '${order.id}'`);
  return {
    order,
    isDone: row.code === 'PROVIDER-COMPLETED-ORDER',
    amountOut: fromJson<Terms>(row.terms).amountOut,
    given: [...given.values()].filter(({ orderId }) => orderId === order.id),
  };
}

/** Each customer has what they paid for, or has their money back. */
async function isFair(world: RampWorld): Promise<void> {
  const all = await Promise.all(world.orders.map((order) => endOf(world, order)));
  const sent = world.sent();
  let tokens = 0n;
  for (const end of all) {
    const { order, isDone, amountOut } = end;
    if (order.side === 'sell') {
      expect(end.given.map(({ units }) => units)).toEqual(isDone ? [amountOut] : []);
      tokens += total([...order.deposits.values()]) - (isDone ? IN_TOKEN : 0n);
    } else {
      const got = sent.filter(({ to }) => to === order.wallet).map(({ units }) => units);
      expect(got).toEqual(isDone ? [amountOut] : []);
      tokens += total(got.map((units) => ({ units })));
      isPaidFairly(end);
    }
  }
  expect(total(sent)).toBe(tokens);
}

/** A bank may charge back a payment that was already refunded. */
function isPaidFairly({ order, isDone, given: refunds }: Ended): void {
  let kept = 0n;
  for (const [paymentId, { units, fiat }] of order.paid) {
    const back = total(refunds.filter(({ recipient }) => recipient === paymentId));
    expect(back).toBeLessThanOrEqual(units);
    if (order.chargedBack.has(paymentId)) continue;
    if (fiat === 'USD') kept += units - back;
    else expect(back).toBe(units);
  }
  if (order.chargedBack.size === 0) expect(kept).toBe(isDone ? IN_USD : 0n);
  else expect(kept).toBeLessThanOrEqual(isDone ? IN_USD : 0n);
}

function total(all: readonly { readonly units: bigint }[]): bigint {
  return all.reduce((sum, { units }) => sum + units, 0n);
}
