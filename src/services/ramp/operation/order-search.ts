/**
 * Orders as an operator looks for them: newest first, page by page, fast even in a store of
 * millions.
 */
import { BUY_CODES } from '../../../core/ramp/buy-order.ts';
import { type Side, type Status, type StatusCode, statusOf } from '../../../core/ramp/order.ts';
import { SELL_CODES } from '../../../core/ramp/sell-order.ts';
import type { Query } from '../../../io/database/database.ts';
import { Refusal } from '../api/refusal.ts';
import { type Order, orderOf } from '../orders/order-row.ts';

const LIST_MAX = 200;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const CODES: Readonly<Record<Side, readonly StatusCode[]>> = { buy: BUY_CODES, sell: SELL_CODES };

export interface OrderSearch {
  readonly side?: Side | undefined;
  readonly status?: Status | undefined;
  readonly code?: string | undefined;
  /**
   * Exact: an order's id, custom id, wallet, deposit address or customer, or the hash of a
   * transaction.
   */
  readonly text?: string | undefined;
  /** `next` of the previous page. */
  readonly before?: string | undefined;
  readonly limit: number;
}

export interface FoundOrders {
  readonly orders: readonly Order[];
  /** `before` of the next page. */
  readonly next?: string;
}

/** Throws a Refusal. */
export async function searchOrders(query: Query, asked: OrderSearch): Promise<FoundOrders> {
  const limit = Math.min(Math.max(1, Math.floor(asked.limit) || 1), LIST_MAX);
  const values: unknown[] = [];
  const value = (each: unknown) => `$${values.push(each)}`;
  const before = beforeOf(asked, value);
  const parts = await partsOf(asked, query, value);
  if (parts.length === 0) return { orders: [] };
  // One row more than the limit shows whether there is another page.
  const newest = `ORDER BY created_at DESC, id DESC LIMIT ${value(limit + 1)}`;
  const selects = parts.map((part, at) => {
    const terms = [part, before].filter((each) => each !== '');
    const where = terms.length > 0 ? `WHERE ${terms.join(' AND ')}` : '';
    return `SELECT * FROM (SELECT * FROM ramp_order ${where} ${newest}) AS part${at}`;
  });
  const rows = await query(`${selects.join(' UNION ALL ')} ${newest}`, values);
  const orders = rows.slice(0, limit).map(orderOf);
  const last = orders.at(-1);
  return rows.length > limit && last
    ? { orders, next: `${last.createdAtMs}/${last.id}` }
    : { orders };
}

type Value = (each: unknown) => string;

/**
 * Subqueries that together select the requested orders; each reads its part from an index, newest
 * first.
 */
async function partsOf(
  { side, status, code, text = '' }: OrderSearch,
  query: Query,
  value: Value,
): Promise<readonly string[]> {
  const sides = side === undefined ? (['buy', 'sell'] as const) : [side];
  const states = sides.flatMap((each) =>
    CODES[each]
      .filter((known) => code === undefined || known === code)
      .filter((known) => status === undefined || statusOf(known) === status)
      .map((known) => ({ side: each, code: known })),
  );
  const isAny = side === undefined && status === undefined && code === undefined;
  if (text === '') {
    if (isAny) return [''];
    return states.map((each) => `side = ${value(each.side)} AND code = ${value(each.code)}`);
  }
  const found = await termOf(text.trim(), query, value);
  if (found === undefined || states.length === 0) return [];
  if (isAny) return [found];
  const pairs = states.map((each) => `(${value(each.side)}, ${value(each.code)})`);
  return [`${found} AND (side, code) IN (VALUES ${pairs.join(', ')})`];
}

function beforeOf({ before }: OrderSearch, value: Value): string {
  if (before === undefined) return '';
  const [atMs, id] = before.split('/') as [string, string | undefined];
  if (!/^\d{1,15}$/.test(atMs) || !UUID.test(id ?? '')) {
    throw new Refusal(400, 'before_invalid', 'before must be the next of another page', {
      field: 'before',
    });
  }
  return `(created_at, id) < (${value(Number(atMs))}, ${value(id)})`;
}

/** Undefined: no order can match. */
async function termOf(text: string, query: Query, value: Value): Promise<string | undefined> {
  if (/^0x[0-9a-fA-F]{64}$/.test(text)) {
    const hash = text.toLowerCase();
    const rows = await query(
      'SELECT order_id FROM payout WHERE hash = $1 UNION SELECT order_id FROM deposit WHERE hash = $1',
      [hash],
    );
    if (rows.length === 0) return undefined;
    return `id IN (${rows.map(({ order_id: id }) => value(id)).join(', ')})`;
  }
  if (UUID.test(text)) {
    const id = value(text);
    return `(id = ${id} OR customer_id = ${id})`;
  }
  if (/^0x[0-9a-fA-F]{40}$/.test(text)) {
    const address = value(text.toLowerCase());
    return `(wallet = ${address} OR deposit_address = ${address})`;
  }
  return `custom_id = ${value(text.slice(0, 64))}`;
}
