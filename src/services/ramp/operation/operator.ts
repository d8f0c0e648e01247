/** The operator's interface: orders and their history, money, stuck orders, volume. */
import type { RampConfig } from '../../../core/ramp/config.ts';
import type { Side } from '../../../core/ramp/order.ts';
import { balanceCall } from '../../../core/ramp/token-transfer.ts';
import { isNative } from '../../../core/ramp/wallet-address.ts';
import type { Database, Row } from '../../../io/database/database.ts';
import type { LedgerClient } from '../../../io/ledger-client/ledger-client.ts';
import { Refusal } from '../api/refusal.ts';
import type { Order } from '../orders/order-row.ts';
import { isUnsent, type Orders } from '../orders/orders.ts';
import { stopRecurrence } from '../orders/recurrence-row.ts';
import { queueAgain } from '../webhooks/outbox.ts';
import { type FoundOrders, type OrderSearch, searchOrders } from './order-search.ts';
import { type StuckOrder, stuckOrders } from './stuck.ts';

const HISTORY_MAX = 1_000;
const VOLUME_DAYS_MAX = 366;
const DAY_MS = 24 * 60 * 60 * 1000;

export const ACTIONS = ['hold', 'release', 'refund', 'cancel', 'stop'] as const;
export type Action = (typeof ACTIONS)[number];

export interface OrderHistory {
  readonly order: Order;
  readonly events: readonly { type: string; data: object; at: string }[];
  readonly postings: readonly { account: string; asset: string; units: string; at: string }[];
  readonly payouts: readonly Row[];
  readonly deposits: readonly Row[];
}

export interface VolumeRow {
  readonly day: string;
  readonly side: Side;
  /** The fiat currency. */
  readonly asset: string;
  readonly count: number;
  readonly completed: number;
  /** Sums of completed orders: in smallest units, and in US cents. */
  readonly units: string;
  readonly usdCents: string;
}

export interface OperatorParts {
  readonly database: Database;
  readonly orders: Orders;
  readonly ledger: Pick<LedgerClient, 'balance' | 'read'>;
  readonly config: () => RampConfig;
  /** Account that pays out; undefined: none. */
  readonly from: string | undefined;
  readonly lacking: () => readonly string[];
  readonly nowMs: () => number;
}

export class Operator {
  private readonly parts: OperatorParts;

  constructor(parts: OperatorParts) {
    this.parts = parts;
  }

  /** Newest first. */
  list(asked: OrderSearch): Promise<FoundOrders> {
    return searchOrders(this.parts.database.query, asked);
  }

  /** Throws a Refusal. */
  async order(id: string): Promise<OrderHistory> {
    const order = await this.parts.orders.find(id);
    if (!order) throw new Refusal(404, 'order_unknown', 'there is no such order');
    const { query } = this.parts.database;
    const at = (ms: unknown) => new Date(Number(ms)).toISOString();
    const [events, postings, payouts, deposits] = await Promise.all([
      query('SELECT * FROM ramp_event WHERE order_id = $1 ORDER BY number LIMIT $2', [
        ...[id, HISTORY_MAX],
      ]),
      query('SELECT * FROM posting WHERE order_id = $1 ORDER BY version, line LIMIT $2', [
        ...[id, HISTORY_MAX],
      ]),
      query(
        `SELECT id, kind, asset, recipient, units, state, hash, attempts, created_at FROM payout
         WHERE order_id = $1 ORDER BY created_at, id LIMIT $2`,
        [id, HISTORY_MAX],
      ),
      query('SELECT * FROM deposit WHERE order_id = $1 ORDER BY block_number, id LIMIT $2', [
        ...[id, HISTORY_MAX],
      ]),
    ]);
    return {
      order,
      events: events.map((row) => ({
        ...{ type: String(row.type), data: JSON.parse(String(row.data)), at: at(row.at) },
      })),
      postings: postings.map((row) => ({
        ...{ account: String(row.account), asset: String(row.asset) },
        ...{ units: String(row.units), at: at(row.at) },
      })),
      ...{ payouts, deposits },
    };
  }

