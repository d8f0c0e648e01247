/** Queries of orders: one with its wallet, a partner's lists, runs of a recurring order. */
import { isCustomId } from '../../../core/ramp/custom-id.ts';
import type { Side } from '../../../core/ramp/order.ts';
import type { Database } from '../../../io/database/database.ts';
import { type Order, orderOf } from './order-row.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export interface ListRange {
  /** Unix milliseconds, both inclusive. */
  readonly startMs: number;
  readonly endMs: number;
  readonly skip: number;
  readonly limit: number;
}

/**
 * Finds an order by our id or the aggregator's. A wallet that is not the order's has the same
 * result as an unknown id.
 */
export async function findOrder(
  { query }: Database,
  side: Side,
  id: string,
  wallet: string,
): Promise<Order | undefined> {
  const column = UUID.test(id) ? 'id' : isCustomId(id) ? 'custom_id' : undefined;
  if (column === undefined) return undefined;
  const [row] = await query(
    `SELECT * FROM ramp_order WHERE ${column} = $1 AND wallet = $2 AND side = $3 ORDER BY created_at DESC LIMIT 1`,
    [id, wallet, side],
  );
  return row && orderOf(row);
}

/** Oldest first. A long skip costs no more than a short one. */
export async function listOrders(
  { query }: Database,
  partner: string,
  side: Side,
  { startMs, endMs, skip, limit }: ListRange,
): Promise<readonly Order[]> {
  const [first] = await query(
    `SELECT number FROM ramp_order WHERE partner = $1 AND side = $2 AND created_at >= $3
     ORDER BY created_at, number LIMIT 1`,
    [partner, side, startMs],
  );
  if (!first) return [];
  const from = Number(first.number) + skip;
  const rows = await query(
    `SELECT * FROM ramp_order WHERE partner = $1 AND side = $2 AND number >= $3 AND number < $4 AND created_at <= $5
     ORDER BY number`,
    [partner, side, from, from + limit, endMs],
  );
  return rows.map(orderOf);
}

/** The runs of a recurring order after the first one. */
export async function listRuns(
  { query }: Database,
  parentId: string,
  { startMs, endMs, skip, limit }: ListRange,
): Promise<readonly Order[]> {
  const rows = await query(
    `SELECT * FROM ramp_order WHERE parent_id = $1 AND created_at >= $2 AND created_at <= $3
     ORDER BY created_at, id LIMIT $4 OFFSET $5`,
    [parentId, startMs, endMs, limit, skip],
  );
  return rows.map(orderOf);
}
