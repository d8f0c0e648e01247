/** Reports of Stripe: `POST /webhooks/stripe`, with its own signature. */
import type { Stripe } from 'stripe';
import type { Clock } from '../../../../core/base/ports.ts';
import { type HttpRequest, json, type Route } from '../../../../io/http/server.ts';
import type { StripeClient } from '../../../../io/stripe/stripe.ts';
import { Refusal } from '../../api/refusal.ts';
import { type WebhookRouteParts, webhookRoute } from '../../webhooks/webhook-route.ts';
import type { EventLog } from './event-log.ts';

const TOLERANCE_SECONDS = 300;

export interface StripeWebhookParts extends WebhookRouteParts {
  readonly stripe: StripeClient;
  readonly events: EventLog;
  /** There are two while one is being replaced. */
  readonly secrets: () => readonly string[];
  /** Whether money moves under the key of this service. */
  readonly isLive: boolean;
  readonly clock: Clock;
}

export function stripeWebhook(parts: StripeWebhookParts): Route {
  return webhookRoute('/webhooks/stripe', parts, async (request) => {
    await parts.events.take(eventOf(request, parts));
    return json(200, { status: 'taken' });
  });
}

/** Throws a Refusal. */
function eventOf(
  request: HttpRequest,
  { stripe, secrets, isLive, clock }: StripeWebhookParts,
): Stripe.Event {
  const body = Buffer.from(request.body);
  const signature = request.header('stripe-signature') ?? '';
  for (const secret of secrets()) {
    let event: Stripe.Event;
    try {
      const of = [TOLERANCE_SECONDS, undefined, clock.nowMs()] as const;
      event = stripe.webhooks.constructEvent(body, signature, secret, ...of);
    } catch {
      continue;
    }
    if (event.livemode === isLive) return event;
    throw new Refusal(400, 'event_invalid', 'a live event for a test key, or the reverse');
  }
  throw new Refusal(401, 'signature_invalid', 'the signature is wrong, or its time is');
}
