/**
 * The tables of Tessera's database, with Tessera's names, and our own next to them (Tessera
 * EncryptedTransaction and EncryptedRawTransaction).
 */
import { fail } from '../../core/base/errors.ts';
import { newerVersion } from '../../core/base/newer-version.ts';
import type { Database, Query } from '../../io/database/database.ts';

/** Raise with any change that an older program would misread. */
const FORMAT_VERSION = 1;
/**
 * Makes two managers that start at the same time create the tables one after the other. Any unused
 * number.
 */
const SCHEMA_LOCK = 7_382_911;

const TESSERA_TABLES: Readonly<Record<string, string>> = {
  encrypted_transaction: `hash bytea NOT NULL PRIMARY KEY, encoded_payload bytea NOT NULL,
    payload_codec varchar(50), timestamp bigint`,
  encrypted_raw_transaction: `hash bytea NOT NULL PRIMARY KEY, encrypted_payload bytea NOT NULL,
    encrypted_key bytea NOT NULL, nonce bytea NOT NULL, sender bytea NOT NULL, timestamp bigint`,
  privacy_group: `id bytea NOT NULL PRIMARY KEY, lookup_id bytea, data bytea NOT NULL, timestamp bigint`,
};

const OWN_TABLES: Readonly<Record<string, string>> = {
  quorate_format: 'version integer NOT NULL PRIMARY KEY',
  quorate_keys: 'key bytea NOT NULL PRIMARY KEY',
  quorate_outbox: 'recipient bytea NOT NULL, hash bytea NOT NULL, PRIMARY KEY (recipient, hash)',
  quorate_staging: 'key bytea NOT NULL PRIMARY KEY, payload bytea NOT NULL',
};

export interface SchemaState {
  /** A warning for the operator, without a period. */
  readonly warnings: readonly string[];
}

/**
 * Tessera's own tables are created only with `create`; ours always. Throws STORAGE_SCHEMA when
 * tables are missing or differ from Tessera's, STORAGE_FORMAT_NEWER when a newer program wrote to
 * the database, STORAGE_….
 */
export async function prepareSchema(database: Database, create: boolean): Promise<SchemaState> {
  await database.transaction(async (query) => {
    await query('SELECT pg_advisory_xact_lock($1)', [SCHEMA_LOCK]);
    const found = await columns(query);
    const missing = Object.keys(TESSERA_TABLES).filter((table) => !found.has(table));
    // A database of an older Tessera has no privacy groups, and is accepted.
    const needed = missing.filter((table) => table !== 'privacy_group');
    if (needed.length > 0 && !create) {
      throw fail(
        'STORAGE_SCHEMA',
        `the database at ${database.place} has no table ${needed.join(', ')}: set jdbc.autoCreateTables, or create it`,
      );
    }
    for (const table of missing) await createTable(query, table, TESSERA_TABLES[table]!);
    for (const [table, definition] of Object.entries(OWN_TABLES)) {
      if (!found.has(table)) await createTable(query, table, definition);
    }
    checkColumns(database.place, found);
    if (found.get('encrypted_transaction')?.has('payload_codec') === false) {
      await query('ALTER TABLE encrypted_transaction ADD COLUMN payload_codec varchar(50)');
    }
    await checkFormat(query, database.place);
  });
  const [commits] = await database.query('SHOW synchronous_commit');
  const [checksums] = await database.query('SHOW data_checksums');
  const warnings: string[] = [];
  if (commits?.synchronous_commit === 'off') {
    warnings.push(
      'the database runs with synchronous_commit off: after a crash acknowledged payloads may be missing',
    );
  }
  if (checksums?.data_checksums === 'off') {
    warnings.push(
      'the database has no data checksums: damage by its disk is not noticed (initdb --data-checksums, pg_checksums --enable)',
    );
  }
  return { warnings };
}

async function createTable(query: Query, table: string, definition: string): Promise<void> {
  await query(`CREATE TABLE ${table} (${definition})`);
}

/** Names and types of the columns of each existing table. */
async function columns(query: Query): Promise<Map<string, Map<string, string>>> {
  const names = [...Object.keys(TESSERA_TABLES), ...Object.keys(OWN_TABLES)];
  const rows = await query(
    `SELECT table_name, column_name, data_type FROM information_schema.columns
     WHERE table_schema = current_schema() AND table_name = ANY($1)`,
    [names],
  );
  const found = new Map<string, Map<string, string>>();
  for (const row of rows) {
    const table = String(row.table_name);
    const known = found.get(table) ?? new Map<string, string>();
    known.set(String(row.column_name), String(row.data_type));
    found.set(table, known);
  }
  return found;
}

/** Byte columns must hold bytes: other programs and databases keep them as large objects. */
function checkColumns(place: string, found: Map<string, Map<string, string>>): void {
  for (const [table, definition] of Object.entries(TESSERA_TABLES)) {
    const known = found.get(table);
    if (!known) continue;
    for (const [, column] of definition.matchAll(/(\w+) bytea/g)) {
      const type = known.get(column!);
      if (type === 'bytea') continue;
      throw fail(
        'STORAGE_SCHEMA',
        `the database at ${place}: ${table}.${column} is ${type ?? 'missing'}, and must be bytea as Tessera makes it`,
      );
    }
  }
}

async function checkFormat(query: Query, place: string): Promise<void> {
  const [row] = await query('SELECT max(version) AS version FROM quorate_format');
  const version = row?.version;
  if (version === null || version === undefined) {
    await query('INSERT INTO quorate_format (version) VALUES ($1)', [FORMAT_VERSION]);
    return;
  }
  if (Number(version) > FORMAT_VERSION) {
    throw newerVersion('STORAGE_FORMAT_NEWER', `the database at ${place}`, {
      found: Number(version),
      known: FORMAT_VERSION,
    });
  }
}
