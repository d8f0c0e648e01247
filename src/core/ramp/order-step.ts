/**
 * What steps of both kinds of orders share: one payout at a time, refunds that never exceed the
 * payment, and a final state that is reached when everything owed was refunded.
 */
import { reversed } from './books.ts';
import {
  exchangePostings,
  isTerminal,
  type RefundState,
  type StatusCode,
  type Terms,
} from './order.ts';
import { StepNotes } from './step-notes.ts';

/** The state that both kinds of orders have. */
export interface OrderState {
  readonly code: StatusCode;
  readonly reason: string;
  readonly refunds: Readonly<Record<string, RefundState>>;
  /** Payouts requested so far; at most one of them is ever carried out. */
  readonly payouts: number;
  /** The order's final state once all refunds are done. */
  readonly endsAs?: StatusCode | undefined;
}

const PAYOUT: StatusCode = 'PROVIDER-PENDING-PAYOUT';
const REFUND: StatusCode = 'PROVIDER-PENDING-REFUND';

export abstract class OrderStep<S extends OrderState> {
  protected readonly terms: Terms;
  protected readonly nowMs: number;
  protected readonly notes: StepNotes<S>;

  constructor(terms: Terms, state: S, nowMs: number) {
    this.terms = terms;
    this.nowMs = nowMs;
    this.notes = new StepNotes(state);
  }

  protected get state(): S {
    return this.notes.state;
  }

  /** Changes the status, unless it is final. */
  protected enter(code: StatusCode, reason: string): void {
    if (isTerminal(this.state.code)) return;
    this.change({ code, reason });
    this.notes.event('status', { code });
  }

  protected change(part: Partial<OrderState>): void {
    this.notes.change(part as Partial<S>);
  }

  /** Requests the payout that was agreed on; the order's whole amount must be here. */
  protected askPayout(reason: string): void {
    const payouts = this.state.payouts + 1;
    this.change({ payouts });
    this.notes.post(exchangePostings(this.terms));
    this.notes.ask({ kind: 'payout', id: `payout-${payouts}` });
    this.enter(PAYOUT, reason);
  }

  /** Whether the order waits for this payout. `codes`: further states in which it may. */
  protected isCurrent(payoutId: string, ...codes: readonly StatusCode[]): boolean {
    const { code, payouts } = this.state;
    return (code === PAYOUT || codes.includes(code)) && payoutId === `payout-${payouts}`;
  }

  /** Stops a queued payout that was not sent; returns whether there was one. */
  protected stopPayout(unsent: boolean): boolean {
    if (this.state.code !== PAYOUT || !unsent) return false;
    this.notes.ask({ kind: 'withdrawPayout', id: `payout-${this.state.payouts}` });
    this.notes.post(reversed(exchangePostings(this.terms)));
    return true;
  }

  /** The payout will never have an effect: what was exchanged is owed again. */
  protected undoPayout(why: string): void {
    this.notes.event('payout.failed', { why });
    this.notes.post(reversed(exchangePostings(this.terms)));
  }

  /** Refunds the payment or deposit `of`. */
  protected refund(
    of: string,
    units: bigint,
    isExtra: boolean,
    { asset, to }: { readonly asset: string; readonly to?: string },
  ): void {
    const count = Object.values(this.state.refunds).filter((each) => each.of === of).length;
    const refund = { id: `refund-${of}-${count + 1}`, of, asset, units, ...(to ? { to } : {}) };
    this.putRefund({ ...refund, state: 'due', isExtra });
    this.notes.event('refund.due', { refundId: refund.id, units: String(units) });
    this.notes.ask({ kind: 'refund', refund });
  }

  protected putRefund(refund: RefundState): void {
    this.change({ refunds: { ...this.state.refunds, [refund.id]: refund } });
  }

  /** Units of a payment or deposit that are refunded, or will be. */
  protected refundsOf(
    of: string,
    states: readonly RefundState['state'][] = ['due', 'done'],
  ): bigint {
    return Object.values(this.state.refunds)
      .filter((refund) => refund.of === of && states.includes(refund.state))
      .reduce((sum, { units }) => sum + units, 0n);
  }

  protected enterRefund(endsAs: StatusCode, reason: string): void {
    this.change({ endsAs });
    this.enter(REFUND, reason);
  }

  protected endWhenGivenBack(): void {
    const { code, endsAs, refunds, reason } = this.state;
    if (code !== REFUND || endsAs === undefined) return;
    const isOpen = Object.values(refunds).some(({ state, isExtra }) => state === 'due' && !isExtra);
    if (!isOpen) this.enter(endsAs, reason);
  }
}
