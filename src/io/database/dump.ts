/**
 * Writes all tables of a service as lines of JSON, and loads them again, also into a database of
 * another product. The first line names the service and the version; each other one is `[table,
 * row]`.
 */
import { fail } from '../../core/base/errors.ts';
import { newerVersion } from '../../core/base/newer-version.ts';
import type { Database, Query, Row } from './database.ts';
import { migrate, type Schema } from './migrate.ts';

/** Bytes are written as `{hex}`. */
type Value = string | number | null | { readonly hex: string };

/**
 * Dumps everything as it was at one moment; the service may run meanwhile. `write` gets one or more
 * complete lines.
 */
export async function dumpTables(
  database: Database,
  schema: Schema,
  write: (lines: string) => Promise<unknown>,
): Promise<number> {
  const { service, versions } = schema;
  return database.view(async (rows) => {
    await write(`${JSON.stringify({ service, version: versions.length })}\n`);
    let count = 0;
    for (const table of tablesOf(schema)) {
      for await (const page of rows(table)) {
        await write(page.map((row) => `${JSON.stringify([table, toJson(row)])}\n`).join(''));
        count += page.length;
      }
    }
    return count;
  });
}

/**
 * Loads a dump into a database without rows of this service, completely or not at all. A dump of an
 * earlier version is upgraded. Throws STORAGE_NOT_EMPTY, STORAGE_FORMAT_NEWER, SNAPSHOT_DAMAGED.
 */
export async function loadTables(
  database: Database,
  schema: Schema,
  lines: AsyncIterable<string>,
): Promise<number> {
  const iterator = lines[Symbol.asyncIterator]();
  const { service, version } = JSON.parse((await iterator.next()).value ?? '{}');
  if (service !== schema.service) throw damaged(`its tables are not those of ${schema.service}`);
  const known = schema.versions.length;
  if (version > known) {
    throw newerVersion('STORAGE_FORMAT_NEWER', 'the snapshot', { found: version, known });
  }
  const asDumped = { service, versions: schema.versions.slice(0, version) };
  await checkNew(database, service);
  await migrate(database, asDumped);
  const tables = new Set(tablesOf(asDumped));
  const count = await database.transaction(async (query) => {
    // Removes the rows that new tables begin with.
    for (const table of [...tables].reverse()) await query(`DELETE FROM ${table}`);
    let loaded = 0;
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
      const [table, row] = JSON.parse(next.value) as [string, Record<string, Value>];
      if (!tables.has(table)) throw damaged(`there is no table ${table}`);
      await insert(query, table, row);
      loaded++;
    }
    return loaded;
  });
  await migrate(database, schema);
  return count;
}

/** Tables to which other tables refer come first, as in the schema. */
function tablesOf({ versions }: Schema): readonly string[] {
  return versions.flat().flatMap((statement) => {
    const [, table] = /^CREATE TABLE (\w+)/.exec(statement) ?? [];
    return table === undefined ? [] : [table];
  });
}

async function checkNew({ query, place }: Database, service: string): Promise<void> {
  // The table `quorate_schema` may be missing.
  const rows = await query('SELECT service FROM quorate_schema').catch(() => []);
  if (!rows.some((row) => row.service === service)) return;
  throw fail(
    'STORAGE_NOT_EMPTY',
    `the database ${place} has tables of ${service}: restore into a new folder or an empty database`,
  );
}

async function insert(
  query: Query,
  table: string,
  row: Readonly<Record<string, Value>>,
): Promise<void> {
  const names = Object.keys(row);
  if (!names.every((name) => /^\w+$/.test(name))) throw damaged(`a row of ${table} is invalid`);
  const places = names.map((_, at) => `$${at + 1}`);
  await query(
    `INSERT INTO ${table} (${names.join(', ')}) VALUES (${places.join(', ')})`,
    Object.values(row).map((value) =>
      typeof value === 'object' && value !== null ? Buffer.from(value.hex, 'hex') : value,
    ),
  );
}

function toJson(row: Row): Record<string, unknown> {
  const plain = Object.entries(row).map(([name, value]) => [
    name,
    value instanceof Uint8Array ? { hex: Buffer.from(value).toString('hex') } : value,
  ]);
  return Object.fromEntries(plain);
}

function damaged(why: string): Error {
  return fail('SNAPSHOT_DAMAGED', `the snapshot cannot be read: ${why}`);
}