  /**
   * `by`: the operator, for the history. A refusal says why nothing happened. Throws a Refusal for
   * an unknown order.
   */
  async act(
    id: string,
    action: Action,
    by: string,
    why = '',
  ): Promise<{ order: Order; refusal?: string }> {
    let isStopped = true;
    const taken = await this.parts.orders.take(id, async (order, query) => {
      const unsent = await isUnsent(query, order);
      switch (action) {
        case 'stop':
          isStopped = await stopRecurrence(query, id);
          return undefined;
        case 'hold':
          return { kind: 'held', why: `${by}: ${why}`, unsent };
        case 'release':
          return { kind: 'released' };
        case 'refund':
          return { kind: 'refundOrdered', unsent };
        case 'cancel':
          return { kind: 'cancelled', by: 'provider' };
      }
    });
    const refusal = isStopped ? taken.refusal : 'the order does not recur';
    if (refusal !== undefined) return { order: taken.order, refusal };
    await this.parts.orders.note(id, `operator.${action}`, { by, why });
    return { order: taken.order };
  }

  /** Sends the partner all messages of an order again. Throws a Refusal. */
  async tellAgain(id: string, by: string): Promise<{ webhooks: number }> {
    const { database, orders, nowMs } = this.parts;
    if (!(await orders.find(id))) throw new Refusal(404, 'order_unknown', 'there is no such order');
    const webhooks = await queueAgain(database.query, id, nowMs());
    await orders.note(id, 'operator.webhooks', { by, webhooks });
    return { webhooks };
  }

  /** Balances of the books, and those of the paying account on the ledger. */
  async balances(): Promise<{
    books: readonly { account: string; asset: string; units: string }[];
    ledger: readonly { asset: string; address: string; units: string | undefined }[];
    lacking: readonly string[];
  }> {
    const { config, from, lacking } = this.parts;
    const books = await bookBalances(this.parts.database);
    const ledger =
      from === undefined
        ? []
        : await Promise.all(
            config().crypto.map(async ({ network, address }) => ({
              ...{ asset: `${network}:${address}`, address: from },
              units: await this.onLedger(address, from).then(String, () => undefined),
            })),
          );
    return { books, ledger, lacking: lacking() };
  }

  private async onLedger(token: string, owner: string): Promise<bigint> {
    const { ledger } = this.parts;
    if (isNative({ address: token })) return ledger.balance(owner);
    return BigInt(await ledger.read(token, balanceCall(owner)));
  }

  stuck(): Promise<readonly StuckOrder[]> {
    return stuckOrders(this.parts.database, this.parts.nowMs());
  }

  /** The volume of the last days, including today. */
  async volume(days: number): Promise<readonly VolumeRow[]> {
    const count = Math.min(Math.max(1, Math.floor(days) || 1), VOLUME_DAYS_MAX);
    const first = new Date(this.parts.nowMs() - (count - 1) * DAY_MS).toISOString().slice(0, 10);
    const rows = await this.parts.database.query(
      'SELECT * FROM ramp_volume WHERE day >= $1 ORDER BY day, side, fiat',
      [first],
    );
    return rows.map((row) => ({
      ...{ day: String(row.day), side: String(row.side) as Side, asset: String(row.fiat) },
      ...{ count: Number(row.created), completed: Number(row.completed) },
      ...{ units: String(row.units), usdCents: String(row.usd_cents) },
    }));
  }
}

/** Balances of all accounts that are not at zero. */
async function bookBalances({
  query,
}: Pick<Database, 'query'>): Promise<readonly { account: string; asset: string; units: string }[]> {
  const rows = await query(
    'SELECT account, asset, units FROM book_balance ORDER BY account, asset',
  );
  return rows
    .map((row) => ({
      ...{ account: String(row.account), asset: String(row.asset), units: String(row.units) },
    }))
    .filter(({ units }) => units !== '0');
}
