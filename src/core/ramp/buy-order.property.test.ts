/**
 * Buys under everything that can happen to them, in any order and any number of times: the books
 * balance after each step, money leaves once, and in the end the provider owes nothing.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/support/effort.ts';
import { OrderWorld } from '../../../test/support/order-world.ts';
import { assert } from '../base/errors.ts';
import { balances } from './books.ts';
import type { BuyInput } from './buy-input.ts';
import { type BuyState, newBuy, stepBuy } from './buy-order.ts';
import { isTerminal, type Terms } from './order.ts';

const IN = 10_000n;
const OUT = 4_000n;
const TERMS: Terms = {
  side: 'buy',
  fiat: { id: 'USD', decimals: 2 },
  crypto: { id: 'tok', address: `0x${'11'.repeat(20)}`, network: '1', decimals: 6 },
  amountIn: IN,
  amountOut: OUT,
  fees: { processing: 100n, network: 7n, partner: 0n },
  wallet: `0x${'ab'.repeat(20)}`,
};
/** The payments by id, the same in each report. */
const PAYMENTS: Readonly<Record<string, { fiat: string; units: bigint }>> = {
  exact: { fiat: 'USD', units: IN },
  again: { fiat: 'USD', units: IN },
  short: { fiat: 'USD', units: IN - 1n },
  rest: { fiat: 'USD', units: 1n },
  much: { fiat: 'USD', units: IN + 5n },
  foreign: { fiat: 'EUR', units: IN },
};
/** Enough for all refunds, each of which may be reported twice. */
const SETTLE_STEPS = 30;
const VERDICTS = ['good', 'good', 'good', 'limit', 'review'] as const;

type Act =
  | { readonly do: 'settle'; readonly id: string; readonly verdict: (typeof VERDICTS)[number] }
  | { readonly do: 'chargeBack'; readonly id: string }
  | { readonly do: 'send' | 'confirm' | 'revert' | 'refund' | 'crash' }
  | { readonly do: 'input'; readonly input: BuyInput }
  | { readonly do: 'wait'; readonly ms: number };

const acts: fc.Arbitrary<Act> = fc.oneof(
  fc.record({
    do: fc.constant('settle' as const),
    id: fc.constantFrom(...Object.keys(PAYMENTS)),
    verdict: fc.constantFrom(...VERDICTS),
  }),
  fc.record({
    do: fc.constant('chargeBack' as const),
    id: fc.constantFrom(...Object.keys(PAYMENTS)),
  }),
  fc.record({
    do: fc.constantFrom('send', 'send', 'confirm', 'revert', 'revert', 'refund', 'crash'),
  }),
  fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(1, 400, 2_000) }),
  fc.record({
    do: fc.constant('input' as const),
    input: fc.constantFrom<BuyInput>(
      { kind: 'kycStarted' },
      { kind: 'kycPassed', verdict: 'good' },
      { kind: 'kycFailed' },
      { kind: 'authorizing' },
      { kind: 'announced', payByMs: 3_000 },
      { kind: 'declined', why: 'x' },
      { kind: 'cancelled', by: 'user' },
      { kind: 'cancelled', by: 'provider' },
      { kind: 'released' },
      { kind: 'tick' },
    ),
  }),
  fc.constantFrom<Act>(
    { do: 'input', input: { kind: 'held', why: 'x', unsent: true } },
    { do: 'input', input: { kind: 'refundOrdered', unsent: true } },
  ),
) as fc.Arbitrary<Act>;

/** A final state that random runs seldom reach. */
const PAYOUT_FAILS: Act[] = [
  { do: 'input', input: { kind: 'kycPassed', verdict: 'good' } },
  { do: 'settle', id: 'exact', verdict: 'good' },
  { do: 'send' },
  { do: 'revert' },
];

/** The bank charges back the whole payment, including the part that was to be refunded. */
const CHARGED_BACK_BEFORE_REFUND: Act[] = [
  { do: 'settle', id: 'much', verdict: 'good' },
  { do: 'input', input: { kind: 'released' } },
  { do: 'send' },
  { do: 'chargeBack', id: 'much' },
];

/** A simulated payment provider, ledger and store around one order. */
class World extends OrderWorld {
  state: BuyState = newBuy(1_000);
  nowMs = 0;
  readonly arrived = new Set<string>();
  readonly chargedBack = new Set<string>();

  act(act: Act): void {
    const input = this.inputOf(act);
    if (input) this.take(input);
  }

  private inputOf(act: Act): BuyInput | undefined {
    switch (act.do) {
      case 'settle':
        this.arrived.add(act.id);
        return {
          kind: 'settled',
          paymentId: act.id,
          ...PAYMENTS[act.id]!,
          verdict: act.verdict,
        };
      case 'chargeBack':
        if (!this.arrived.has(act.id)) return undefined;
        this.chargedBack.add(act.id);
        return { kind: 'chargedBack', paymentId: act.id, unsent: this.unsent };
      case 'send': {
        const id = this.payoutIn('queued', 'sent');
        if (id) this.payouts.set(id, 'sent');
        return id ? { kind: 'payoutSent', payoutId: id, hash: `0x${id}` } : undefined;
      }
      case 'confirm': {
        const id = this.payoutIn('sent', 'done');
        if (id) this.payouts.set(id, 'done');
        return id ? { kind: 'payoutConfirmed', payoutId: id } : undefined;
      }
      case 'revert': {
        const id = this.payoutIn('sent', 'gone');
        if (id) this.payouts.set(id, 'gone');
        return id ? { kind: 'payoutFailed', payoutId: id, why: 'x' } : undefined;
      }
      case 'refund':
        return this.refundOne();
      case 'crash':
        // The result of a step whose transaction was not committed is lost; the step runs again.
        stepBuy(TERMS, this.state, { kind: 'tick' }, this.nowMs + 10_000);
        return undefined;
      case 'wait':
        this.nowMs += act.ms;
        return undefined;
      case 'input':
        return 'unsent' in act.input ? { ...act.input, unsent: this.unsent } : act.input;
    }
  }

