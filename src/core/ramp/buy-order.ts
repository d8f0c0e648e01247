/**
 * A buy: fiat comes in, crypto goes out, once.
 *
 *   ORDER ─► KYC ─► AUTHORIZATION ─► PAYMENT ─► PAYOUT ─► CONFIRMATION ─► COMPLETED-ORDER
 *     │       │          │             │  ╲       │           │ reverted
 *     │       │          │             │   REVIEW │           ▼
 *     └───────┴──────────┴─────────────┘      ╲   └────────► REFUND ─► FAILED-…
 *       CANCELLED-… or FAILED-PAYMENT          ╲──────────────┘
 *
 * - A payment counts once, by its id, however often and under whatever event it is reported.
 * - The payout is asked for only while all of the amount is here; it and a refund of that amount
 *   exclude each other. Once it may have left, nothing asks for another one: `unsent` inputs say that
 *   it has provably not left, in the same transaction that stops it.
 * - Money that comes when the order does not wait for it is sent back, and the order stays as it is.
 */
import { unreachable } from '../base/errors.ts';
import { reversed } from './books.ts';
import {
  exchangePostings,
  isTerminal,
  nativeOrToken,
  type RefundState,
  type StatusCode,
  type Step,
  type Terms,
} from './order.ts';
import { StepNotes } from './step-notes.ts';

export interface Payment {
  readonly fiat: string;
  readonly units: bigint;
  /** Belongs to the order; others came too late, twice, or in another currency. */
  readonly isCounted: boolean;
  readonly isChargedBack: boolean;
  /** Charged back while the crypto may have left. */
  readonly lost: bigint;
}

export interface BuyState {
  readonly code: StatusCode;
  readonly reason: string;
  /** Unpaid orders end then. Unix milliseconds. */
  readonly payByMs: number;
  readonly isKycPassed: boolean;
  readonly payments: Readonly<Record<string, Payment>>;
  readonly refunds: Readonly<Record<string, RefundState>>;
  /** Why it is under review; `short` goes on by itself when the rest comes. */
  readonly hold?: 'short' | 'other' | undefined;
  /** Payouts asked for so far; one of them at most ever leaves. */
  readonly payouts: number;
  readonly hash?: string | undefined;
  /** What it becomes when all refunds are done. */
  readonly endsAs?: StatusCode | undefined;
}

/** What limits and lists of denied wallets say when the money is here. */
export type Verdict = 'good' | 'limit' | 'review';

export type BuyInput =
  | { readonly kind: 'kycStarted' }
  | { readonly kind: 'kycPassed'; readonly verdict: Verdict }
  | { readonly kind: 'kycFailed' }
  | { readonly kind: 'authorizing' }
  /** A transfer was announced, or a card authorized: it settles until then. */
  | { readonly kind: 'announced'; readonly payByMs: number }
  | {
      readonly kind: 'settled';
      readonly paymentId: string;
      readonly fiat: string;
      readonly units: bigint;
      readonly verdict: Verdict;
    }
  | { readonly kind: 'declined'; readonly why: string }
  | { readonly kind: 'payoutSent'; readonly payoutId: string; readonly hash: string }
  | { readonly kind: 'payoutConfirmed'; readonly payoutId: string }
  /** Provably without effect on the ledger, for ever. */
  | { readonly kind: 'payoutFailed'; readonly payoutId: string; readonly why: string }
  | { readonly kind: 'refunded'; readonly refundId: string }
  | { readonly kind: 'chargedBack'; readonly paymentId: string; readonly unsent: boolean }
  | { readonly kind: 'cancelled'; readonly by: 'user' | 'provider' }
  | { readonly kind: 'held'; readonly why: string; readonly unsent: boolean }
  | { readonly kind: 'released' }
  | { readonly kind: 'refundOrdered'; readonly unsent: boolean }
  | { readonly kind: 'tick' };

