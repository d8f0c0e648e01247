/**
 * Changes that running services notice, and the audit trail: each entry contains the hash of the
 * one before it.
 */
import { type ChainEnd, chainFault, recordHash } from '../crypto/hash-chain.ts';
import type { Database, Query } from './database.ts';

export interface AuditEntry {
  /** The user at a command line, or the client, who made the change. */
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
  /** Details of the change; never a secret. */
  readonly detail: Readonly<Record<string, unknown>>;
}

export interface AuditRow extends AuditEntry {
  readonly number: number;
  readonly at: number;
  readonly previous: string;
  readonly hash: string;
}

const NO_HASH = '';

/**
 * To be called in a transaction: raises the revision, which makes other writers wait, and records
 * what was done. Returns the revision.
 */
export async function change(query: Query, entry: AuditEntry, nowMs: number): Promise<number> {
  const [row] = await query('UPDATE revision SET value = value + 1 WHERE one = 1 RETURNING value');
  const number = Number(row!.value);
  const [last] = await query('SELECT hash FROM audit ORDER BY number DESC LIMIT 1');
  const previous = String(last?.hash ?? NO_HASH);
  const detail = JSON.stringify(entry.detail);
  const { actor, action, subject } = entry;
  const hash = recordHash(textOf({ number, at: nowMs, actor, action, subject, detail, previous }));
  await query(
    `INSERT INTO audit (number, at, actor, action, subject, detail, previous, hash)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [number, nowMs, actor, action, subject, detail, previous, hash],
  );
  return number;
}

export async function revisionOf(database: Database): Promise<number> {
  const [row] = await database.query('SELECT value FROM revision WHERE one = 1');
  return Number(row!.value);
}

/**
 * Entries, oldest first. `isWhole` is false when an entry, even the newest, was later changed,
 * added or removed.
 */
export async function auditTrail(
  database: Database,
): Promise<{ readonly rows: readonly AuditRow[]; readonly isWhole: boolean }> {
  // Read in one query, because the service writes meanwhile.
  const found = await database.query(
    `SELECT audit.*, revision.value AS newest FROM revision LEFT JOIN audit ON audit.number IS NOT NULL
     ORDER BY audit.number`,
  );
  const newest = Number(found[0]!.newest);
  const entries = found.filter(({ number }) => number !== null);
  let end: ChainEnd = { seq: 0, hash: NO_HASH };
  let isWhole = entries.length === newest;
  const rows = entries.map((row) => {
    const plain = {
      number: Number(row.number),
      at: Number(row.at),
      actor: String(row.actor),
      action: String(row.action),
      subject: String(row.subject),
      detail: String(row.detail),
      previous: String(row.previous),
    };
    const hash = String(row.hash);
    const record = { text: textOf(plain), previous: plain.previous, seq: plain.number, hash };
    isWhole &&= chainFault(end, record) === undefined;
    end = record;
    return { ...plain, detail: factsOf(plain.detail), hash };
  });
  return { rows, isWhole };
}

/** A manipulated entry may no longer be JSON. */
function factsOf(detail: string): AuditEntry['detail'] {
  try {
    return JSON.parse(detail) as AuditEntry['detail'];
  } catch {
    return { unreadable: detail };
  }
}

/** The part of an entry that its hash covers. */
function textOf(entry: {
  number: number;
  at: number;
  actor: string;
  action: string;
  subject: string;
  detail: string;
  previous: string;
}): string {
  const { number, at, actor, action, subject, detail, previous } = entry;
  return JSON.stringify([previous, number, at, actor, action, subject, detail]);
}
