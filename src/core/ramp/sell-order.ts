/**
 * A sell: crypto comes to an address that only this order has, fiat goes out, exactly once.
 *
 *   CREATED-ORDER ─► DEPOSIT ─► PAYOUT ─► COMPLETED-ORDER
 *     │      ▲  ╲      │  ╲       │ the bank refuses
 *     │      ╰───╲─────╯   ╲      ▼
 *     │  reorganised       REVIEW ─► REFUND ─► FAILED-…
 *     └─► CANCELLED-…
 *
 * - A deposit counts when it is final, once by transaction and log index, and only in the ordered
 *   asset.
 * - The exact amount: fiat is paid. More: the excess is sent back to its sender. Less: the order
 *   waits for the rest, then sends back what it has. From another wallet: the order is reviewed.
 * - A deposit for which the order does not wait, such as a second or late one, is sent back.
 */
import { unreachable } from '../base/errors.ts';
import { nativeOrToken, type StatusCode, type Step, type Terms } from './order.ts';
import { type OrderState, OrderStep } from './order-step.ts';

export interface Deposit {
  readonly hash: string;
  /** Lower case. */
  readonly from: string;
  /** In the form of nativeOrToken(). */
  readonly asset: string;
  readonly units: bigint;
}

export interface DepositState extends Deposit {
  /** `seen`: in a block that may still be replaced. `returned`: final, but not for this order. */
  readonly state: 'seen' | 'counted' | 'returned';
}

export interface SellState extends OrderState {
  /** Time until which the deposit is awaited. Unix milliseconds. */
  readonly sendByMs: number;
  readonly deposits: Readonly<Record<string, DepositState>>;
  /** The transaction hash of the customer's deposit. */
  readonly hash?: string | undefined;
}

export type SellInput =
  | { readonly kind: 'depositSeen'; readonly depositId: string; readonly deposit: Deposit }
  | {
      readonly kind: 'depositFinal';
      readonly depositId: string;
      readonly deposit: Deposit;
      readonly verdict: 'good' | 'review';
    }
  /** The deposit's block is no longer in the chain. */
  | { readonly kind: 'depositDropped'; readonly depositId: string }
  | { readonly kind: 'payoutDone'; readonly payoutId: string }
  /** The bank did not pay, and will not pay. */
  | { readonly kind: 'payoutFailed'; readonly payoutId: string; readonly why: string }
  | { readonly kind: 'refunded'; readonly refundId: string; readonly hash: string }
  | { readonly kind: 'cancelled'; readonly by: 'user' | 'provider' }
  | { readonly kind: 'held'; readonly why: string; readonly unsent: boolean }
  | { readonly kind: 'released' }
  | { readonly kind: 'refundOrdered'; readonly unsent: boolean }
  | { readonly kind: 'tick' };

const CODE = {
  created: 'PROVIDER-CREATED-ORDER',
  deposit: 'PROVIDER-PENDING-DEPOSIT',
  review: 'PROVIDER-PENDING-REVIEW',
  payout: 'PROVIDER-PENDING-PAYOUT',
  refund: 'PROVIDER-PENDING-REFUND',
  completed: 'PROVIDER-COMPLETED-ORDER',
  failedDeposit: 'PROVIDER-FAILED-DEPOSIT',
  failedReview: 'PROVIDER-FAILED-REVIEW',
  failedPayout: 'PROVIDER-FAILED-PAYOUT',
  cancelledUser: 'PROVIDER-CANCELLED-USER',
  cancelledProvider: 'PROVIDER-CANCELLED-PROVIDER',
  cancelledExpired: 'PROVIDER-CANCELLED-EXPIRED',
} as const satisfies Record<string, StatusCode>;
/** All status codes that a sell can have. */
export const SELL_CODES: readonly StatusCode[] = Object.values(CODE);

const DEPOSITS_MAX = 100;
const AWAITING: readonly StatusCode[] = [CODE.created, CODE.deposit];

export function newSell(sendByMs: number): SellState {
  return {
    code: CODE.created,
    reason: 'The order waits for the crypto of the customer.',
    sendByMs,
    deposits: {},
    refunds: {},
    payouts: 0,
  };
}

/** Never throws because of input from the ledger, the bank or a customer. */
export function stepSell(
  terms: Terms,
  state: SellState,
  input: SellInput,
  nowMs: number,
): Step<SellState> {
  return new SellStep(terms, state, nowMs).take(input);
}

