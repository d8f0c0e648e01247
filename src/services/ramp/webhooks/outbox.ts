/**
 * Messages to partners about their orders: queued in the step's transaction, sent until they are
 * accepted.
 */
import { statusOf } from '../../../core/ramp/order.ts';
import type { Query } from '../../../io/database/database.ts';
import { type Order, orderRecord } from '../orders/order-row.ts';

/** Name of a setting that exists if the partner has a webhook. */
function hookName(partner: string): string {
  return `webhook ${partner}`;
}

/**
 * Queues nothing for a partner without a webhook. `number`: of the entry in the order's history;
 * receivers sort by it.
 */
export async function queueWebhook(
  query: Query,
  order: Order,
  number: number,
  atMs: number,
): Promise<void> {
  const hook = hookName(order.partner);
  const [found] = await query('SELECT value FROM setting WHERE name = $1', [hook]);
  if (!found) return;
  const body = JSON.stringify({
    type: `order.${statusOf(order.state.code).toLowerCase()}`,
    timestamp: new Date(atMs).toISOString(),
    data: {
      sequence: number,
      side: order.side,
      order: orderRecord(order, found.value === 'alias'),
    },
  });
  await query(
    `INSERT INTO webhook (id, partner, order_id, body, state, attempts, next_at, created_at)
     VALUES ($1, $2, $3, $4, 'queued', 0, $5, $5) ON CONFLICT DO NOTHING`,
    [`${order.id}.${number}`, order.partner, order.id, body, atMs],
  );
}

/** Sends all messages of an order again, unchanged. Resolves with how many. */
export async function queueAgain(query: Query, orderId: string, nowMs: number): Promise<number> {
  const queued = await query(
    `UPDATE webhook SET state = 'queued', attempts = 0, next_at = $2 WHERE order_id = $1 RETURNING id`,
    [orderId, nowMs],
  );
  return queued.length;
}

/** Stores which partners of the present offer have webhooks. */
export async function keepHooks(
  query: Query,
  partners: readonly { id: string; usesPaymentAlias: boolean; webhook?: unknown }[],
): Promise<void> {
  await query("DELETE FROM setting WHERE name LIKE 'webhook %'");
  for (const { id, usesPaymentAlias, webhook } of partners) {
    if (webhook === undefined) continue;
    // Another instance may do the same at this moment.
    await query('INSERT INTO setting (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
      ...[hookName(id), usesPaymentAlias ? 'alias' : 'plain'],
    ]);
  }
}
