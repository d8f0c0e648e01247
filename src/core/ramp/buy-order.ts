/**
 * A buy: fiat comes in, crypto goes out, exactly once.
 *
 *   ORDER ─► KYC ─► AUTHORIZATION ─► PAYMENT ─► PAYOUT ─► CONFIRMATION ─► COMPLETED-ORDER
 *     │       │          │             │  ╲       │           │ reverted
 *     │       │          │             │   REVIEW │           ▼
 *     └───────┴──────────┴─────────────┘      ╲   └────────► REFUND ─► FAILED-…
 *       CANCELLED-… or FAILED-PAYMENT          ╲──────────────┘
 *
 * - A payment counts once, by its id, no matter how often and with which event it is reported.
 * - The payout is requested only while the whole amount is here; it and a refund of that amount
 *   exclude each other. Once it may have left, no other payout is requested: `unsent` in an input
 *   says that it has provably not left, in the same transaction that stops it.
 * - Money that arrives unexpectedly is sent back, and the order does not change.
 */
import { unreachable } from '../base/errors.ts';
import type { BuyInput, Verdict } from './buy-input.ts';
import { nativeOrToken, type StatusCode, type Step, type Terms } from './order.ts';
import { type OrderState, OrderStep } from './order-step.ts';

export interface Payment {
  readonly fiat: string;
  readonly units: bigint;
  /** True: belongs to the order. False: came too late, twice, or in another currency. */
  readonly isCounted: boolean;
  readonly isChargedBack: boolean;
  /** Fiat units that were charged back while the crypto may have left. */
  readonly lost: bigint;
}

export interface BuyState extends OrderState {
  /** An unpaid order ends at this time. Unix milliseconds. */
  readonly payByMs: number;
  readonly isKycPassed: boolean;
  readonly payments: Readonly<Record<string, Payment>>;
  /** Why it is under review; `short` continues automatically when the rest arrives. */
  readonly hold?: 'short' | 'other' | undefined;
  readonly hash?: string | undefined;
}

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
/** All status codes that a buy can have. */
export const BUY_CODES: readonly StatusCode[] = Object.values(CODE);

/** Most payments per order: more than any customer makes by mistake. */
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

/** Never throws because of input from a payment provider, the ledger or a customer. */
export function stepBuy(
  terms: Terms,
  state: BuyState,
  input: BuyInput,
  nowMs: number,
): Step<BuyState> {
  return new BuyStep(terms, state, nowMs).take(input);
}

class BuyStep extends OrderStep<BuyState> {
  take(input: BuyInput): Step<BuyState> {
    // After the deadline, the order ends before any input is handled.
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
    else this.refundPayment(paymentId, units, true);
    return this.notes.done();
  }

  /** The order's money has arrived: decides how to continue. */
  private weigh(verdict: Verdict): void {
    const { amountIn } = this.terms;
    if (!this.state.isKycPassed) return;
    if (verdict === 'limit') {
      this.giveBack(CODE.failedLimit, 'The amount is outside the limits.');
    } else if (verdict === 'review') {
      this.review('The payment is under review.', 'other');
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
    this.notes.change({ hold: undefined });
    this.askPayout('The payment has arrived; the crypto is about to be sent.');
  }

  private payoutSent({
    payoutId,
    hash,
  }: Extract<BuyInput, { kind: 'payoutSent' }>): Step<BuyState> {
    if (!this.isCurrent(payoutId, CODE.confirmation) || this.state.hash === hash)
      return this.notes.done();
    const type = this.state.hash === undefined ? 'payout.broadcast' : 'payout.replaced';
    this.notes.change({ hash });
    this.notes.event(type, { hash });
    this.enter(CODE.confirmation, 'The crypto is on its way.');
    return this.notes.done();
  }

  private payoutConfirmed(payoutId: string): Step<BuyState> {
    if (!this.isCurrent(payoutId, CODE.confirmation)) return this.notes.done();
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
    if (!this.isCurrent(payoutId, CODE.confirmation)) return this.notes.done();
    this.undoPayout(why);
    this.giveBack(CODE.failedPayout, 'The crypto could not be sent.');
    return this.notes.done();
  }

  private refunded(refundId: string): Step<BuyState> {
    const refund = this.state.refunds[refundId];
    if (!refund || refund.state === 'done') return this.notes.done();
    const { asset, units, isExtra } = refund;
    this.notes.event('refund.done', { refundId });
    if (refund.state === 'void') {
      // The money went back twice, by the refund and by the charge-back.
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
    const [due, done] = [this.refundsOf(paymentId, ['due']), this.refundsOf(paymentId, ['done'])];
    this.voidRefunds(paymentId);
    // The charge-back returns a second time what was already refunded.
    this.notes.move(fiat, done, 'bank', 'loss');
    const rest = units - due - done;
    this.notes.move(fiat, rest, 'bank', isOwed ? 'customer' : 'loss');
    this.putPayment(paymentId, { ...payment, isChargedBack: true, lost: isOwed ? 0n : rest });
    if (isOwed) this.giveBack(CODE.failedPayment, 'The payment was charged back.');
    else this.endWhenGivenBack();
    return this.notes.done();
  }

  /** Voids the payment's open refunds: the charge-back returns their money instead. */
  private voidRefunds(paymentId: string): void {
    for (const refund of Object.values(this.state.refunds)) {
      if (refund.of !== paymentId || refund.state !== 'due') continue;
      this.notes.ask({ kind: 'withdrawRefund', id: refund.id });
      this.notes.move(refund.asset, refund.units, 'bank', refund.isExtra ? 'suspense' : 'customer');
      this.putRefund({ ...refund, state: 'void' });
    }
  }

  /** Whether the order's money is here, neither exchanged nor on its way back. */
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
      this.review('The order is under review.', 'other');
    } else {
      return this.notes.refused('the order is not paid, or its crypto may have left');
    }
    this.notes.event('review.held', { why });
    return this.notes.done();
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
      this.refundPayment(paymentId, part, false);
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

  /** Refunds all money of the order that is here; then the order ends. */
  private giveBack(endsAs: StatusCode, reason: string): void {
    this.notes.change({ hold: undefined });
    this.enterRefund(endsAs, reason);
    for (const [paymentId, payment] of Object.entries(this.state.payments)) {
      const { isCounted, isChargedBack, units, lost, fiat } = payment;
      if (!isCounted) continue;
      const rest = units - this.refundsOf(paymentId);
      if (!isChargedBack && rest > 0n) this.refundPayment(paymentId, rest, false);
      // Not lost after all: the customer got the money back, and gets no crypto.
      this.notes.move(fiat, lost, 'loss', 'customer');
      this.putPayment(paymentId, { ...payment, lost: 0n });
    }
    this.endWhenGivenBack();
  }

  private refundPayment(paymentId: string, units: bigint, isExtra: boolean): void {
    this.refund(paymentId, units, isExtra, { asset: this.state.payments[paymentId]!.fiat });
  }

  private putPayment(id: string, payment: Payment): void {
    this.notes.change({ payments: { ...this.state.payments, [id]: payment } });
  }

  /** Fiat units that were paid for the order and do not go back. */
  private get counted(): bigint {
    return Object.entries(this.state.payments).reduce(
      (sum, [id, { isCounted, isChargedBack, units }]) =>
        isCounted && !isChargedBack ? sum + units - this.refundsOf(id) : sum,
      0n,
    );
  }

  private review(reason: string, hold: 'short' | 'other'): void {
    this.notes.change({ hold });
    this.enter(CODE.review, reason);
  }
}