class SellStep extends OrderStep<SellState> {
  take(input: SellInput): Step<SellState> {
    this.expire();
    switch (input.kind) {
      case 'depositSeen':
        return this.seen(input.depositId, input.deposit);
      case 'depositFinal':
        return this.final(input);
      case 'depositDropped':
        return this.dropped(input.depositId);
      case 'payoutDone':
        return this.payoutDone(input.payoutId);
      case 'payoutFailed':
        return this.payoutFailed(input);
      case 'refunded':
        return this.refunded(input.refundId, input.hash);
      case 'cancelled':
        return this.cancelled(input.by);
      case 'held':
        return this.held(input.why, input.unsent);
      case 'released':
        return this.released();
      case 'refundOrdered':
        return this.refundOrdered(input.unsent);
      case 'tick':
        return this.notes.done();
      default:
        return unreachable(input);
    }
  }

  /** Ends the order after its deadline; a deposit that is in a block by then was in time. */
  private expire(): void {
    const { code, sendByMs } = this.state;
    if (this.nowMs <= sendByMs || !AWAITING.includes(code) || this.isAnySeen) return;
    if (this.counted === 0n) {
      this.enter(CODE.cancelledExpired, 'The crypto did not arrive in time.');
    } else {
      this.giveBack(CODE.failedDeposit, 'The rest of the crypto did not arrive in time.');
    }
  }

  private seen(depositId: string, deposit: Deposit): Step<SellState> {
    const { code, deposits } = this.state;
    const isKnown =
      deposits[depositId] !== undefined || Object.keys(deposits).length >= DEPOSITS_MAX;
    // Deposits for which the order does not wait are handled when they are final.
    if (isKnown || !AWAITING.includes(code) || !this.isOurs(deposit)) return this.notes.done();
    this.putDeposit(depositId, { ...deposit, state: 'seen' });
    this.notes.change({ hash: this.state.hash ?? deposit.hash });
    this.notes.event('deposit.seen', { depositId, units: String(deposit.units) });
    this.enter(CODE.deposit, 'The crypto has arrived, and waits for its confirmations.');
    return this.notes.done();
  }

  private dropped(depositId: string): Step<SellState> {
    const { [depositId]: deposit, ...rest } = this.state.deposits;
    if (deposit?.state !== 'seen') return this.notes.done();
    const next = Object.values(rest).find(({ state }) => state !== 'returned');
    this.notes.change({ deposits: rest, hash: next?.hash });
    this.notes.event('deposit.dropped', { depositId });
    if (!next) this.enter(CODE.created, 'The order waits for the crypto of the customer.');
    return this.notes.done();
  }

  private final({
    depositId,
    deposit,
    verdict,
  }: Extract<SellInput, { kind: 'depositFinal' }>): Step<SellState> {
    const { code, deposits } = this.state;
    const known = deposits[depositId];
    if (deposit.units <= 0n || (known && known.state !== 'seen')) return this.notes.done();
    if (!known && Object.keys(deposits).length >= DEPOSITS_MAX) {
      this.notes.ask({ kind: 'alert', why: 'too many deposits for one order' });
      return this.notes.done();
    }
    const isCounted = AWAITING.includes(code) && this.isOurs(deposit);
    const { asset, units } = deposit;
    this.putDeposit(depositId, { ...deposit, state: isCounted ? 'counted' : 'returned' });
    this.notes.event('deposit.final', { depositId, asset, units: String(units) });
    this.notes.move(asset, units, isCounted ? 'customer' : 'suspense', 'wallet');
    if (!isCounted) {
      this.refundDeposit(depositId, units, true);
      return this.notes.done();
    }
    this.notes.change({ hash: this.state.hash ?? deposit.hash });
    const isOthers = deposit.from !== this.terms.wallet;
    if (isOthers) this.review('The crypto came from another wallet than the order names.');
    else if (verdict === 'review') this.review('The deposit is under review.');
    else this.weigh();
    return this.notes.done();
  }

  private weigh(): void {
    const extra = this.counted - this.terms.amountIn;
    if (extra < 0n) {
      this.enter(CODE.deposit, 'Less arrived than ordered: the order waits for the rest.');
      return;
    }
    this.returnExtra(extra);
    this.askPayout('The crypto has arrived; the money is on its way.');
  }

