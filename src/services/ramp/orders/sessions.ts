/**
 * Open widgets: the requested offer, by whom, until when. The id is the secret of its page.
 */
import { createHash, randomBytes } from 'node:crypto';
import { fail } from '../../../core/base/errors.ts';
import type { Clock } from '../../../core/base/ports.ts';
import type { Side } from '../../../core/ramp/order.ts';
import type { Database, Query, Row } from '../../../io/database/database.ts';
import type { NewOrder } from './orders.ts';
import { fromJson, toJson } from './state-json.ts';

const ID_BYTES = 32;
/** How long a session is stored, for the check of hashes. */
const KEPT_MS = 24 * 60 * 60_000;
/** The page of a recurring order can end it at any time: kept until the year 10000. */
const KEPT_UNTIL_MS = Date.UTC(10_000, 0);

/** The offer that the page showed, to which the customer agrees by paying: it becomes the order. */
export type OrderOffer = Omit<NewOrder, 'dueMs' | 'redirectUrl'> & {
  readonly redirectUrl: string;
  /** Until then the aggregator waits for an order with this custom id. */
  readonly customIdUntilMs?: number | undefined;
  /** Checked against limits and switches when the customer pays. */
  readonly amount: string;
};

export interface Session {
  readonly partner: string;
  readonly side: Side;
  readonly offer: OrderOffer;
  readonly orderId: string | undefined;
  readonly quotedAtMs: number;
  readonly expiresAtMs: number;
}

export class Sessions {
  private readonly database: Database;
  private readonly clock: Clock;
  private readonly quoteMs: () => number;

  /** `quoteMs`: how long a displayed price is valid. */
  constructor(database: Database, clock: Clock, quoteMs: () => number) {
    this.database = database;
    this.clock = clock;
    this.quoteMs = quoteMs;
  }

  /** Returns the id, of which the store has only a hash. */
  async open(
    partner: string,
    side: Side,
    offer: OrderOffer,
    from: { readonly address: string; readonly userHash: string | undefined },
  ): Promise<string> {
    const id = randomBytes(ID_BYTES).toString('base64url');
    const nowMs = this.clock.nowMs();
    await this.database.query('DELETE FROM widget_session WHERE expires_at < $1', [
      nowMs - KEPT_MS,
    ]);
    await this.database.query(
      `INSERT INTO widget_session (id, partner, side, offer, address, user_hash, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      [
        ...[keyOf(id), partner, side, toJson({ ...offer, quotedAtMs: nowMs }), from.address],
        ...[from.userHash ?? null, nowMs + this.quoteMs()],
      ],
    );
    return id;
  }

  async find(id: string): Promise<Session | undefined> {
    const [row] = await this.database.query('SELECT * FROM widget_session WHERE id = $1', [
      keyOf(id),
    ]);
    return row && sessionOf(row);
  }

  /** Updates what the page shows; a session that has an order does not change. */
  async reprice(id: string, offer: OrderOffer): Promise<void> {
    const nowMs = this.clock.nowMs();
    await this.database.query(
      'UPDATE widget_session SET offer = $2, expires_at = $3 WHERE id = $1 AND order_id IS NULL',
      [keyOf(id), toJson({ ...offer, quotedAtMs: nowMs }), nowMs + this.quoteMs()],
    );
  }

  isOver({ expiresAtMs }: Session): boolean {
    return this.clock.nowMs() > expiresAtMs;
  }

  /**
   * For the transaction that makes the order, because a session makes only one: the function
   * returns the id of the order that the session made earlier.
   */
  claim(
    id: string,
    { offer, expiresAtMs }: Session,
  ): (query: Query, orderId: string) => Promise<string | undefined> {
    const keptMs = offer.frequency === undefined ? expiresAtMs : KEPT_UNTIL_MS;
    return async (query, orderId) => {
      const taken = await query(
        `UPDATE widget_session SET order_id = $2, expires_at = $3
         WHERE id = $1 AND order_id IS NULL RETURNING id`,
        [keyOf(id), orderId, keptMs],
      );
      if (taken.length > 0) return undefined;
      const [row] = await query('SELECT order_id FROM widget_session WHERE id = $1', [keyOf(id)]);
      if (!row) throw fail('RAMP_SESSION_OVER', 'this page is over: open it again from the start');
      return String(row.order_id);
    };
  }

  /** Addresses from which widgets were opened with this hash. */
  async addressesOf(partner: string, userHash: string): Promise<readonly string[]> {
    const rows = await this.database.query(
      'SELECT DISTINCT address FROM widget_session WHERE partner = $1 AND user_hash = $2 LIMIT 100',
      [partner, userHash],
    );
    return rows.map(({ address }) => String(address));
  }
}

function keyOf(id: string): string {
  return createHash('sha256').update(id).digest('hex');
}

function sessionOf(row: Row): Session {
  const { quotedAtMs, ...offer } = fromJson<OrderOffer & { quotedAtMs: number }>(String(row.offer));
  return {
    partner: String(row.partner),
    side: String(row.side) as Side,
    offer,
    orderId: row.order_id === null ? undefined : String(row.order_id),
    quotedAtMs,
    expiresAtMs: Number(row.expires_at),
  };
}
