/**
 * The port of a payment provider: it accepts a customer's fiat, refunds it, and pays it out.
 */
import type { Terms } from '../../../core/ramp/order.ts';
import type { BuyOrder, Order, SellOrder } from '../orders/order-row.ts';

/** A question of the page, answered in a form. */
export interface FormField {
  readonly name: string;
  readonly label: string;
  /** Token of the HTML attribute, such as `cc-number`. */
  readonly autocomplete: string;
  readonly hint?: string | undefined;
  /** The allowed answers; undefined: any text. */
  readonly choices?: readonly { readonly value: string; readonly label: string }[] | undefined;
  /** Answers that the page suggests, for a test provider. */
  readonly samples?: readonly { readonly value: string; readonly label: string }[] | undefined;
}

export type Answers = Readonly<Record<string, string>>;

/** What the customer does next. */
export type Begun =
  /** Nothing: the payment is with the provider. */
  | { readonly kind: 'taken' }
  | { readonly kind: 'declined' }
  /** Their bank requires an approval, which is reported by approve(). */
  | { readonly kind: 'approval' }
  /** A transfer of their own: to whom, under which reference. */
  | {
      readonly kind: 'transfer';
      readonly lines: readonly (readonly [name: string, value: string])[];
    }
  /** They continue on a page of the provider. */
  | { readonly kind: 'page'; readonly url: string };

/** A provider's report on an order, as an input of the order's machine. */
export type PaymentReport =
  | {
      readonly kind: 'settled';
      readonly paymentId: string;
      readonly fiat: string;
      readonly units: bigint;
    }
  | { readonly kind: 'authorizing' }
  | { readonly kind: 'announced'; readonly payByMs: number }
  | { readonly kind: 'declined'; readonly why: string }
  | { readonly kind: 'chargedBack'; readonly paymentId: string };

/** Resolves when it is durable. */
export type Report = (orderId: string, report: PaymentReport) => Promise<void>;

export interface FiatPayout {
  /** The permanent id of this movement: the provider's idempotency key. */
  readonly id: string;
  /** For a refund: the payment to which it is returned. */
  readonly recipient: string;
  readonly fiat: string;
  readonly units: bigint;
}

/** `pending`: requested again later. `refused`: it was not paid, and will not be. */
export type FiatOutcome =
  | { readonly kind: 'done' | 'pending' }
  | { readonly kind: 'refused'; readonly why: string };

/** Money that a provider says has moved. */
export interface Movement {
  readonly kind: 'payment' | 'refund' | 'payout';
  /**
   * The provider's id of a payment; our id of a refund or payout, or the provider's if it was not
   * requested here.
   */
  readonly id: string;
  readonly orderId: string | undefined;
  readonly fiat: string;
  readonly units: bigint;
  readonly atMs: number;
}

export interface PaymentAdapter {
  readonly name: string;
  /** Questions of the page for this method. */
  fields(payment: string): readonly FormField[];
  /** The first field with an invalid answer, and why. */
  check(
    payment: string,
    answers: Answers,
    terms: Terms,
  ): { readonly field: string; readonly why: string } | undefined;
  /** Called again for the same order, it begins no second payment. */
  begin(order: BuyOrder, answers: Answers): Promise<Begun>;
  /** Whether this method can be charged again without the customer. */
  canRepeat(payment: string): boolean;
  /** Charges a run in the way in which its first order was paid; not twice for the same order. */
  repeat(order: BuyOrder, firstOrderId: string): Promise<void>;
  approve(order: BuyOrder, isApproved: boolean): Promise<void>;
  /** Questions of the page of a sell: where the money goes. */
  payoutFields(payment: string): readonly FormField[];
  checkPayout(
    payment: string,
    answers: Answers,
    terms: Terms,
  ): { readonly field: string; readonly why: string } | undefined;
  /** A repeated request with the same id moves no money again. */
  refund(payout: FiatPayout, order: Order): Promise<FiatOutcome>;
  /** Pays out to the recipient in `order.payoutTo`. */
  payOut(payout: FiatPayout, order: SellOrder): Promise<FiatOutcome>;
  /** Whether the provider's statement contains refunds and payouts. */
  readonly statesPayouts: boolean;
  /** Money that has moved since then, in any order. */
  statement(sinceMs: number): AsyncIterable<Movement>;
  /** Whether the provider answers. */
  isUp(): Promise<boolean>;
  start(report: Report): void;
  stop(): Promise<void>;
}
