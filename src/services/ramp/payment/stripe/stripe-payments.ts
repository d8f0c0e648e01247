/**
 * Payments by Stripe. Customers pay at Stripe's own page, so that no card is ever seen here;
 * sellers are paid by transfers to their accounts at the operator's platform (Stripe Connect).
 * Every movement of money has its own idempotency key. Stripe forgets the keys after a day, so
 * refunds and transfers also carry our id, and are looked up by it before they are requested again.
 */
import type { Stripe } from 'stripe';
import type { Clock, Log } from '../../../../core/base/ports.ts';
import { formatCrypto } from '../../../../core/ramp/money.ts';
import type { Fiat, Terms } from '../../../../core/ramp/order.ts';
import type { Database } from '../../../../io/database/database.ts';
import { sharedAnswer } from '../../../../io/host/shared-answer.ts';
import type { StripeClient } from '../../../../io/stripe/stripe.ts';
import { type BuyOrder, type Order, orderOf, type SellOrder } from '../../orders/order-row.ts';
import type {
  Answers,
  Begun,
  FiatOutcome,
  FiatPayout,
  FormField,
  Movement,
  PaymentAdapter,
  Report,
} from '../adapter.ts';
import { fiatAmount, stripeAmount } from './amounts.ts';
import { EventLog } from './event-log.ts';
import { ORDER_KEY, REPEAT_KEY, settledReport } from './events.ts';

/** Stripe's payment methods, by our names; wallets are part of cards. */
const METHODS: Readonly<
  Record<string, Stripe.Checkout.SessionCreateParams.AllowedPaymentMethodType>
> = {
  'debit-credit-card': 'card',
  'wallet-pay': 'card',
  'sepa-bank-transfer': 'sepa_debit',
  'gbp-bank-transfer': 'bacs_debit',
  'ach-bank-transfer': 'us_bank_account',
  pix: 'pix',
  upi: 'upi',
};
/** Key in the metadata of refunds and transfers: our id of the payout. */
const PAYOUT_KEY = 'quoratePayout';
const ACCOUNT = /^acct_[A-Za-z0-9]{8,64}$/;
const MINUTE_MS = 60_000;
/** Stripe allows 30 minutes to 24 hours for a page; this keeps a margin. */
const PAGE_MS_MIN = 35 * MINUTE_MS;
const PAGE_MS_MAX = 23 * 60 * MINUTE_MS;
const UP_ANSWER_MS = 3_000;
const UP_KEPT_MS = 3_000;
const LIST = 100;

export interface StripePaymentsParts {
  readonly database: Database;
  readonly stripe: StripeClient;
  readonly clock: Clock;
  readonly log: Log;
  /** The URL of this service, without a slash at the end. */
  readonly place: { readonly url: string };
}

export class StripePayments implements PaymentAdapter {
  readonly name = 'stripe';
  readonly statesPayouts = true;
  readonly events: EventLog;
  readonly isUp: () => Promise<boolean>;
  private readonly parts: StripePaymentsParts;
  private report: Report = async () => {};

  constructor(parts: StripePaymentsParts) {
    this.parts = parts;
    const { database, stripe, clock, log } = parts;
    this.events = new EventLog({ database, stripe, clock, log });
    this.isUp = sharedAnswer(() => this.answers(), UP_KEPT_MS, clock);
  }

  fields(): readonly FormField[] {
    return [];
  }

  check(payment: string, _answers: Answers, { fiat, amountIn }: Terms) {
    if (METHODS[payment] === undefined) {
      return { field: 'payment', why: 'This cannot be paid by Stripe.' };
    }
    if (stripeAmount(fiat, amountIn) !== undefined) return undefined;
    return { field: 'amount', why: `${fiat.id} of this amount cannot be paid by Stripe.` };
  }

