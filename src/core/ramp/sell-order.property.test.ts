/**
 * Sells under everything that can happen to them, in any order and any number of times: the books
 * balance after each step, money leaves once, and in the end the provider owes nothing.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/support/effort.ts';
import { OrderWorld } from '../../../test/support/order-world.ts';
import { assert } from '../base/errors.ts';
import { balances } from './books.ts';
import { isTerminal, type Terms } from './order.ts';
import { type Deposit, newSell, type SellInput, type SellState, stepSell } from './sell-order.ts';

/** Enough for all refunds, each of which may be reported twice. */
const SETTLE_STEPS = 30;
const WALLET = `0x${'ab'.repeat(20)}`;
const TOKEN = `1:0x${'11'.repeat(20)}`;
const OTHER = `1:0x${'22'.repeat(20)}`;
const IN = 1_000n;
const TERMS: Terms = {
  side: 'sell',
  fiat: { id: 'JPY', decimals: 0 },
  crypto: { id: 'tok', address: `0x${'11'.repeat(20)}`, network: '1', decimals: 2 },
  amountIn: IN,
  amountOut: 450n,
  fees: { processing: 40n, network: 0n, partner: 10n },
  wallet: WALLET,
};
const DEPOSITS: Readonly<Record<string, Deposit>> = {
  exact: { hash: '0x01', from: WALLET, asset: TOKEN, units: IN },
  again: { hash: '0x02', from: WALLET, asset: TOKEN, units: IN },
  part: { hash: '0x03', from: WALLET, asset: TOKEN, units: 400n },
  rest: { hash: '0x04', from: WALLET, asset: TOKEN, units: 600n },
  much: { hash: '0x05', from: WALLET, asset: TOKEN, units: 1_700n },
  others: { hash: '0x06', from: `0x${'cd'.repeat(20)}`, asset: TOKEN, units: IN },
  wrong: { hash: '0x07', from: WALLET, asset: OTHER, units: 5n },
};
const ids = fc.constantFrom(...Object.keys(DEPOSITS));

type Act =
  | { readonly do: 'see' | 'drop'; readonly id: string }
  | { readonly do: 'finish'; readonly id: string; readonly verdict: 'good' | 'review' }
  | { readonly do: 'pay' | 'refuse' | 'refund' }
  | { readonly do: 'input'; readonly input: SellInput }
  | { readonly do: 'wait'; readonly ms: number };

const acts = fc.oneof(
  fc.record({ do: fc.constantFrom('see', 'drop'), id: ids }),
  fc.record({
    do: fc.constant('finish'),
    id: ids,
    verdict: fc.constantFrom('good', 'good', 'good', 'review'),
  }),
  fc.record({ do: fc.constantFrom('pay', 'pay', 'refuse', 'refund') }),
  fc.record({ do: fc.constant('wait'), ms: fc.constantFrom(1, 300, 700) }),
  fc.record({
    do: fc.constant('input'),
    input: fc.constantFrom<SellInput>(
      { kind: 'cancelled', by: 'user' },
      { kind: 'cancelled', by: 'provider' },
      { kind: 'held', why: 'x', unsent: true },
      { kind: 'released' },
      { kind: 'refundOrdered', unsent: true },
      { kind: 'tick' },
    ),
  }),
) as fc.Arbitrary<Act>;

class World extends OrderWorld {
  state: SellState = newSell(1_000);
  nowMs = 0;
  /** Deposits in a final block, which no reorganisation removes. */
  readonly finals = new Set<string>();

  act(act: Act): void {
    const input = this.inputOf(act);
    if (input) this.take(input);
  }

  private inputOf(act: Act): SellInput | undefined {
    switch (act.do) {
      case 'see':
        return { kind: 'depositSeen', depositId: act.id, deposit: DEPOSITS[act.id]! };
      case 'drop':
        if (this.finals.has(act.id)) return undefined;
        return { kind: 'depositDropped', depositId: act.id };
      case 'finish':
        this.finals.add(act.id);
        return {
          ...{ kind: 'depositFinal', depositId: act.id, deposit: DEPOSITS[act.id]! },
          verdict: act.verdict,
        };
      case 'pay':
        return this.payout('queued', 'done', (payoutId) => ({ kind: 'payoutDone', payoutId }));
      case 'refuse':
        return this.payout('queued', 'gone', (payoutId) => ({
          kind: 'payoutFailed',
          payoutId,
          why: 'x',
        }));
      case 'refund':
        return this.refund();
      case 'wait':
        this.nowMs += act.ms;
        return undefined;
      case 'input':
        return 'unsent' in act.input
          ? { ...act.input, unsent: this.payoutIn('queued') !== undefined }
          : act.input;
    }
  }

