/** Deposits found for orders, and the last scanned block: tables of the deposit watcher. */
import type { Deposit } from '../../../core/ramp/sell-order.ts';
import type { Database, Query, Row } from '../../../io/database/database.ts';
import type { LedgerBlock } from '../../../io/ledger-client/block-reader.ts';
import type { Order } from '../orders/order-row.ts';
import { LEDGER_SEEN_AT } from '../orders/orders.ts';
import { fromJson } from '../orders/state-json.ts';

/** Older blocks are never replaced. */
const BLOCKS_KEPT = 1_024;
/** Addresses per query. */
const OWNERS_MAX = 200;
const DEPOSITS_MAX = 500;

export interface FoundDeposit extends Deposit {
  readonly id: string;
  readonly orderId: string;
  readonly blockNumber: number;
  readonly blockAtMs: number;
}

interface Owner {
  readonly orderId: string;
  readonly network: string;
}

export class DepositIntake {
  private readonly database: Database;

  constructor(database: Database) {
    this.database = database;
  }

  /** The newest scanned block. */
  async cursor(): Promise<{ number: number; hash: string } | undefined> {
    const [row] = await this.database.query(
      'SELECT number, hash FROM scanned_block ORDER BY number DESC LIMIT 1',
    );
    return row && { number: Number(row.number), hash: String(row.hash) };
  }

  async keepCursor(query: Query, { number, hash, timestamp }: LedgerBlock): Promise<void> {
    await query(
      'INSERT INTO scanned_block (number, hash, at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
      [Number(number), hash, Number(BigInt(timestamp) % 2n ** 53n)],
    );
  }

  /** The newest scanned block below this one; undefined: none is known. */
  async before(number: number): Promise<{ number: number; hash: string } | undefined> {
    const [row] = await this.database.query(
      'SELECT number, hash FROM scanned_block WHERE number < $1 ORDER BY number DESC LIMIT 1',
      [number],
    );
    return row && { number: Number(row.number), hash: String(row.hash) };
  }

  /**
   * Removes block `number` and later ones, and stores `before`, if it is new. Both in one
   * transaction: without a place to continue from, the next start would skip blocks.
   */
  async stepBack(number: number, before?: LedgerBlock): Promise<void> {
    await this.database.transaction(async (query) => {
      await query('DELETE FROM scanned_block WHERE number >= $1', [number]);
      if (before) await this.keepCursor(query, before);
    });
  }

  async prune(number: number): Promise<void> {
    await this.database.query('DELETE FROM scanned_block WHERE number < $1', [
      number - BLOCKS_KEPT,
    ]);
  }

  async keepSeenAt(nowMs: number): Promise<void> {
    await this.database.query(
      `INSERT INTO setting (name, value) VALUES ($1, $2)
       ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
      [LEDGER_SEEN_AT, String(nowMs)],
    );
  }

  /** The orders that have these deposit addresses, by address. */
  async ownersOf(addresses: readonly string[]): Promise<ReadonlyMap<string, Owner>> {
    const asked = [...new Set(addresses)];
    const owners = new Map<string, Owner>();
    for (let from = 0; from < asked.length; from += OWNERS_MAX) {
      const some = asked.slice(from, from + OWNERS_MAX);
      const places = some.map((_, at) => `$${at + 1}`).join(', ');
      const rows = await this.database.query(
        `SELECT id, deposit_address, terms FROM ramp_order WHERE deposit_address IN (${places})`,
        some,
      );
      for (const row of rows) {
        const { crypto } = fromJson<{ crypto: { network: string } }>(String(row.terms));
        owners.set(String(row.deposit_address), {
          orderId: String(row.id),
          network: crypto.network,
        });
      }
    }
    return owners;
  }

  /** Stores a deposit; false: it is known already. */
  async see(query: Query, found: FoundDeposit): Promise<boolean> {
    const { id, orderId, hash, from, asset, units, blockNumber, blockAtMs } = found;
    const stored = await query(
      `INSERT INTO deposit (id, order_id, hash, sender, asset, units, state, block_number, block_at)
       VALUES ($1, $2, $3, $4, $5, $6, 'seen', $7, $8) ON CONFLICT DO NOTHING RETURNING id`,
      [id, orderId, hash, from, asset, String(units), blockNumber, blockAtMs],
    );
    return stored.length > 0;
  }

  /** Deposits of this block and later ones that are not final yet; oldest first. */
  async seenFrom(blockNumber: number): Promise<readonly FoundDeposit[]> {
    const rows = await this.database.query(
      `SELECT * FROM deposit WHERE state = 'seen' AND block_number >= $1 ORDER BY block_number, id LIMIT $2`,
      [blockNumber, DEPOSITS_MAX],
    );
    return rows.map(depositOf);
  }

  async drop(query: Query, id: string): Promise<boolean> {
    const gone = await query("DELETE FROM deposit WHERE id = $1 AND state = 'seen' RETURNING id", [
      id,
    ]);
    return gone.length > 0;
  }

  async finish(query: Query, id: string): Promise<boolean> {
    const done = await query(
      "UPDATE deposit SET state = 'final' WHERE id = $1 AND state = 'seen' RETURNING id",
      [id],
    );
    return done.length > 0;
  }

  /** Queues the transfer from the order's address to the account that pays out. */
  async queueCollection(
    query: Query,
    { id: orderId, depositCollector }: Order,
    { id, asset, units }: FoundDeposit,
    nowMs: number,
  ): Promise<void> {
    const effectId = `collect-${id}`;
    await query(
      `INSERT INTO payout (id, order_id, effect_id, kind, asset, recipient, units, state, created_at, next_at, attempts)
       VALUES ($1, $2, $3, 'collect', $4, $5, $6, 'queued', $7, $7, 0) ON CONFLICT DO NOTHING`,
      [
        ...[`${orderId}/${effectId}`, orderId, effectId, asset, depositCollector, String(units)],
        nowMs,
      ],
    );
  }
}

function depositOf(row: Row): FoundDeposit {
  return {
    ...{ id: String(row.id), orderId: String(row.order_id), hash: String(row.hash) },
    ...{ from: String(row.sender), asset: String(row.asset), units: BigInt(String(row.units)) },
    ...{ blockNumber: Number(row.block_number), blockAtMs: Number(row.block_at) },
  };
}
