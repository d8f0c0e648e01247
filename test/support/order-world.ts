/**
 * The world around a buy or sell order: carries out the effects of its steps, and checks the
 * invariants of both kinds.
 */
import { assert } from '../../src/core/base/errors.ts';
import { balances, type Posting } from '../../src/core/ramp/books.ts';
import type { Effect, Terms } from '../../src/core/ramp/order.ts';

interface OrderStep<State> {
  readonly state: State;
  readonly effects: readonly Effect[];
  readonly refusal?: string | undefined;
}

/** Runs `inputs` one by one, starting from `first`, and returns the outcome. */
export function playOrder<State extends { readonly code: string }, Input>(
  step: (terms: Terms, state: State, input: Input, nowMs: number) => OrderStep<State>,
  terms: Terms,
  first: State,
) {
  return (inputs: readonly Input[], nowMs = 500, from = first) => {
    let state = from;
    const effects: Effect[] = [];
    let refusal: string | undefined;
    for (const input of inputs) {
      const next = step(terms, state, input, nowMs);
      state = next.state;
      refusal = next.refusal;
      effects.push(...next.effects);
    }
    const asked = effects.filter(
      ({ kind }) => kind !== 'event' && kind !== 'post' && kind !== 'alert',
    );
    const posted = effects.flatMap((each) => (each.kind === 'post' ? each.postings : []));
    return { state, refusal, asked, code: state.code, books: balances(posted) };
  };
}

export abstract class OrderWorld {
  readonly postings: Posting[] = [];
  readonly payouts = new Map<string, 'queued' | 'sent' | 'done' | 'gone'>();
  /** `count`: how often its arrival was reported. */
  readonly refunds = new Map<
    string,
    { readonly units: bigint; readonly asset: string; readonly of: string; count: number }
  >();

  protected carryOut(effects: readonly Effect[]): void {
    for (const effect of effects) {
      if (effect.kind === 'post') this.postings.push(...effect.postings);
      if (effect.kind === 'payout') {
        assert(this.payouts.has(effect.id) === false, 'an id is used once');
        this.payouts.set(effect.id, 'queued');
      }
      if (effect.kind === 'withdrawPayout') {
        assert(this.payouts.get(effect.id) === 'queued', 'only what has not left is withdrawn');
        this.payouts.set(effect.id, 'gone');
      }
      if (effect.kind === 'refund') {
        const { id, units, asset, of } = effect.refund;
        assert(this.refunds.has(id) === false, 'an id is used once');
        this.refunds.set(id, { units, asset, of, count: 0 });
      }
    }
  }

  /** The next refund to report as arrived, each at most twice; undefined: none is left. */
  protected nextRefund(): string | undefined {
    for (const [id, refund] of this.refunds) {
      if (refund.count > 1) continue;
      refund.count++;
      return id;
    }
    return undefined;
  }

  /** The first payout in one of these states. */
  protected payoutIn(...states: readonly string[]): string | undefined {
    return [...this.payouts].find(([, state]) => states.includes(state))?.[0];
  }

  /**
   * Checks the payout, of which there is one at most, and the refunds. `came`: everything that
   * arrived, by id.
   */
  protected checkOutgoing(came: Readonly<Record<string, { readonly units: bigint }>>): void {
    assert(this.livePayouts <= 1, 'one payout at most');
    for (const [id, { units }] of Object.entries(came)) {
      const back = [...this.refunds.values()].filter(({ of }) => of === id);
      assert(
        back.reduce((sum, each) => sum + each.units, 0n) <= units,
        'no more goes back than came',
      );
    }
  }

  protected get livePayouts(): number {
    return [...this.payouts.values()].filter((each) => each !== 'gone').length;
  }

  protected checkNothingOwed(): void {
    const open = [...balances(this.postings)].filter(
      ([key, units]) => /^(?:customer|suspense)/.test(key) && units !== 0n,
    );
    assert(open.length === 0, `nothing is owed: ${open}`);
  }
}
