/**
 * What an event of Stripe means for an order. Events arrive twice, late and out of order, so each
 * report is complete by itself.
 */
import type { Stripe } from 'stripe';
import type { PaymentReport } from '../adapter.ts';
import { fiatAmount } from './amounts.ts';

/** Key in the metadata of payments: the id of the order. */
export const ORDER_KEY = 'quorateOrder';
/** Key in the metadata of payments that no customer sees, so that no customer can try again. */
export const REPEAT_KEY = 'quorateRepeat';

/** All types that are used; Stripe's webhook endpoint should send these. */
export const EVENT_TYPES = [
  'payment_intent.succeeded',
  'payment_intent.processing',
  'payment_intent.requires_action',
  'payment_intent.payment_failed',
  'checkout.session.async_payment_failed',
  'checkout.session.expired',
  'charge.dispute.created',
  'charge.dispute.funds_withdrawn',
] as const;

/** By then, a debit of a bank account has settled or failed. */
const DEBIT_MS = 14 * 24 * 60 * 60_000;

export type StripeNews =
  | { readonly orderId: string; readonly report: PaymentReport }
  /** Id of a disputed payment: only Stripe's record of the payment names the order. */
  | { readonly disputed: string };

/** Undefined: not about our payments, or nothing new for an order. */
export function newsOf(event: Stripe.Event): StripeNews | undefined {
  switch (event.type) {
    case 'payment_intent.succeeded':
    case 'payment_intent.processing':
    case 'payment_intent.requires_action':
    case 'payment_intent.payment_failed':
      return ofPayment(event.type, event.data.object, event.created * 1_000);
    case 'checkout.session.async_payment_failed':
      return ofOrder(event.data.object.metadata, { kind: 'declined', why: 'the bank refused' });
    case 'checkout.session.expired':
      return ofOrder(event.data.object.metadata, { kind: 'declined', why: 'the page ran out' });
    case 'charge.dispute.created':
    case 'charge.dispute.funds_withdrawn':
      return ofDispute(event.data.object);
    default:
      return undefined;
  }
}

/** The report of a successful payment; undefined: it is not, or its amount is invalid. */
export function settledReport(intent: Stripe.PaymentIntent): PaymentReport | undefined {
  if (intent.status !== 'succeeded') return undefined;
  const money = fiatAmount(intent.currency, intent.amount_received);
  return money && { kind: 'settled', paymentId: intent.id, ...money };
}

function ofPayment(
  type: string,
  intent: Stripe.PaymentIntent,
  atMs: number,
): StripeNews | undefined {
  const { metadata } = intent;
  switch (type) {
    case 'payment_intent.succeeded': {
      const report = settledReport(intent);
      return report && ofOrder(metadata, report);
    }
    case 'payment_intent.processing':
      return ofOrder(metadata, { kind: 'announced', payByMs: atMs + DEBIT_MS });
    case 'payment_intent.requires_action':
      return ofOrder(metadata, { kind: 'authorizing' });
    default:
      // A customer at Stripe's page tries another card.
      if (metadata?.[REPEAT_KEY] === undefined) return undefined;
      return ofOrder(metadata, { kind: 'declined', why: 'the card was declined' });
  }
}

function ofDispute({ status, payment_intent: payment }: Stripe.Dispute): StripeNews | undefined {
  // An inquiry by the bank: no money has been withdrawn.
  if (status.startsWith('warning_') || payment === null) return undefined;
  return { disputed: typeof payment === 'string' ? payment : payment.id };
}

function ofOrder(metadata: Stripe.Metadata | null, report: PaymentReport): StripeNews | undefined {
  const orderId = metadata?.[ORDER_KEY];
  return orderId === undefined ? undefined : { orderId, report };
}