  async begin(order: BuyOrder): Promise<Begun> {
    const { stripe, place, database } = this.parts;
    const { terms, payment, createdAtMs, state } = order;
    const { crypto, amountOut } = terms;
    const [again] = await database.query('SELECT order_id FROM recurrence WHERE order_id = $1', [
      order.id,
    ]);
    const metadata = { [ORDER_KEY]: order.id };
    const back = `${place.url}/widget/back?order=${order.id}`;
    const openMs = Math.min(Math.max(state.payByMs - createdAtMs, PAGE_MS_MIN), PAGE_MS_MAX);
    const name = `${formatCrypto(amountOut, crypto.decimals)} ${crypto.id.toUpperCase()}`;
    const session = await stripe.checkout.sessions.create(
      {
        mode: 'payment',
        allowed_payment_method_types: [METHODS[payment]!],
        line_items: [
          {
            quantity: 1,
            price_data: {
              currency: terms.fiat.id.toLowerCase(),
              unit_amount: amountOf(terms.fiat, terms.amountIn),
              product_data: { name },
            },
          },
        ],
        ...{ client_reference_id: order.id, metadata, success_url: back, cancel_url: back },
        expires_at: Math.floor((createdAtMs + openMs) / 1_000),
        payment_intent_data: {
          metadata,
          ...(again ? { setup_future_usage: 'off_session' } : {}),
        },
        ...(again ? { customer_creation: 'always' } : {}),
      },
      { idempotencyKey: `${order.id}/checkout` },
    );
    return session.url === null ? { kind: 'taken' } : { kind: 'page', url: session.url };
  }

  /** Other methods ask the customer each time. */
  canRepeat(payment: string): boolean {
    return METHODS[payment] === 'card';
  }

  async repeat(order: BuyOrder, firstOrderId: string): Promise<void> {
    const { stripe, database } = this.parts;
    const [row] = await database.query('SELECT * FROM ramp_order WHERE id = $1', [firstOrderId]);
    const first = row && (orderOf(row) as BuyOrder);
    const paid = Object.keys(first?.state.payments ?? {})[0];
    const intent = paid === undefined ? undefined : await stripe.paymentIntents.retrieve(paid);
    if (!intent?.customer || !intent.payment_method) {
      await this.report(order.id, { kind: 'declined', why: 'the card was not kept' });
      return;
    }
    const { fiat, amountIn } = order.terms;
    try {
      const made = await stripe.paymentIntents.create(
        {
          ...{ amount: amountOf(fiat, amountIn), currency: fiat.id.toLowerCase() },
          ...{ customer: idOf(intent.customer), payment_method: idOf(intent.payment_method) },
          ...{ off_session: true, confirm: true },
          metadata: { [ORDER_KEY]: order.id, [REPEAT_KEY]: firstOrderId },
        },
        { idempotencyKey: `${order.id}/repeat` },
      );
      const report = settledReport(made);
      if (report) await this.report(order.id, report);
    } catch (error) {
      if (kindOf(error) !== 'StripeCardError') throw error;
      await this.report(order.id, { kind: 'declined', why: 'the card was declined' });
    }
  }

  /** Customers approve at Stripe's page, if at all. */
  async approve(): Promise<void> {}

  payoutFields(): readonly FormField[] {
    const hint = 'Where your platform pays you: acct_…';
    return [{ name: 'account', label: 'Stripe account', autocomplete: 'off', hint }];
  }

  checkPayout(_payment: string, { account = '' }: Answers, { fiat, amountOut }: Terms) {
    if (!ACCOUNT.test(account)) {
      return { field: 'account', why: 'A Stripe account begins with acct_.' };
    }
    if (stripeAmount(fiat, amountOut) !== undefined) return undefined;
    return { field: 'amount', why: `${fiat.id} of this amount cannot be paid by Stripe.` };
  }

  async refund({ id, recipient, fiat, units }: FiatPayout, order: Order): Promise<FiatOutcome> {
    const { refunds } = this.parts.stripe;
    const amount = amountOf({ ...order.terms.fiat, id: fiat }, units);
    const metadata = { [PAYOUT_KEY]: id };
    const made = await madeBefore(refunds.list({ payment_intent: recipient, limit: LIST }), id);
    try {
      const refund =
        made ??
        (await refunds.create(
          { payment_intent: recipient, amount, metadata },
          { idempotencyKey: id },
        ));
      switch (refund.status) {
        case 'succeeded':
          return { kind: 'done' };
        case 'failed':
        case 'canceled':
          return { kind: 'refused', why: refund.failure_reason ?? refund.status };
        default:
          return { kind: 'pending' };
      }
    } catch (error) {
      return refusedBy(error);
    }
  }