const CODE = {
  order: 'PROVIDER-PENDING-ORDER',
  kyc: 'PROVIDER-PENDING-KYC',
  authorization: 'PROVIDER-PENDING-AUTHORIZATION',
  payment: 'PROVIDER-PENDING-PAYMENT',
  review: 'PROVIDER-PENDING-REVIEW',
  payout: 'PROVIDER-PENDING-PAYOUT',
  confirmation: 'PROVIDER-PENDING-CONFIRMATION',
  refund: 'PROVIDER-PENDING-REFUND',
  completed: 'PROVIDER-COMPLETED-ORDER',
  failedPayment: 'PROVIDER-FAILED-PAYMENT',
  failedKyc: 'PROVIDER-FAILED-KYC',
  failedLimit: 'PROVIDER-FAILED-LIMIT',
  failedReview: 'PROVIDER-FAILED-REVIEW',
  failedPayout: 'PROVIDER-FAILED-PAYOUT',
  cancelledUser: 'PROVIDER-CANCELLED-USER',
  cancelledProvider: 'PROVIDER-CANCELLED-PROVIDER',
  cancelledExpired: 'PROVIDER-CANCELLED-EXPIRED',
} as const satisfies Record<string, StatusCode>;

/** Of one order: more payments than any customer makes by mistake. */
const PAYMENTS_MAX = 100;
const UNPAID: readonly StatusCode[] = [CODE.order, CODE.kyc, CODE.authorization, CODE.payment];
const BEFORE_PAYMENT: readonly StatusCode[] = [CODE.order, CODE.kyc, CODE.authorization];

export function newBuy(payByMs: number): BuyState {
  return {
    code: CODE.order,
    reason: 'The order waits for its payment.',
    payByMs,
    isKycPassed: true,
    payments: {},
    refunds: {},
    payouts: 0,
  };
}

/** Never throws on what a payment provider, ledger or customer says. */
export function stepBuy(
  terms: Terms,
  state: BuyState,
  input: BuyInput,
  nowMs: number,
): Step<BuyState> {
  return new BuyStep(terms, state, nowMs).take(input);
}

class BuyStep {
  private readonly terms: Terms;
  private readonly nowMs: number;
  private readonly notes: StepNotes<BuyState>;

  constructor(terms: Terms, state: BuyState, nowMs: number) {
    this.terms = terms;
    this.nowMs = nowMs;
    this.notes = new StepNotes(state);
  }

  private get state(): BuyState {
    return this.notes.state;
  }

