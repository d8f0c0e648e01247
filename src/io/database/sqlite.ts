/**
 * A database in one file, by SQLite: durable at each commit, open to several processes of this
 * machine (the service, and a command that administers it). Statements are limited to those that
 * PostgreSQL and SQLite share. Transactions that arrive together share a commit: with a commit
 * each, each would wait for the disk.
 */
import { chmodSync, closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import {
  DatabaseSync,
  type DatabaseSyncInstance,
  type StatementSyncInstance as Statement,
} from '@photostructure/sqlite';
import { fail, QuorateError } from '../../core/base/errors.ts';
import { Lru } from '../../core/base/lru.ts';
import { checkDiskRoom } from '../host/disk-room.ts';
import { makeFolder } from '../host/make-folder.ts';
import { reasonOf } from '../host/reason.ts';
import type { Database, Query, Row } from './database.ts';
import { checkAtRest, noteAtRest } from './file-checksum.ts';

type Input = Parameters<Statement['all']>[0];

/**
 * How long and how often to retry while another process writes; SQLite's own waiting would block
 * this process.
 */
const BUSY_MS = 5_000;
const BUSY_PAUSE_MS = 2;
const STATEMENTS_MAX = 256;
/** Maximum number of transactions in one commit: each of them waits for all of them. */
const GROUP_MAX = 32;
const PAGE_ROWS = 1_000;
/** Statements that share commits, too. */
const WRITES = /^\s*(?:INSERT|UPDATE|DELETE)\b/i;
/** Result codes of SQLite. */
const GENERIC = 1;
const BUSY = 5;
const READ_ONLY = 8;
const IO_ERROR = 10;
const CORRUPT = 11;
const FULL = 13;
const CANNOT_OPEN = 14;
const NO_DATABASE = 26;
const CODES_BY_TEXT: Readonly<Record<string, number>> = {
  'database is locked': BUSY,
  'attempt to write a readonly database': READ_ONLY,
  'disk I/O error': IO_ERROR,
  'database disk image is malformed': CORRUPT,
  'database or disk is full': FULL,
  'file is not a database': NO_DATABASE,
};

interface Member {
  /** Resolves to a function that gives its caller the result. */
  readonly run: (query: Query) => Promise<() => void>;
  readonly reject: (error: unknown) => void;
}

interface Finished {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Creates the file, readable only by its owner, if there is none. Throws STORAGE_… */
export function openSqlite(file: string): Database {
  let database: DatabaseSyncInstance;
  try {
    makeFolder(dirname(file), 0o700);
    checkDiskRoom(file);
    checkAtRest(file);
    closeSync(openSync(file, 'a', 0o600));
    database = new DatabaseSync(file, { timeout: 0 });
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON');
  } catch (error) {
    throw sqliteError(error, file);
  }
  return new SqliteDatabase(file, database);
}

class SqliteDatabase implements Database {
  readonly place: string;
  private readonly database: DatabaseSyncInstance;
  private readonly statements = new Lru<string, Statement>(STATEMENTS_MAX);
  /** Calls during a transaction wait for its end, because there is only one connection. */
  private turn: Promise<void> | undefined;
  /** Transactions that wait for the next commit. */
  private readonly waiting: Member[] = [];
  /** Runs commits while transactions wait; undefined: none waits. */
  private commits: Promise<void> | undefined;

  constructor(place: string, database: DatabaseSyncInstance) {
    this.place = place;
    this.database = database;
  }

  readonly query: Query = (text, values) =>
    WRITES.test(text)
      ? this.transaction((query) => query(text, values))
      : this.patiently(text, values, false);

  transaction<T>(work: (query: Query) => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const run = async (query: Query) => {
        const result = await work(query);
        return () => resolve(result);
      };
      this.waiting.push({ run, reject });
      this.commits ??= this.commitAll();
    });
  }

  /** Uses a connection of its own, which does not delay writers. */
  async view<T>(
    work: (rows: (table: string) => AsyncIterable<readonly Row[]>) => Promise<T>,
  ): Promise<T> {
    const reader = new DatabaseSync(this.place, { timeout: BUSY_MS, readOnly: true });
    try {
      reader.exec('BEGIN');
      return await work((table) => pagesOf(reader, table));
    } catch (error) {
      throw sqliteError(error, this.place);
    } finally {
      reader.close();
    }
  }

  async copy(name: string): Promise<string> {
    const path = `${this.place}.${name}`;
    if (existsSync(path)) return path;
    rmSync(`${path}.new`, { force: true });
    await this.query('VACUUM INTO $1', [`${path}.new`]);
    chmodSync(`${path}.new`, 0o600);
    syncPath(`${path}.new`);
    renameSync(`${path}.new`, path);
    return path;
  }

  async close(): Promise<void> {
    while (this.commits) await this.commits;
    if (!this.database.isOpen) return;
    try {
      // Open statements would prevent SQLite from emptying the log when the connection closes.
      this.database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // The write-ahead log keeps its content, and remains valid.
    }
    this.database.close();
    noteAtRest(this.place);
  }

  private async commitAll(): Promise<void> {
    while (this.waiting.length > 0) {
      // All transactions of the same turn of the event loop share the commit.
      await nextTurn();
      this.turn = this.commitGroup();
      await this.turn;
      this.turn = undefined;
    }
    this.commits = undefined;
  }

  /** Never rejects: errors go to the members of the group. */
  private async commitGroup(): Promise<void> {
    const finished: Finished[] = [];
    try {
      await this.begin();
      for (let count = 0; count < GROUP_MAX && this.waiting.length > 0; count++) {
        await this.runMember(this.waiting.shift()!, finished);
      }
      this.run('COMMIT');
    } catch (error) {
      if (this.database.isTransaction) this.run('ROLLBACK');
      for (const { reject } of finished) reject(error);
      return;
    }
    for (const { resolve } of finished) resolve();
  }

  /** If the group's transaction cannot begin, all waiting transactions fail. */
  private async begin(): Promise<void> {
    try {
      await this.patiently('BEGIN IMMEDIATE', [], true);
    } catch (error) {
      for (const { reject } of this.waiting.splice(0)) reject(error);
      throw error;
    }
  }

  /** A transaction that fails is undone; the others of its group stay. */
  private async runMember({ run, reject }: Member, finished: Finished[]): Promise<void> {
    this.run('SAVEPOINT member');
    try {
      const resolve = await run(async (text, values) => this.run(text, values));
      this.run('RELEASE member');
      finished.push({ resolve, reject });
    } catch (error) {
      reject(error);
      // A full or broken disk undoes the whole group.
      if (!this.database.isTransaction) throw error;
      this.run('ROLLBACK TO member');
      this.run('RELEASE member');
    }
  }

  /**
   * `hasTurn`: this query begins the transaction; other queries must not become part of one that
   * began while they waited.
   */
  private async patiently(
    text: string,
    values: readonly unknown[] | undefined,
    hasTurn: boolean,
  ): Promise<Row[]> {
    const deadline = performance.now() + BUSY_MS;
    for (;;) {
      while (!hasTurn && this.turn) await this.turn;
      try {
        return this.run(text, values);
      } catch (error) {
        if (codeOf((error as Error).cause) !== BUSY || performance.now() > deadline) throw error;
        await pause(BUSY_PAUSE_MS);
      }
    }
  }

  private run(text: string, values: readonly unknown[] = []): Row[] {
    try {
      const named = Object.fromEntries(values.map((value, index) => [`$${index + 1}`, value]));
      const statement = this.prepare(text);
      return (values.length > 0 ? statement.all(named as Input) : statement.all()) as Row[];
    } catch (error) {
      throw sqliteError(error, this.place);
    }
  }

  private prepare(text: string): Statement {
    const held = this.statements.get(text);
    if (held) return held;
    const statement = this.database.prepare(text);
    this.statements.set(text, statement);
    return statement;
  }
}