  async payOut({ id, fiat, units }: FiatPayout, order: SellOrder): Promise<FiatOutcome> {
    const { transfers } = this.parts.stripe;
    const made = await madeBefore(transfers.list({ transfer_group: id, limit: LIST }), id);
    if (made) return { kind: 'done' };
    const amount = amountOf({ ...order.terms.fiat, id: fiat }, units);
    const currency = fiat.toLowerCase();
    if (!(await this.has(currency, amount))) return { kind: 'pending' };
    try {
      await transfers.create(
        {
          ...{ amount, currency, destination: order.payoutTo.account!, transfer_group: id },
          metadata: { [PAYOUT_KEY]: id, [ORDER_KEY]: order.id },
        },
        { idempotencyKey: id },
      );
      return { kind: 'done' };
    } catch (error) {
      // Another payout was faster. Stripe repeats this answer for a day, the lifetime of the key;
      // then it is requested again.
      if (codeOf(error) === 'balance_insufficient') return { kind: 'pending' };
      return refusedBy(error);
    }
  }

  /**
   * Checked first, because Stripe repeats a refusal for insufficient balance under the same
   * idempotency key for a day, so that the payout would wait longer than necessary. The key must
   * not change: with another one, a transfer whose answer was lost could be made twice.
   */
  private async has(currency: string, amount: number): Promise<boolean> {
    const { available } = await this.parts.stripe.balance.retrieve();
    const held = available.find((each) => each.currency === currency)?.amount ?? 0;
    if (held >= amount) return true;
    this.parts.log('error', 'The balance at Stripe is too small: payouts wait', { currency });
    return false;
  }

  async *statement(sinceMs: number): AsyncIterable<Movement> {
    const { paymentIntents, refunds, transfers } = this.parts.stripe;
    const period = { created: { gte: Math.floor(sinceMs / 1_000) }, limit: LIST };
    for await (const { id, metadata, status, currency, ...rest } of paymentIntents.list(period)) {
      const money = fiatAmount(currency, rest.amount_received);
      if (status !== 'succeeded' || metadata[ORDER_KEY] === undefined || !money) continue;
      const atMs = rest.created * 1_000;
      yield { kind: 'payment', id, orderId: metadata[ORDER_KEY], ...money, atMs };
    }
    for await (const { id, metadata, status, currency, amount, created } of refunds.list(period)) {
      const money = fiatAmount(currency, amount);
      if (status !== 'succeeded' || !money) continue;
      const name = metadata?.[PAYOUT_KEY];
      const ofOrder = name?.split('/')[0];
      yield { kind: 'refund', id: name ?? id, orderId: ofOrder, ...money, atMs: created * 1_000 };
    }
    for await (const { metadata, currency, amount, created } of transfers.list(period)) {
      const [id, money] = [metadata[PAYOUT_KEY], fiatAmount(currency, amount)];
      // Other transfers are the platform's own.
      if (id === undefined || !money) continue;
      yield { kind: 'payout', id, orderId: metadata[ORDER_KEY], ...money, atMs: created * 1_000 };
    }
  }

  private async answers(): Promise<boolean> {
    const bounds = { timeout: UP_ANSWER_MS, maxNetworkRetries: 0 };
    return this.parts.stripe.balance.retrieve({}, bounds).then(
      () => true,
      () => false,
    );
  }

  start(report: Report): void {
    this.report = report;
    this.events.start(report);
  }

  stop(): Promise<void> {
    return this.events.stop();
  }
}

interface Marked {
  readonly metadata: Stripe.Metadata | null;
}

/** The movement with this id, if its answer was lost. */
async function madeBefore<T extends Marked>(
  found: Stripe.ApiListPromise<T>,
  id: string,
): Promise<T | undefined> {
  for await (const each of found) {
    if (each.metadata?.[PAYOUT_KEY] === id) return each;
  }
  return undefined;
}

/** A refusal by Stripe: nothing has moved. After any other error the request is repeated. */
function refusedBy(error: unknown): FiatOutcome {
  if (kindOf(error) !== 'StripeInvalidRequestError') throw error;
  return { kind: 'refused', why: (error as Error).message };
}

function kindOf(error: unknown): unknown {
  return (error as { type?: unknown } | null)?.type;
}

function codeOf(error: unknown): unknown {
  return (error as { code?: unknown } | null)?.code;
}

function idOf(of: string | { readonly id: string }): string {
  return typeof of === 'string' ? of : of.id;
}

/** Throws for an amount that Stripe cannot express, which the page has refused before. */
function amountOf(fiat: Fiat, units: bigint): number {
  const amount = stripeAmount(fiat, units);
  if (amount === undefined) throw new Error(`Stripe has no amount of ${units} units of ${fiat.id}`);
  return amount;
}