  take(input: BuyInput): Step<BuyState> {
    // Whatever comes after the deadline meets an order that is over.
    this.expire();
    switch (input.kind) {
      case 'kycStarted':
      case 'kycPassed':
      case 'kycFailed':
        return this.kyc(input);
      case 'authorizing':
        if (this.state.code === CODE.order) {
          this.enter(CODE.authorization, 'The bank asks the customer to approve the payment.');
        }
        return this.notes.done();
      case 'announced':
        return this.announced(input.payByMs);
      case 'settled':
        return this.settled(input);
      case 'declined':
        return this.declined(input.why);
      case 'payoutSent':
        return this.payoutSent(input);
      case 'payoutConfirmed':
        return this.payoutConfirmed(input.payoutId);
      case 'payoutFailed':
        return this.payoutFailed(input);
      case 'refunded':
        return this.refunded(input.refundId);
      case 'chargedBack':
        return this.chargedBack(input.paymentId, input.unsent);
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

  private expire(): void {
    const { code, payByMs, hold } = this.state;
    if (this.nowMs <= payByMs) return;
    if (BEFORE_PAYMENT.includes(code) && this.counted === 0n) {
      this.enter(CODE.cancelledExpired, 'The order was not paid in time.');
    } else if (code === CODE.payment && this.counted === 0n) {
      this.enter(CODE.failedPayment, 'The payment did not arrive in time.');
    } else if (code === CODE.review && hold === 'short') {
      this.giveBack(CODE.failedPayment, 'The rest of the payment did not arrive in time.');
    }
  }

  private kyc(
    input: Extract<BuyInput, { kind: 'kycStarted' | 'kycPassed' | 'kycFailed' }>,
  ): Step<BuyState> {
    const { code } = this.state;
    if (input.kind === 'kycStarted' && code === CODE.order) {
      this.notes.change({ isKycPassed: false });
      this.enter(CODE.kyc, 'The customer is being identified.');
    } else if (input.kind === 'kycPassed' && code === CODE.kyc) {
      this.notes.change({ isKycPassed: true });
      this.enter(CODE.order, 'The order waits for its payment.');
      if (this.counted > 0n) this.weigh(input.verdict);
    } else if (input.kind === 'kycFailed' && code === CODE.kyc) {
      this.giveBack(CODE.failedKyc, 'The customer could not be identified.');
    }
    return this.notes.done();
  }

  private announced(payByMs: number): Step<BuyState> {
    const { code } = this.state;
    if (code !== CODE.order && code !== CODE.authorization) return this.notes.done();
    this.notes.change({ payByMs: Math.max(payByMs, this.state.payByMs) });
    this.enter(CODE.payment, 'The payment is on its way.');
    return this.notes.done();
  }

  private settled({
    paymentId,
    fiat,
    units,
    verdict,
  }: Extract<BuyInput, { kind: 'settled' }>): Step<BuyState> {
    const { code, payments } = this.state;
    if (payments[paymentId] || units <= 0n) return this.notes.done();
    if (Object.keys(payments).length >= PAYMENTS_MAX) {
      this.notes.ask({ kind: 'alert', why: 'too many payments for one order' });
      return this.notes.done();
    }
    const isAwaited =
      UNPAID.includes(code) || (code === CODE.review && this.state.hold === 'short');
    const isCounted = isAwaited && fiat === this.terms.fiat.id;
    const payment = { fiat, units, isCounted, isChargedBack: false, lost: 0n };
    this.putPayment(paymentId, payment);
    this.notes.event('payment.settled', { paymentId, fiat, units: String(units) });
    this.notes.move(fiat, units, isCounted ? 'customer' : 'suspense', 'bank');
    if (isCounted) this.weigh(verdict);
    else this.refund(paymentId, units, true);
    return this.notes.done();
  }

  /** Money of the order is here: does it go on? */
  private weigh(verdict: Verdict): void {
    const { amountIn } = this.terms;
    if (!this.state.isKycPassed) return;
    if (verdict === 'limit') {
      this.giveBack(CODE.failedLimit, 'The amount is outside the limits.');
    } else if (verdict === 'review') {
      this.review('The payment is being looked at.', 'other');
    } else if (this.counted < amountIn) {
      this.review('Less was paid than ordered: the order waits for the rest.', 'short');
    } else if (this.counted > amountIn) {
      this.review('More was paid than ordered.', 'other');
    } else {
      this.payOut();
    }
  }

  private declined(why: string): Step<BuyState> {
    if (UNPAID.includes(this.state.code) && this.counted === 0n) {
      this.notes.event('payment.failed', { why });
      this.enter(CODE.failedPayment, 'The payment was declined.');
    }
    return this.notes.done();
  }

  private payOut(): void {
    const id = `payout-${this.state.payouts + 1}`;
    this.notes.change({ payouts: this.state.payouts + 1, hold: undefined });
    this.notes.post(exchangePostings(this.terms));
    this.notes.ask({ kind: 'payout', id });
    this.enter(CODE.payout, 'The payment has arrived; the crypto is about to be sent.');
  }

  private isCurrent(payoutId: string): boolean {
    const { code, payouts } = this.state;
    return (code === CODE.payout || code === CODE.confirmation) && payoutId === `payout-${payouts}`;
  }

  private payoutSent({
    payoutId,
    hash,
  }: Extract<BuyInput, { kind: 'payoutSent' }>): Step<BuyState> {
    if (!this.isCurrent(payoutId) || this.state.hash === hash) return this.notes.done();
    const type = this.state.hash === undefined ? 'payout.broadcast' : 'payout.replaced';
    this.notes.change({ hash });
    this.notes.event(type, { hash });
    this.enter(CODE.confirmation, 'The crypto is on its way.');
    return this.notes.done();
  }

  private payoutConfirmed(payoutId: string): Step<BuyState> {
    if (!this.isCurrent(payoutId)) return this.notes.done();
    const { crypto, amountOut } = this.terms;
    this.notes.move(nativeOrToken(crypto), amountOut, 'wallet', 'customer');
    this.notes.event('payout.confirmed');
    this.enter(CODE.completed, 'The crypto has arrived.');
    return this.notes.done();
  }

  private payoutFailed({
    payoutId,
    why,
  }: Extract<BuyInput, { kind: 'payoutFailed' }>): Step<BuyState> {
    if (!this.isCurrent(payoutId)) return this.notes.done();
    this.notes.event('payout.failed', { why });
    this.notes.post(reversed(exchangePostings(this.terms)));
    this.giveBack(CODE.failedPayout, 'The crypto could not be sent.');
    return this.notes.done();
  }

  private refunded(refundId: string): Step<BuyState> {
    const refund = this.state.refunds[refundId];
    if (!refund || refund.state === 'done') return this.notes.done();
    const { asset, units, isExtra } = refund;
    this.notes.event('refund.done', { refundId });
    if (refund.state === 'void') {
      // Both gave it back, the refund and the charge-back.
      this.notes.move(asset, units, 'bank', 'loss');
      this.notes.ask({ kind: 'alert', why: 'a payment was refunded and charged back' });
    } else {
      this.notes.move(asset, units, 'bank', isExtra ? 'suspense' : 'customer');
    }
    this.putRefund({ ...refund, state: 'done' });
    this.endWhenGivenBack();
    return this.notes.done();
  }

  private chargedBack(paymentId: string, unsent: boolean): Step<BuyState> {
    const payment = this.state.payments[paymentId];
    if (!payment || payment.isChargedBack) return this.notes.done();
    this.notes.event('payment.chargeback', { paymentId, units: String(payment.units) });
    this.notes.ask({ kind: 'alert', why: 'a payment was charged back' });
    const isOwed = payment.isCounted && (this.stopPayout(unsent) || this.isUnspent);
    const { fiat, units } = payment;
    const [due, done] = [this.refundsOf(paymentId, 'due'), this.refundsOf(paymentId, 'done')];
    this.voidRefunds(paymentId);
    // What was refunded already is given back a second time.
    this.notes.move(fiat, done, 'bank', 'loss');
    const rest = units - due - done;
    this.notes.move(fiat, rest, 'bank', isOwed ? 'customer' : 'loss');
    this.putPayment(paymentId, { ...payment, isChargedBack: true, lost: isOwed ? 0n : rest });
    if (isOwed) this.giveBack(CODE.failedPayment, 'The payment was charged back.');
    else this.endWhenGivenBack();
    return this.notes.done();
  }

  /** What was to be refunded is given back by a charge-back. */
  private voidRefunds(paymentId: string): void {
    for (const refund of Object.values(this.state.refunds)) {
      if (refund.of !== paymentId || refund.state !== 'due') continue;
      this.notes.ask({ kind: 'withdrawRefund', id: refund.id });
      this.notes.move(refund.asset, refund.units, 'bank', refund.isExtra ? 'suspense' : 'customer');
      this.putRefund({ ...refund, state: 'void' });
    }
  }

  /** Money of the order is here, and neither exchanged nor on its way back. */
  private get isUnspent(): boolean {
    const { code } = this.state;
    return UNPAID.includes(code) || code === CODE.review;
  }

  private cancelled(by: 'user' | 'provider'): Step<BuyState> {
    const { code } = this.state;
    const may = by === 'user' ? BEFORE_PAYMENT : UNPAID;
    if (!may.includes(code) || this.counted > 0n) {
      return this.notes.refused('the order is paid, or over: it cannot be cancelled');
    }
    if (by === 'user') this.enter(CODE.cancelledUser, 'The customer has cancelled the order.');
    else this.enter(CODE.cancelledProvider, 'The provider has cancelled the order.');
    return this.notes.done();
  }

  private held(why: string, unsent: boolean): Step<BuyState> {
    const { code } = this.state;
    if (code === CODE.review) {
      this.notes.change({ hold: 'other' });
    } else if (code === CODE.payout && this.stopPayout(unsent)) {
      this.review('The order is being looked at.', 'other');
    } else {
      return this.notes.refused('the order is not paid, or its crypto may have left');
    }
    this.notes.event('review.held', { why });
    return this.notes.done();
  }

  /** Whether a payout was queued, and is not any more. */
  private stopPayout(unsent: boolean): boolean {
    if (this.state.code !== CODE.payout || !unsent) return false;
    this.notes.ask({ kind: 'withdrawPayout', id: `payout-${this.state.payouts}` });
    this.notes.post(reversed(exchangePostings(this.terms)));
    return true;
  }

  private released(): Step<BuyState> {
    if (this.state.code !== CODE.review) return this.notes.refused('the order is not under review');
    const extra = this.counted - this.terms.amountIn;
    if (extra < 0n) return this.notes.refused('less was paid than ordered: refund it');
    this.notes.event('review.released');
    let rest = extra;
    for (const [paymentId, payment] of Object.entries(this.state.payments)) {
      if (!payment.isCounted || payment.isChargedBack || rest === 0n) continue;
      const part = rest < payment.units ? rest : payment.units;
      this.refund(paymentId, part, false);
      rest -= part;
    }
    this.payOut();
    return this.notes.done();
  }

  private refundOrdered(unsent: boolean): Step<BuyState> {
    const { code } = this.state;
    if (code !== CODE.review && !this.stopPayout(unsent)) {
      return this.notes.refused('there is nothing to refund, or the crypto may have left');
    }
    this.giveBack(CODE.failedReview, 'The order was refused after a review.');
    return this.notes.done();
  }

  /** Everything of the order that is here goes back; then it ends. */
  private giveBack(endsAs: StatusCode, reason: string): void {
    this.notes.change({ hold: undefined, endsAs });
    this.enter(CODE.refund, reason);
    for (const [paymentId, payment] of Object.entries(this.state.payments)) {
      const { isCounted, isChargedBack, units, lost, fiat } = payment;
      if (!isCounted) continue;
      const rest = units - this.refundsOf(paymentId, 'due', 'done');
      if (!isChargedBack && rest > 0n) this.refund(paymentId, rest, false);
      // Not lost after all: the customer has it, and has no crypto.
      this.notes.move(fiat, lost, 'loss', 'customer');
      this.putPayment(paymentId, { ...payment, lost: 0n });
    }
    this.endWhenGivenBack();
  }

  private endWhenGivenBack(): void {
    const { code, endsAs, refunds, reason } = this.state;
    if (code !== CODE.refund || endsAs === undefined) return;
    const isOpen = Object.values(refunds).some(({ state, isExtra }) => state === 'due' && !isExtra);
    if (!isOpen) this.enter(endsAs, reason);
  }

  private refund(paymentId: string, units: bigint, isExtra: boolean): void {
    const count = Object.values(this.state.refunds).filter(({ of }) => of === paymentId).length;
    const refund = {
      id: `refund-${paymentId}-${count + 1}`,
      of: paymentId,
      asset: this.state.payments[paymentId]!.fiat,
      units,
    };
    this.putRefund({ ...refund, state: 'due', isExtra });
    this.notes.event('refund.due', { refundId: refund.id, units: String(units) });
    this.notes.ask({ kind: 'refund', refund });
  }

  private putRefund(refund: RefundState): void {
    this.notes.change({ refunds: { ...this.state.refunds, [refund.id]: refund } });
  }

  private putPayment(id: string, payment: Payment): void {
    this.notes.change({ payments: { ...this.state.payments, [id]: payment } });
  }

  private refundsOf(paymentId: string, ...states: RefundState['state'][]): bigint {
    return Object.values(this.state.refunds)
      .filter(({ of, state }) => of === paymentId && states.includes(state))
      .reduce((sum, { units }) => sum + units, 0n);
  }

  /** What was paid for the order and is not going back. */
  private get counted(): bigint {
    return Object.entries(this.state.payments).reduce(
      (sum, [id, { isCounted, isChargedBack, units }]) =>
        isCounted && !isChargedBack ? sum + units - this.refundsOf(id, 'due', 'done') : sum,
      0n,
    );
  }

  private review(reason: string, hold: 'short' | 'other'): void {
    this.notes.change({ hold });
    this.enter(CODE.review, reason);
  }

  private enter(code: StatusCode, reason: string): void {
    if (isTerminal(this.state.code)) return;
    this.notes.change({ code, reason });
    this.notes.event('status', { code });
  }
}
