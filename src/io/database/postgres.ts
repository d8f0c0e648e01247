/** A pool of connections to one PostgreSQL database, with our own error texts. */

import type { PoolClient } from 'pg';
import { fail, type QuorateError } from '../../core/base/errors.ts';
import { reasonOf } from '../host/reason.ts';
import type { Database, Query, Row } from './database.ts';
import type { PostgresAddress } from './postgres-address.ts';

export const CONNECTIONS_DEFAULT = 10;
const CONNECT_TIMEOUT_MS = 5_000;
const QUERY_TIMEOUT_MS = 60_000;
const IDLE_TIMEOUT_MS = 30_000;
/** Two transactions conflicted: one of them must start again. */
const CONFLICT_STATES: readonly string[] = ['40001', '40P01'];
const CONFLICTS_MAX = 5;
const PAGE_ROWS = 1_000;
const FULL_STATES: readonly string[] = ['53100', '53200'];
const REFUSED_STATES: readonly string[] = ['28000', '28P01', '3D000', '42501'];
const AWAY_STATES: readonly string[] = ['53300', '57P01', '57P02', '57P03'];
const SQL_STATE = /^[0-9A-Z]{5}$/;

/** Connects on first use. The driver is loaded here: most processes never need it. */
export async function openPostgres(
  address: PostgresAddress,
  connectionsMax: number = CONNECTIONS_DEFAULT,
): Promise<Database> {
  const { Pool } = await import('pg');
  const place = `${address.host}:${address.port}/${address.database}`;
  const pool = new Pool({
    host: address.host,
    port: address.port,
    database: address.database,
    user: address.user,
    password: address.password,
    ssl: address.tls,
    max: connectionsMax,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    keepAlive: true,
    application_name: 'quorate',
    ...(address.schema ? { options: `-c search_path=${quoted(address.schema)}` } : {}),
  });
  // An idle connection that breaks is replaced by the next query.
  pool.on('error', () => undefined);
  // The pool does not listen to errors of a connection in use: if it breaks between the statements
  // of a transaction, the next statement fails, and the process survives.
  pool.on('connect', (client) => client.on('error', () => undefined));
  const explain = (error: unknown) => databaseError(error, place);
  const connect = async (): Promise<PoolClient> => {
    try {
      return await pool.connect();
    } catch (error) {
      throw explain(error);
    }
  };
  return {
    place,
    async query(text, values) {
      try {
        return (await pool.query(text, values as unknown[])).rows as Row[];
      } catch (error) {
        throw explain(error);
      }
    },
    async transaction(work, begin = 'BEGIN') {
      for (let attempt = 1; ; attempt++) {
        const client = await connect();
        try {
          return await inTransaction(client, work, begin);
        } catch (error) {
          if (isConflict(error) && attempt < CONFLICTS_MAX) continue;
          throw error instanceof Error && SQL_STATE.test(codeOf(error)) ? explain(error) : error;
        }
      }
    },
    async view(work) {
      const client = await connect();
      try {
        const begin = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';
        return await inTransaction(
          client,
          (query) => work((table) => pagesOf(query, table)),
          begin,
        );
      } catch (error) {
        throw error instanceof Error && SQL_STATE.test(codeOf(error)) ? explain(error) : error;
      }
    },
    close: () => pool.end(),
  };

  async function inTransaction<T>(
    client: PoolClient,
    work: (query: Query) => Promise<T>,
    begin: string,
  ): Promise<T> {
    let broken = false;
    const query: Query = async (text, values) => {
      try {
        return (await client.query(text, values as unknown[])).rows as Row[];
      } catch (error) {
        if (isConflict(error)) throw error;
        throw explain(error);
      }
    };
    try {
      await query(begin);
      const result = await work(query);
      await query('COMMIT');
      return result;
    } catch (error) {
      await client.query('ROLLBACK').catch(() => {
        broken = true;
      });
      throw error;
    } finally {
      client.release(broken);
    }
  }
}

async function* pagesOf(query: Query, table: string): AsyncIterable<readonly Row[]> {
  await query(`DECLARE page CURSOR FOR SELECT * FROM ${table}`);
  for (;;) {
    const rows = await query(`FETCH ${PAGE_ROWS} FROM page`);
    if (rows.length === 0) break;
    yield rows;
  }
  await query('CLOSE page');
}

function isConflict(error: unknown): boolean {
  return CONFLICT_STATES.includes(codeOf(error));
}

function codeOf(error: unknown): string {
  return String((error as { code?: unknown } | null)?.code ?? '');
}

function databaseError(error: unknown, place: string): QuorateError {
  const code = codeOf(error);
  const why = reasonOf(error);
  if (FULL_STATES.includes(code)) {
    return fail(
      'STORAGE_FULL',
      `the database at ${place} has no space left: nothing acknowledged is lost. Free some space, then continue`,
      { cause: error },
    );
  }
  if (REFUSED_STATES.includes(code)) {
    return fail('STORAGE_REFUSED', `the database at ${place} refused: ${why}`, { cause: error });
  }
  if (SQL_STATE.test(code) && !code.startsWith('08') && !AWAY_STATES.includes(code)) {
    return fail('STORAGE_FAILED', `the database at ${place} reports: ${why}`, { cause: error });
  }
  return fail(
    'STORAGE_UNREACHABLE',
    `the database at ${place} does not answer (${why}): nothing acknowledged is lost, try again when it is back`,
    { cause: error },
  );
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