  /** Refunds the excess, of the last deposits first. */
  private returnExtra(extra: bigint): void {
    let rest = extra;
    for (const [depositId, { state, units }] of Object.entries(this.state.deposits).reverse()) {
      if (state !== 'counted' || rest === 0n) continue;
      const part = rest < units ? rest : units;
      this.refundDeposit(depositId, part, false);
      rest -= part;
    }
  }

  private payoutDone(payoutId: string): Step<SellState> {
    if (!this.isCurrent(payoutId)) return this.notes.done();
    this.notes.move(this.terms.fiat.id, this.terms.amountOut, 'bank', 'customer');
    this.notes.event('payout.confirmed');
    this.enter(CODE.completed, 'The money was sent.');
    return this.notes.done();
  }

  private payoutFailed({
    payoutId,
    why,
  }: Extract<SellInput, { kind: 'payoutFailed' }>): Step<SellState> {
    if (!this.isCurrent(payoutId)) return this.notes.done();
    this.undoPayout(why);
    this.giveBack(CODE.failedPayout, 'The money could not be paid out.');
    return this.notes.done();
  }

  private refunded(refundId: string, hash: string): Step<SellState> {
    const refund = this.state.refunds[refundId];
    if (refund?.state !== 'due') return this.notes.done();
    this.notes.move(refund.asset, refund.units, 'wallet', refund.isExtra ? 'suspense' : 'customer');
    this.notes.event('refund.done', { refundId, hash });
    this.putRefund({ ...refund, state: 'done' });
    this.endWhenGivenBack();
    return this.notes.done();
  }

  private cancelled(by: 'user' | 'provider'): Step<SellState> {
    if (this.state.code !== CODE.created || Object.keys(this.state.deposits).length > 0) {
      return this.notes.refused('crypto has arrived, or the order is over: it cannot be cancelled');
    }
    if (by === 'user') this.enter(CODE.cancelledUser, 'The customer has cancelled the order.');
    else this.enter(CODE.cancelledProvider, 'The provider has cancelled the order.');
    return this.notes.done();
  }

  private held(why: string, unsent: boolean): Step<SellState> {
    const isHere = this.state.code === CODE.deposit && this.counted > 0n && !this.isAnySeen;
    if (!isHere && !this.stopPayout(unsent)) {
      return this.notes.refused('no crypto has arrived, or the money may have left');
    }
    this.notes.event('review.held', { why });
    this.review('The order is under review.');
    return this.notes.done();
  }

  private released(): Step<SellState> {
    if (this.state.code !== CODE.review) return this.notes.refused('the order is not under review');
    this.notes.event('review.released');
    this.weigh();
    return this.notes.done();
  }

  private refundOrdered(unsent: boolean): Step<SellState> {
    if (this.state.code !== CODE.review && !this.stopPayout(unsent)) {
      return this.notes.refused('there is nothing to refund, or the money may have left');
    }
    this.giveBack(CODE.failedReview, 'The order was refused after a review.');
    return this.notes.done();
  }

  private giveBack(endsAs: StatusCode, reason: string): void {
    this.enterRefund(endsAs, reason);
    for (const [depositId, { state, units }] of Object.entries(this.state.deposits)) {
      const rest = units - this.refundsOf(depositId);
      if (state === 'counted' && rest > 0n) this.refundDeposit(depositId, rest, false);
    }
    this.endWhenGivenBack();
  }

  private refundDeposit(depositId: string, units: bigint, isExtra: boolean): void {
    const { asset, from: to } = this.state.deposits[depositId]!;
    this.refund(depositId, units, isExtra, { asset, to });
  }

  private putDeposit(id: string, deposit: DepositState): void {
    this.notes.change({ deposits: { ...this.state.deposits, [id]: deposit } });
  }

  private isOurs({ asset }: Deposit): boolean {
    return asset === nativeOrToken(this.terms.crypto);
  }

  private get isAnySeen(): boolean {
    return Object.values(this.state.deposits).some(({ state }) => state === 'seen');
  }

  /** Units that have arrived for the order and do not go back. */
  private get counted(): bigint {
    return Object.entries(this.state.deposits).reduce(
      (sum, [id, { state, units }]) =>
        state === 'counted' ? sum + units - this.refundsOf(id) : sum,
      0n,
    );
  }

  private review(reason: string): void {
    this.enter(CODE.review, reason);
  }
}
