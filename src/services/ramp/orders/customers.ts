/** Customers: one for each wallet of a partner. */
import { randomUUID } from 'node:crypto';
import type { Query } from '../../../io/database/database.ts';
import type { Order } from './order-row.ts';

/** The customer's pseudonymous id, which is created if there is none. */
export async function customerOf(query: Query, partner: string, wallet: string): Promise<string> {
  const read = 'SELECT id FROM customer WHERE partner = $1 AND wallet = $2';
  const [known] = await query(read, [partner, wallet]);
  if (known) return String(known.id);
  await query(
    'INSERT INTO customer (partner, wallet, id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
    [partner, wallet, randomUUID()],
  );
  const [row] = await query(read, [partner, wallet]);
  return String(row!.id);
}

/** Records that a payment of this customer was charged back. */
export async function flagCustomer(
  query: Query,
  { partner, terms }: Order,
  atMs: number,
): Promise<void> {
  await query('UPDATE customer SET charged_back_at = $3 WHERE partner = $1 AND wallet = $2', [
    ...[partner, terms.wallet, atMs],
  ]);
}

export async function isFlagged(query: Query, { partner, terms }: Order): Promise<boolean> {
  const [row] = await query(
    'SELECT charged_back_at FROM customer WHERE partner = $1 AND wallet = $2',
    [partner, terms.wallet],
  );
  return (row?.charged_back_at ?? null) !== null;
}