  private refund(): SellInput | undefined {
    const refundId = this.nextRefund();
    return refundId === undefined ? undefined : { kind: 'refunded', refundId, hash: '0x09' };
  }

  take(input: SellInput): void {
    const before = this.state;
    const { state, effects } = stepSell(TERMS, before, input, this.nowMs);
    this.state = state;
    this.carryOut(effects);
    for (const effect of effects) {
      if (effect.kind !== 'refund') continue;
      const { of, to } = effect.refund;
      assert(to === DEPOSITS[of]!.from, 'it goes back to its sender');
    }
    if (isTerminal(before.code)) assert(state.code === before.code, 'an end is an end');
    this.check();
  }

  check(): void {
    const books = balances(this.postings);
    this.checkOutgoing(DEPOSITS);
    for (const asset of [TOKEN, OTHER]) {
      assert((books.get(`wallet ${asset}`) ?? 0n) === this.wallet(asset), 'the wallet');
    }
    const isPaid = this.state.code === 'PROVIDER-COMPLETED-ORDER';
    assert((books.get('bank JPY') ?? 0n) === (isPaid ? -TERMS.amountOut : 0n), 'the bank');
    // While fiat is paid out, the crypto that stays here is exactly the ordered amount.
    if (this.livePayouts > 0) {
      const kept = Object.entries(this.state.deposits)
        .filter(([, { state }]) => state === 'counted')
        .reduce((sum, [id, { units }]) => sum + units - this.given(id, () => true), 0n);
      assert(kept === IN, 'what is paid out for stays here');
    }
  }

  settle(): void {
    for (const [id, { state }] of Object.entries(this.state.deposits)) {
      if (state === 'seen') this.act({ do: 'finish', id, verdict: 'good' });
    }
    for (let count = 0; count < SETTLE_STEPS; count++) {
      for (const act of ['pay', 'refund'] as const) this.act({ do: act });
      this.nowMs += 10_000;
      this.take({ kind: 'tick' });
    }
    if (!isTerminal(this.state.code)) {
      this.act({ do: 'input', input: { kind: 'refundOrdered', unsent: true } });
      for (let count = 0; count < SETTLE_STEPS; count++) this.act({ do: 'refund' });
    }
    assert(isTerminal(this.state.code), 'it comes to an end');
    this.checkNothingOwed();
  }

  private payout(from: string, to: 'done' | 'gone', input: (id: string) => SellInput) {
    const id = this.payoutIn(from);
    if (id === undefined) return undefined;
    this.payouts.set(id, to);
    return input(id);
  }

  /** The actual amount at the order's address, or collected from it. */
  private wallet(asset: string): bigint {
    return Object.entries(this.state.deposits)
      .filter(([id, { state }]) => DEPOSITS[id]!.asset === asset && state !== 'seen')
      .reduce(
        (sum, [id, { units }]) => sum + units - this.given(id, ({ state }) => state === 'done'),
        0n,
      );
  }

  private given(id: string, is: (refund: SellState['refunds'][string]) => boolean): bigint {
    return Object.values(this.state.refunds)
      .filter((refund) => refund.of === id && is(refund))
      .reduce((sum, { units }) => sum + units, 0n);
  }
}

describe('a sell', () => {
  it('balances, pays once and owes nothing, whatever comes in whatever order', () => {
    const ends = new Set<string>();
    fc.assert(
      fc.property(fc.array(acts, { maxLength: 40 }), (all) => {
        const world = new World();
        for (const act of all) world.act(act);
        world.settle();
        ends.add(world.state.code);
      }),
      { numRuns: runs(1_500) },
    );
    expect([...ends].sort()).toEqual([
      ...['PROVIDER-CANCELLED-EXPIRED', 'PROVIDER-CANCELLED-PROVIDER', 'PROVIDER-CANCELLED-USER'],
      ...['PROVIDER-COMPLETED-ORDER', 'PROVIDER-FAILED-DEPOSIT', 'PROVIDER-FAILED-PAYOUT'],
      'PROVIDER-FAILED-REVIEW',
    ]);
  });
});
