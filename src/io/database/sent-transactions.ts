/**
 * The table of transactions that a service has sent, with the operations that all services share.
 */
import type {
  SentTransaction,
  SubmissionStore,
  TransactionOrder,
  TransactionReceipt,
  UnknownEntry,
} from '../../core/submission/ports.ts';
import { ageSeconds } from '../telemetry/age-seconds.ts';
import type { Database, Query } from './database.ts';

export const SENT_TRANSACTION_TABLE = [
  `CREATE TABLE sent_transaction (id text PRIMARY KEY, sender text NOT NULL, nonce bigint NOT NULL, raw text NOT NULL,
        hash text NOT NULL UNIQUE, state text NOT NULL, block_number bigint, created_at bigint NOT NULL,
        updated_at bigint NOT NULL)`,
  // The nonce of a lost transaction may be used again.
  "CREATE UNIQUE INDEX sent_transaction_nonce ON sent_transaction (sender, nonce) WHERE state <> 'void'",
] as const;

/**
 * A service adds its orders: which of them are queued, and what changes in an order together with
 * its transaction.
 */
export abstract class SentTransactions<T extends TransactionOrder> implements SubmissionStore<T> {
  protected readonly database: Database;

  constructor(database: Database) {
    this.database = database;
  }

  async bindLedger(identity: string): Promise<string> {
    const { query } = this.database;
    await query("INSERT INTO setting (name, value) VALUES ('ledger', $1) ON CONFLICT DO NOTHING", [
      identity,
    ]);
    const [row] = await query("SELECT value FROM setting WHERE name = 'ledger'");
    return String(row!.value);
  }

  live(limit: number): Promise<readonly SentTransaction[]> {
    return liveTransactions(this.database.query, limit);
  }

  async highestNonce(sender: string): Promise<number | undefined> {
    const [row] = await this.database.query(
      "SELECT max(nonce) AS highest FROM sent_transaction WHERE sender = $1 AND state = 'live'",
      [sender],
    );
    return row?.highest == null ? undefined : Number(row.highest);
  }

  lastNonce(sender: string): Promise<number | undefined> {
    return lastNonce(this.database.query, sender);
  }

  /** Keeps all entries, or none. */
  keepUnknown(sender: string, entries: readonly UnknownEntry[]): Promise<void> {
    return this.database.transaction(async (query) => {
      for (const { hash, nonce, atMs, to, value, data } of entries) {
        const call = JSON.stringify({ to, value: String(value), data });
        await query(
          `INSERT INTO sent_transaction (id, sender, nonce, raw, hash, state, created_at, updated_at)
           VALUES ($1, $2, $3, $4, $5, 'unknown', $6, $6) ON CONFLICT DO NOTHING`,
          [`unknown:${sender}:${nonce}`, sender, nonce, call, hash, atMs],
        );
      }
    });
  }

  unknown(sender: string): Promise<readonly UnknownEntry[]> {
    return unknownTransactions(this.database.query, sender);
  }

  async touched(id: string, nowMs: number): Promise<void> {
    await this.database.query('UPDATE sent_transaction SET updated_at = $2 WHERE id = $1', [
      id,
      nowMs,
    ]);
  }

  abstract oldestMs(): Promise<number | undefined>;
  abstract queued(limit: number): Promise<readonly T[]>;
  abstract insert(transaction: SentTransaction, order: T): Promise<boolean>;
  abstract mined(
    transaction: SentTransaction,
    receipt: TransactionReceipt,
    nowMs: number,
  ): Promise<void>;
  abstract lost(transaction: SentTransaction, nowMs: number): Promise<void>;
}

/** Live transactions, oldest first. */
async function liveTransactions(query: Query, limit: number): Promise<readonly SentTransaction[]> {
  const rows = await query(
    "SELECT * FROM sent_transaction WHERE state = 'live' ORDER BY created_at, nonce LIMIT $1",
    [limit],
  );
  return rows.map((row) => ({
    id: String(row.id),
    sender: String(row.sender),
    nonce: Number(row.nonce),
    raw: String(row.raw),
    hash: String(row.hash),
    updatedAt: Number(row.updated_at),
  }));
}

/** The highest nonce, including transactions that are already in a block. */
export async function lastNonce(query: Query, sender: string): Promise<number | undefined> {
  const [row] = await query(
    "SELECT max(nonce) AS highest FROM sent_transaction WHERE sender = $1 AND state <> 'void'",
    [sender],
  );
  return row === undefined || row.highest === null ? undefined : Number(row.highest);
}

export async function unknownTransactions(query: Query, sender: string): Promise<UnknownEntry[]> {
  const rows = await query(
    "SELECT * FROM sent_transaction WHERE sender = $1 AND state = 'unknown' ORDER BY nonce",
    [sender],
  );
  return rows.map(({ raw, hash, nonce, created_at: atMs }) => {
    const { to, value, data } = JSON.parse(String(raw));
    const call = { to, value: BigInt(value), data };
    return { hash: String(hash), nonce: Number(nonce), atMs: Number(atMs), ...call };
  });
}

/** False: another instance has used the nonce, or has already sent this order. */
export async function insertTransaction(
  query: Query,
  { id, sender, nonce, raw, hash, updatedAt }: SentTransaction,
): Promise<boolean> {
  await query("DELETE FROM sent_transaction WHERE hash = $1 AND state = 'unknown'", [hash]);
  const stored = await query(
    `INSERT INTO sent_transaction (id, sender, nonce, raw, hash, state, created_at, updated_at)
     VALUES ($1, $2, $3, $4, $5, 'live', $6, $7) ON CONFLICT DO NOTHING RETURNING id`,
    [id, sender, nonce, raw, hash, updatedAt, updatedAt],
  );
  return stored.length > 0;
}

export async function deleteTransaction(query: Query, id: string): Promise<void> {
  await query('DELETE FROM sent_transaction WHERE id = $1', [id]);
}

export async function transactionMined(
  query: Query,
  { id }: Pick<SentTransaction, 'id'>,
  blockNumber: number,
  nowMs: number,
): Promise<void> {
  await query(
    "UPDATE sent_transaction SET state = 'mined', block_number = $2, updated_at = $3 WHERE id = $1",
    [id, blockNumber, nowMs],
  );
}

export async function transactionLost(
  query: Query,
  { id }: Pick<SentTransaction, 'id'>,
  nowMs: number,
): Promise<void> {
  await query(
    "UPDATE sent_transaction SET state = 'void', updated_at = $2 WHERE id = $1 AND state = 'live'",
    [id, nowMs],
  );
}

/**
 * Number of sent transactions that are not in a block yet, each with a nonce of its own; age of the
 * oldest.
 */
export async function pendingNonces(
  { query }: Pick<Database, 'query'>,
  nowMs: number,
): Promise<{ readonly count: number; readonly oldestSeconds: number }> {
  const [row] = await query(
    "SELECT count(*) AS pending, min(created_at) AS oldest FROM sent_transaction WHERE state = 'live'",
  );
  const oldest = row?.oldest == null ? nowMs : Number(row.oldest);
  return { count: Number(row?.pending ?? 0), oldestSeconds: ageSeconds(oldest, nowMs) };
}
