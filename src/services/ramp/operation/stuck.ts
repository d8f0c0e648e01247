/** Orders that stay in one state for too long: an operator should check them. */
import type { Database } from '../../../io/database/database.ts';
import { type Order, orderOf } from '../orders/order-row.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const STUCK_MAX = 200;

/**
 * Longest time since the last change; orders that wait for a customer end at their own deadline.
 */
const DEADLINES: Readonly<Record<string, number>> = {
  'PROVIDER-PENDING-KYC': 24 * HOUR_MS,
  'PROVIDER-PENDING-AUTHORIZATION': HOUR_MS,
  'PROVIDER-PENDING-REVIEW': 24 * HOUR_MS,
  'PROVIDER-PENDING-PAYOUT': 10 * MINUTE_MS,
  'PROVIDER-PENDING-CONFIRMATION': 10 * MINUTE_MS,
  'PROVIDER-PENDING-DEPOSIT': 2 * HOUR_MS,
  'PROVIDER-PENDING-REFUND': HOUR_MS,
};
/** States that wait for the customer. */
const OF_CUSTOMERS = [
  'PROVIDER-CREATED-ORDER',
  'PROVIDER-PENDING-ORDER',
  'PROVIDER-PENDING-PAYMENT',
] as const;
/** Codes of orders that have not ended. */
export const OPEN_CODES: readonly string[] = [...OF_CUSTOMERS, ...Object.keys(DEADLINES)];
/** Time past the customer's deadline: the service should have ended the order by itself. */
const OVERDUE_MS = 15 * MINUTE_MS;

export interface StuckOrder {
  readonly order: Order;
  readonly sinceMs: number;
  readonly deadlineMs: number;
}

/** Oldest first. */
export async function stuckOrders(
  { query }: Pick<Database, 'query'>,
  nowMs: number,
): Promise<readonly StuckOrder[]> {
  const found: StuckOrder[] = [];
  for (const [code, patienceMs] of Object.entries(DEADLINES)) {
    const rows = await query(
      'SELECT * FROM ramp_order WHERE code = $1 AND updated_at < $2 ORDER BY updated_at LIMIT $3',
      [code, nowMs - patienceMs, STUCK_MAX],
    );
    for (const order of rows.map(orderOf)) {
      const sinceMs = order.updatedAtMs;
      found.push({ order, sinceMs, deadlineMs: sinceMs + patienceMs });
    }
  }
  const overdue = await query(
    `SELECT * FROM ramp_order WHERE due_at < $1 AND code IN ('PROVIDER-PENDING-ORDER', 'PROVIDER-PENDING-PAYMENT',
       'PROVIDER-CREATED-ORDER') ORDER BY due_at LIMIT $2`,
    [nowMs - OVERDUE_MS, STUCK_MAX],
  );
  for (const row of overdue) {
    const order = orderOf(row);
    const deadlineMs = Number(row.due_at) + OVERDUE_MS;
    found.push({ order, sinceMs: order.updatedAtMs, deadlineMs });
  }
  return found.sort((one, other) => one.sinceMs - other.sinceMs);
}
