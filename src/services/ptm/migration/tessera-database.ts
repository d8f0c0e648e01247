/**
 * The database that a Tessera configuration names: read directly if possible, otherwise from a dump
 * that the user makes.
 */
import { resolve } from 'node:path';
import { fail } from '../../../core/base/errors.ts';
import type { Database } from '../../../io/database/database.ts';
import { openPostgres } from '../../../io/database/postgres.ts';
import {
  databaseKind,
  isPostgresUrl,
  parsePostgresUrl,
} from '../../../io/database/postgres-address.ts';
import { dumpedRows } from '../../../io/database/sql-dump.ts';
import { readSqlite } from '../../../io/database/sqlite-reader.ts';
import { checkFile } from '../../../io/host/files.ts';
import type { VaultEnv } from '../../../io/keys/vault-types.ts';
import {
  TESSERA_TABLES,
  type TesseraRow,
  type TesseraRows,
  type TesseraTable,
  tesseraRow,
} from './tessera-rows.ts';

const PAGE_ROWS = 256;
const KEYS: Readonly<Record<TesseraTable, string>> = {
  encrypted_transaction: 'hash',
  encrypted_raw_transaction: 'hash',
  privacy_group: 'id',
  st_transaction: 'id',
};
/** Java databases with their own file formats, and the commands that export them as SQL. */
const EXPORTS: Readonly<Record<string, (url: string) => string>> = {
  h2: (url) =>
    `java -cp h2-VERSION.jar org.h2.tools.Script -url "${bare(url)}" -user USER -password PASSWORD -script tessera.sql   (the jar is in Tessera's folder lib)`,
  mysql: (url) => mysqlExport(url),
  mariadb: (url) => mysqlExport(url),
};

export interface JdbcSource {
  readonly url: string;
  readonly user: string | undefined;
  readonly password: string | undefined;
}

/**
 * `dump` takes precedence over the URL. Throws PTM_SOURCE_NEEDS_DUMP with the command that exports
 * the database, PTM_CONFIG_INVALID, FILE_UNREADABLE.
 */
export function tesseraDatabase(
  jdbc: JdbcSource | undefined,
  options: { readonly dump: string | undefined; readonly folder: string; readonly env: VaultEnv },
): TesseraRows {
  if (options.dump !== undefined) return fromDump(options.dump);
  if (!jdbc) {
    throw fail(
      'PTM_CONFIG_INVALID',
      'the configuration names no database (jdbc.url): name an export of it with --dump FILE',
    );
  }
  if (isPostgresUrl(jdbc.url)) return fromPostgres(jdbc, options.env);
  const kind = databaseKind(jdbc.url);
  if (kind === 'sqlite') {
    return fromSqlite(resolve(options.folder, jdbc.url.replace(/^jdbc:sqlite:(file:)?/, '')));
  }
  const command = EXPORTS[kind]?.(jdbc.url);
  if (command === undefined) {
    throw fail(
      'PTM_SOURCE_NEEDS_DUMP',
      `a database of kind ${kind} is not read: start with an empty store ("quorate ptm --configfile ...") and fetch the payloads from the peers ("quorate ptm recover")`,
    );
  }
  throw fail(
    'PTM_SOURCE_NEEDS_DUMP',
    `the file format of ${kind} is not supported, but SQL is. With Tessera stopped, export it and name the file with --dump:\n  ${command}`,
  );
}

/** The URL without settings that are for a server or request a lock; CIPHER and IFEXISTS stay. */
function bare(url: string): string {
  const [address = url, ...settings] = url.split(';');
  const kept = settings.filter((setting) => /^(CIPHER|IFEXISTS)=/i.test(setting));
  return [address, ...kept].join(';');
}

function mysqlExport(url: string): string {
  const match = /^jdbc:\w+:\/\/([^:/?]+)(?::(\d+))?\/([^?]+)/.exec(url);
  const [host = 'HOST', port = '3306', name = 'DATABASE'] = match?.slice(1) ?? [];
  return `mysqldump --single-transaction --hex-blob -h ${host} -P ${port} -u USER -p ${name} > tessera.sql`;
}

function fromDump(file: string): TesseraRows {
  checkFile(file);
  return {
    place: file,
    *rows() {
      for (const { table, row } of dumpedRows(file, TESSERA_TABLES)) {
        yield tesseraRow(file, table as TesseraTable, (name) => row.get(name));
      }
    },
  };
}

function fromSqlite(file: string): TesseraRows {
  checkFile(file);
  return {
    place: file,
    *rows() {
      const database = readSqlite(file);
      try {
        const tables = new Set(database.tables().map((name) => name.toLowerCase()));
        checkTables(file, (table) => tables.has(table));
        for (const table of TESSERA_TABLES) {
          if (!tables.has(table)) continue;
          for (const row of database.rows(`SELECT * FROM ${table}`)) {
            const columns = new Map(Object.entries(row).map(([k, v]) => [k.toLowerCase(), v]));
            yield tesseraRow(file, table, (name) => columns.get(name));
          }
        }
      } finally {
        database.close();
      }
    },
  };
}

function fromPostgres({ url, user, password }: JdbcSource, env: VaultEnv): TesseraRows {
  const address = parsePostgresUrl(url, {
    user: user ?? env.PGUSER,
    password: password ?? env.PGPASSWORD,
  });
  return {
    place: `${address.host}:${address.port}/${address.database}`,
    async *rows() {
      const database = await openPostgres(address, 2);
      try {
        const found = await database.query(
          'SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema()',
        );
        const tables = new Set(found.map((row) => String(row.table_name)));
        checkTables(database.place, (table) => tables.has(table));
        for (const table of TESSERA_TABLES) if (tables.has(table)) yield* pages(database, table);
      } finally {
        await database.close();
      }
    },
  };
}

async function* pages(database: Database, table: TesseraTable): AsyncGenerator<TesseraRow> {
  const key = KEYS[table];
  let after: unknown;
  for (;;) {
    const from = after === undefined ? '' : `WHERE ${key} > $1`;
    const rows = await database.query(
      `SELECT * FROM ${table} ${from} ORDER BY ${key} LIMIT ${PAGE_ROWS}`,
      after === undefined ? [] : [after],
    );
    for (const row of rows) yield tesseraRow(database.place, table, (name) => row[name]);
    if (rows.length < PAGE_ROWS) return;
    after = rows.at(-1)![key];
  }
}

function checkTables(place: string, has: (table: TesseraTable) => boolean): void {
  if (has('encrypted_transaction')) return;
  throw fail(
    'STORAGE_SCHEMA',
    `${place} has no table encrypted_transaction: it is not the database of a Tessera`,
  );
}