async function* pagesOf(
  database: DatabaseSyncInstance,
  table: string,
): AsyncIterable<readonly Row[]> {
  const statement = database.prepare(
    `SELECT rowid AS "row id", * FROM ${table} WHERE rowid > $1 ORDER BY rowid LIMIT $2`,
  );
  for (let after = 0; ; ) {
    const rows = statement.all({ $1: after, $2: PAGE_ROWS } as Input) as Row[];
    if (rows.length === 0) return;
    after = Number(rows.at(-1)!['row id']);
    yield rows.map(({ 'row id': _, ...row }) => row);
  }
}

/**
 * SQLite's primary result code; 0: not an error of SQLite. Statements report only the text of the
 * error.
 */
function codeOf(error: unknown): number {
  const { code, errcode, message } = (error ?? {}) as Error & { code?: string; errcode?: number };
  if (errcode !== undefined) return errcode & 0xff;
  return code === 'ERR_SQLITE_ERROR' ? (CODES_BY_TEXT[message] ?? GENERIC) : 0;
}

function syncPath(path: string): void {
  const descriptor = openSync(path, 'r+');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function sqliteError(error: unknown, place: string): QuorateError {
  if (error instanceof QuorateError) return error;
  const { message } = error as Error;
  const code = codeOf(error);
  if (code === FULL) {
    return fail(
      'STORAGE_FULL',
      `the disk of ${place} has no space left: nothing acknowledged is lost. Free some space, then continue`,
      { cause: error },
    );
  }
  // Without a code, the folder or the file could not be created.
  if (code === 0 || code === READ_ONLY || code === CANNOT_OPEN) {
    return fail('STORAGE_REFUSED', `the database ${place} cannot be used: ${reasonOf(error)}`, {
      cause: error,
    });
  }
  const isBroken = code === IO_ERROR || code === CORRUPT || code === NO_DATABASE;
  const advice = isBroken ? '. Stop whatever uses it, and restore the file from a backup' : '';
  return fail('STORAGE_FAILED', `the database ${place} reports: ${message}${advice}`, {
    cause: error,
  });
}
