/**
 * Reports of the operator's own payment provider: `POST /webhooks/payments`, signed as in Standard
 * Webhooks. An event counts once by its id, and a payment once by its own id, however often or late
 * they arrive.
 */
import { hasCode } from '../../../core/base/errors.ts';
import type { Clock } from '../../../core/base/ports.ts';
import { currencyDecimals } from '../../../core/ramp/currencies.ts';
import { parseDecimal } from '../../../core/ramp/money.ts';
import type { Database } from '../../../io/database/database.ts';
import { type HttpReply, type HttpRequest, json, type Route } from '../../../io/http/server.ts';
import { Refusal } from '../api/refusal.ts';
import type { PaymentReport, Report } from '../payment/adapter.ts';
import { verifiedMessage } from './signature.ts';
import { type WebhookRouteParts, webhookRoute } from './webhook-route.ts';

const SOURCE = 'payments';
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const PAYMENT_ID = /^[!-~]{1,128}$/;
const WHY_MAX = 200;

export interface IncomingParts extends WebhookRouteParts {
  readonly database: Database;
  readonly secrets: () => readonly Buffer[];
  readonly report: Report;
  readonly clock: Clock;
}

export function incomingRoute(parts: IncomingParts): Route {
  return webhookRoute('/webhooks/payments', parts, (request) => take(request, parts));
}

async function take(
  request: HttpRequest,
  { database, secrets, report, clock }: IncomingParts,
): Promise<HttpReply> {
  const { body } = request;
  const message = verifiedMessage((name) => request.header(name), body, secrets(), clock.nowMs());
  if (!message) {
    throw new Refusal(401, 'signature_invalid', 'the signature is wrong, or its time is');
  }
  const { orderId, payment } = readEvent(message.body);
  const [known] = await database.query('SELECT at FROM inbox WHERE source = $1 AND event_id = $2', [
    SOURCE,
    message.id,
  ]);
  if (known) return json(200, { status: 'known' });
  // Durable before it is marked as known: a repeated event changes nothing.
  await report(orderId, payment);
  await database.query(
    'INSERT INTO inbox (source, event_id, at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
    [SOURCE, message.id, clock.nowMs()],
  );
  return json(200, { status: 'taken' });
}

/** Throws a Refusal. */
function readEvent(text: string): { orderId: string; payment: PaymentReport } {
  const { type, data } = objectOf(text);
  const { orderId, paymentId, fiat, amount, why, payBy } = data;
  if (typeof orderId !== 'string' || !UUID.test(orderId)) throw wrong('data.orderId');
  switch (type) {
    case 'payment.settled':
      return {
        orderId,
        payment: { kind: 'settled', paymentId: idOf(paymentId), ...moneyOf(fiat, amount) },
      };
    case 'payment.chargeback':
      return { orderId, payment: { kind: 'chargedBack', paymentId: idOf(paymentId) } };
    case 'payment.authorizing':
      return { orderId, payment: { kind: 'authorizing' } };
    case 'payment.declined':
      return {
        orderId,
        payment: { kind: 'declined', why: typeof why === 'string' ? why.slice(0, WHY_MAX) : '' },
      };
    case 'payment.announced': {
      const payByMs = typeof payBy === 'string' ? Date.parse(payBy) : Number.NaN;
      if (!Number.isFinite(payByMs)) throw wrong('data.payBy');
      return { orderId, payment: { kind: 'announced', payByMs } };
    }
    default:
      throw wrong('type');
  }
}

function moneyOf(fiat: unknown, amount: unknown): { fiat: string; units: bigint } {
  const decimals = typeof fiat === 'string' ? currencyDecimals(fiat) : undefined;
  if (decimals === undefined) throw wrong('data.fiat');
  try {
    return { fiat: fiat as string, units: parseDecimal(String(amount), decimals) };
  } catch (error) {
    if (hasCode(error, 'RAMP_AMOUNT_INVALID') || hasCode(error, 'RAMP_AMOUNT_PRECISION')) {
      throw wrong('data.amount');
    }
    throw error;
  }
}

function idOf(paymentId: unknown): string {
  if (typeof paymentId === 'string' && PAYMENT_ID.test(paymentId)) return paymentId;
  throw wrong('data.paymentId');
}

function objectOf(text: string): { type: unknown; data: Record<string, unknown> } {
  try {
    const { type, data } = JSON.parse(text);
    if (typeof data === 'object' && data !== null) return { type, data };
  } catch {
    // Reported below.
  }
  throw wrong('data');
}

function wrong(field: string): Refusal {
  return new Refusal(400, 'event_invalid', `${field} cannot be read`, { field });
}