  /** The bank carries out each refund once, but may report it several times. */
  private refundOne(): BuyInput | undefined {
    const refundId = this.nextRefund();
    return refundId === undefined ? undefined : { kind: 'refunded', refundId };
  }

  take(input: BuyInput): void {
    const before = this.state;
    const { state, effects } = stepBuy(TERMS, before, input, this.nowMs);
    this.state = state;
    this.carryOut(effects);
    for (const effect of effects) {
      // A refund that was already sent may still arrive.
      if (
        effect.kind === 'withdrawRefund' &&
        this.refunds.get(effect.id)!.count === 0 &&
        this.nowMs % 2 === 0
      ) {
        this.refunds.delete(effect.id);
      }
    }
    if (isTerminal(before.code)) assert(state.code === before.code, 'an end is an end');
    this.check();
  }

  check(): void {
    const books = balances(this.postings);
    this.checkOutgoing(PAYMENTS);
    for (const fiat of ['USD', 'EUR']) {
      assert((books.get(`bank ${fiat}`) ?? 0n) === this.bank(fiat), 'the bank');
    }
    const isOut = this.state.code === 'PROVIDER-COMPLETED-ORDER';
    const wallet = books.get(`wallet 1:${TERMS.crypto.address}`) ?? 0n;
    assert(wallet === (isOut ? -OUT : 0n), 'the wallet');
    // While a payout may leave, the order's amount must not go back too.
    if (this.livePayouts > 0) {
      const counted = Object.entries(this.state.payments).filter(([, each]) => each.isCounted);
      const kept = counted.reduce(
        (sum, [id, { isChargedBack, lost, units }]) =>
          sum + (isChargedBack ? lost : units - this.given(id, ({ isExtra }) => !isExtra)),
        0n,
      );
      assert(kept === IN, 'what is paid out for stays here');
    }
  }

  /** Lets everything come to its end, and checks that nothing is owed then. */
  settle(): void {
    for (let count = 0; count < SETTLE_STEPS; count++) {
      for (const act of ['send', 'confirm', 'refund'] as const) this.act({ do: act });
      this.nowMs += 10_000;
      this.take({ kind: 'tick' });
    }
    if (!isTerminal(this.state.code)) {
      this.act({ do: 'input', input: { kind: 'kycFailed' } });
      this.act({ do: 'input', input: { kind: 'refundOrdered', unsent: true } });
      for (let count = 0; count < SETTLE_STEPS; count++) this.act({ do: 'refund' });
    }
    assert(isTerminal(this.state.code), 'it comes to an end');
    this.checkNothingOwed();
  }

  private get unsent(): boolean {
    return this.payoutIn('queued') !== undefined;
  }

  /** The actual balance of the bank account. */
  private bank(fiat: string): bigint {
    const known = Object.keys(this.state.payments).filter((id) => PAYMENTS[id]!.fiat === fiat);
    const came = known.reduce((sum, id) => sum + PAYMENTS[id]!.units, 0n);
    const taken = known
      .filter((id) => this.state.payments[id]!.isChargedBack)
      .reduce((sum, id) => sum + PAYMENTS[id]!.units, 0n);
    const back = known.reduce(
      (sum, id) => sum + this.given(id, ({ state }) => state === 'done'),
      0n,
    );
    return came - taken - back;
  }

  private given(id: string, is: (refund: BuyState['refunds'][string]) => boolean): bigint {
    return Object.values(this.state.refunds)
      .filter((refund) => refund.of === id && is(refund))
      .reduce((sum, { units }) => sum + units, 0n);
  }
}

describe('a buy', () => {
  it('balances, pays out once and owes nothing, whatever comes in whatever order', () => {
    const ends = new Set<string>();
    fc.assert(
      fc.property(fc.array(acts, { maxLength: 30 }), (all) => {
        const world = new World();
        for (const act of all) world.act(act);
        world.settle();
        ends.add(world.state.code);
      }),
      { numRuns: runs(1_500), examples: [[PAYOUT_FAILS], [CHARGED_BACK_BEFORE_REFUND]] },
    );
    // The runs must have reached every final state.
    expect([...ends].sort()).toEqual([
      ...['PROVIDER-CANCELLED-EXPIRED', 'PROVIDER-CANCELLED-PROVIDER', 'PROVIDER-CANCELLED-USER'],
      ...['PROVIDER-COMPLETED-ORDER', 'PROVIDER-FAILED-KYC', 'PROVIDER-FAILED-LIMIT'],
      ...['PROVIDER-FAILED-PAYMENT', 'PROVIDER-FAILED-PAYOUT', 'PROVIDER-FAILED-REVIEW'],
    ]);
  });
});
