/** The recurrence of an order: starts with the first one, ended by its buyer or an operator. */
import { type Frequency, occurrence } from '../../../core/ramp/recurrence.ts';
import type { Query } from '../../../io/database/database.ts';

/** Must be called in the transaction that makes the first order. */
export async function startRecurrence(
  query: Query,
  orderId: string,
  frequency: Frequency,
  firstMs: number,
): Promise<void> {
  await query(
    `INSERT INTO recurrence (order_id, frequency, next_number, next_at, state) VALUES ($1, $2, 1, $3, 'active')`,
    [orderId, frequency, occurrence(firstMs, frequency, 1)],
  );
}

export async function isRecurring(query: Query, orderId: string): Promise<boolean> {
  const [row] = await query(
    "SELECT order_id FROM recurrence WHERE order_id = $1 AND state = 'active'",
    [orderId],
  );
  return row !== undefined;
}

/** No further runs; those that have started continue. False: there was none. */
export async function stopRecurrence(query: Query, orderId: string): Promise<boolean> {
  const stopped = await query(
    `UPDATE recurrence SET state = 'ended' WHERE order_id = $1 AND state = 'active' RETURNING order_id`,
    [orderId],
  );
  return stopped.length > 0;
}
