/** Totals updated in each order's transactions: balances of the books, and daily volumes. */
import { type Account, balances, type Posting } from '../../../core/ramp/books.ts';
import type { Query, Row } from '../../../io/database/database.ts';
import type { Order } from './order-row.ts';

/** Rows are locked in a fixed order, so that transactions cannot deadlock. */
export async function addToAccounts(query: Query, postings: readonly Posting[]): Promise<void> {
  for (const [key, units] of [...balances(postings)].sort()) {
    if (units === 0n) continue;
    const [account, asset] = key.split(' ') as [string, string];
    const [row] = await query(
      `INSERT INTO book_balance (account, asset, units, changes) VALUES ($1, $2, '0', 1)
       ON CONFLICT (account, asset) DO UPDATE SET changes = book_balance.changes + 1 RETURNING units`,
      [account, asset],
    );
    await query('UPDATE book_balance SET units = $3 WHERE account = $1 AND asset = $2', [
      ...[account, asset, String(BigInt(String(row!.units)) + units)],
    ]);
  }
}

export function postingOf(row: Row): Posting {
  const units = BigInt(String(row.units));
  return { account: String(row.account) as Account, asset: String(row.asset), units };
}

type Traded = Pick<Order, 'side' | 'terms' | 'fiatUsd'>;

export async function countCreated(query: Query, order: Traded, atMs: number): Promise<void> {
  await takeDay(query, order, atMs, { created: 1, completed: 0 });
}

export async function countCompleted(query: Query, order: Traded, atMs: number): Promise<void> {
  const { side, terms, fiatUsd } = order;
  const row = await takeDay(query, order, atMs, { created: 0, completed: 1 });
  const units = side === 'buy' ? terms.amountIn : terms.amountOut;
  const cents = BigInt(fiatUsd.replace('.', ''));
  await query(
    'UPDATE ramp_volume SET units = $4, usd_cents = $5 WHERE day = $1 AND side = $2 AND fiat = $3',
    [
      ...[dayOf(atMs), side, terms.fiat.id],
      ...[String(BigInt(row.units) + units), String(BigInt(row.cents) + cents)],
    ],
  );
}

async function takeDay(
  query: Query,
  { side, terms }: Traded,
  atMs: number,
  more: { created: number; completed: number },
): Promise<{ units: string; cents: string }> {
  const [row] = await query(
    `INSERT INTO ramp_volume (day, side, fiat, created, completed, units, usd_cents) VALUES ($1, $2, $3, $4, $5, '0', '0')
     ON CONFLICT (day, side, fiat) DO UPDATE SET created = ramp_volume.created + $4,
       completed = ramp_volume.completed + $5 RETURNING units, usd_cents`,
    [dayOf(atMs), side, terms.fiat.id, more.created, more.completed],
  );
  return { units: String(row!.units), cents: String(row!.usd_cents) };
}

function dayOf(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 10);
}
