/**
 * What a payment provider is to the ramp: it takes a customer's fiat, gives it back, and pays it
 * out.
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
  /** The only answers there are; undefined: any text. */
  readonly choices?: readonly { readonly value: string; readonly label: string }[] | undefined;
  /** Answers that the page offers, of a provider to try things with. */
  readonly samples?: readonly { readonly value: string; readonly label: string }[] | undefined;
}

export type Answers = Readonly<Record<string, string>>;

/** What the customer does next. */
export type Begun =
  /** Nothing: the payment is with the provider. */
  | { readonly kind: 'taken' }
  | { readonly kind: 'declined' }
  /** Their bank wants to hear from them: approve() follows. */
  | { readonly kind: 'approval' }
  /** A transfer of their own: to whom, under which reference. */
  | {
      readonly kind: 'transfer';
      readonly lines: readonly (readonly [name: string, value: string])[];
    }
  /** To a page of the provider. */
  | { readonly kind: 'page'; readonly url: string };

/** What a provider says of an order, in the words of the order's machine. */
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
  /** Of this movement, forever: the provider's idempotency key. */
  readonly id: string;
  /** Of a refund: the payment that it goes back into. */
  readonly recipient: string;
  readonly fiat: string;
  readonly units: bigint;
}

/** `pending`: asked again later. `refused`: it has not been paid, and will not be. */
export type FiatOutcome =
  | { readonly kind: 'done' | 'pending' }
  | { readonly kind: 'refused'; readonly why: string };

/** Money that a provider says has moved. */
export interface Movement {
  readonly kind: 'payment' | 'refund' | 'payout';
  /**
   * Of a payment the provider's; of a refund or a payout ours, or theirs where it was not asked for
   * here.
   */
  readonly id: string;
  readonly orderId: string | undefined;
  readonly fiat: string;
  readonly units: bigint;
  readonly atMs: number;
}

export interface PaymentAdapter {
  readonly name: string;
  /** What the page asks of a customer who pays so. */
  fields(payment: string): readonly FormField[];
  /** The first field whose answer does not do, and why. */
  check(
    payment: string,
    answers: Answers,
    terms: Terms,
  ): { readonly field: string; readonly why: string } | undefined;
  /** The same order again: the same payment. */
  begin(order: BuyOrder, answers: Answers): Promise<Begun>;
  /** Whether this method can be charged again without the customer. */
  canRepeat(payment: string): boolean;
  /** Charges a run as its first order was paid; the same order again: the same payment. */
  repeat(order: BuyOrder, firstOrderId: string): Promise<void>;
  approve(order: BuyOrder, isApproved: boolean): Promise<void>;
  /** What the page of a sell asks: where the money goes. */
  payoutFields(payment: string): readonly FormField[];
  checkPayout(
    payment: string,
    answers: Answers,
    terms: Terms,
  ): { readonly field: string; readonly why: string } | undefined;
  /** Asking again under the same id moves nothing twice. */
  refund(payout: FiatPayout, order: Order): Promise<FiatOutcome>;
  /** To whom `order.payoutTo` says. */
  payOut(payout: FiatPayout, order: SellOrder): Promise<FiatOutcome>;
  /** Whether its statement has refunds and payouts. */
  readonly statesPayouts: boolean;
  /** What has moved since then, in any order. */
  statement(sinceMs: number): AsyncIterable<Movement>;
  /** Whether the provider answers. */
  isUp(): Promise<boolean>;
  start(report: Report): void;
  stop(): Promise<void>;
}
