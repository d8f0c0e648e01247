/**
 * The books against the statements of payment providers: payments, refunds and payouts, in both
 * directions.
 */
import type { Database, Row } from '../../../io/database/database.ts';
import { fromJson } from '../orders/state-json.ts';
import type { Movement, PaymentAdapter } from '../payment/adapter.ts';
import type { Difference, Section } from './difference.ts';

/** A debit settles days after its payment began. */
const EARLIER_MS = 15 * 24 * 60 * 60_000;

interface Money {
  readonly orderId: string;
  readonly fiat: string;
  readonly units: bigint;
}

export async function providerSection(
  database: Database,
  adapter: PaymentAdapter,
  sinceMs: number,
): Promise<Section> {
  const statement = new Map<string, Movement>();
  for await (const movement of adapter.statement(sinceMs - EARLIER_MS)) {
    statement.set(`${movement.kind} ${movement.id}`, movement);
  }
  const books = await moneyBooked(database, adapter, sinceMs);
  const differences: Difference[] = [];
  const say = (code: string, text: string, orderId?: string) =>
    differences.push({ where: 'provider', code, orderId, text: `${adapter.name}: ${text}` });
  for (const [key, { orderId, fiat, units }] of books) {
    const found = statement.get(key);
    if (!found) {
      say('not_at_provider', `${key} of ${units} ${fiat} is only in the books`, orderId);
    } else if (found.fiat !== fiat || found.units !== units) {
      const there = `${found.units} ${found.fiat}`;
      say('amount_differs', `${key} is ${units} ${fiat} in the books, ${there} there`, orderId);
    }
  }
  for (const [key, { orderId, fiat, units, atMs }] of statement) {
    if (atMs < sinceMs || books.has(key) || (await isKnown(database, key, orderId))) continue;
    say('not_in_books', `${key} of ${units} ${fiat} is not in the books`, orderId);
  }
  return { counts: { books: books.size, statement: statement.size }, differences };
}

async function moneyBooked(
  { query }: Database,
  adapter: PaymentAdapter,
  sinceMs: number,
): Promise<ReadonlyMap<string, Money>> {
  const payments = await query(
    `SELECT ramp_event.order_id, ramp_event.data FROM ramp_event JOIN ramp_order ON ramp_order.id = ramp_event.order_id
     WHERE ramp_event.type = 'payment.settled' AND ramp_event.at >= $1 AND ramp_order.adapter = $2`,
    [sinceMs, adapter.name],
  );
  const given = adapter.statesPayouts
    ? await query(
        `SELECT payout.* FROM payout JOIN ramp_order ON ramp_order.id = payout.order_id
         WHERE payout.kind IN ('fiat', 'fiat-refund') AND payout.state = 'done' AND payout.created_at >= $1
           AND ramp_order.adapter = $2`,
        [sinceMs, adapter.name],
      )
    : [];
  return new Map([...payments.map(paymentOf), ...given.map(payoutOf)]);
}

function paymentOf({ order_id: id, data }: Row): [string, Money] {
  const { paymentId, fiat, units } = JSON.parse(String(data));
  return [`payment ${paymentId}`, { orderId: String(id), fiat, units: BigInt(units) }];
}

function payoutOf({ id, order_id: order, kind, asset, units }: Row): [string, Money] {
  const name = kind === 'fiat' ? 'payout' : 'refund';
  const money = { orderId: String(order), fiat: String(asset), units: BigInt(String(units)) };
  return [`${name} ${id}`, money];
}

/** Whether the books have this movement, from an earlier time or as pending. */
async function isKnown(
  { query }: Database,
  key: string,
  orderId: string | undefined,
): Promise<boolean> {
  const [kind, id] = key.split(/ (.*)/s) as [string, string];
  if (kind !== 'payment') {
    return (await query('SELECT id FROM payout WHERE id = $1', [id])).length > 0;
  }
  if (orderId === undefined) return false;
  const [row] = await query('SELECT state FROM ramp_order WHERE id = $1', [orderId]);
  const payments = row && fromJson<{ payments?: object }>(String(row.state)).payments;
  return payments !== undefined && id in payments;
}
