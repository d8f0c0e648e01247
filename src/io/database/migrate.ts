/**
 * Upgrades the tables of a service to this program's version, step by step; each step is applied
 * completely or not at all.
 */
import { newerVersion } from '../../core/base/newer-version.ts';
import type { Log } from '../../core/base/ports.ts';
import type { Database } from './database.ts';

const TABLE =
  'CREATE TABLE IF NOT EXISTS quorate_schema (service text PRIMARY KEY, version integer NOT NULL)';

export interface Schema {
  readonly service: string;
  /** Statements of each version, in order; those of a released version are never changed. */
  readonly versions: readonly (readonly string[])[];
}

/**
 * A database file is copied first; for a database on a server the log says that only a dump allows
 * to go back. Throws STORAGE_FORMAT_NEWER when a newer program wrote to the database, STORAGE_….
 */
export async function migrate(
  database: Database,
  { service, versions }: Schema,
  log: Log = () => {},
): Promise<void> {
  // If two programs start at once, one may find the other's unfinished catalogue entry.
  await database.query(TABLE).catch(() => database.query(TABLE));
  await copyOlder(database, { service, versions }, log);
  await database.transaction(async (query) => {
    await query(
      'INSERT INTO quorate_schema (service, version) VALUES ($1, 0) ON CONFLICT DO NOTHING',
      [service],
    );
    // Locks the row: another program starting now waits here.
    const [row] = await query(
      'UPDATE quorate_schema SET version = version WHERE service = $1 RETURNING version',
      [service],
    );
    const version = Number(row!.version);
    checkVersion(database, service, version, versions.length);
    for (const [at, statements] of versions.entries()) {
      if (at < version) continue;
      if (version > 0) log('info', 'Upgrading the tables', { service, to: at + 1 });
      for (const statement of statements) await query(statement);
    }
    await query('UPDATE quorate_schema SET version = $2 WHERE service = $1', [
      service,
      versions.length,
    ]);
  });
}

async function copyOlder(
  database: Database,
  { service, versions }: Schema,
  log: Log,
): Promise<void> {
  const [row] = await database.query('SELECT version FROM quorate_schema WHERE service = $1', [
    service,
  ]);
  const version = Number(row?.version ?? 0);
  checkVersion(database, service, version, versions.length);
  if (version === 0 || version === versions.length) return;
  const fields = { database: database.place, from: version, to: versions.length };
  const copy = await database.copy?.(`version-${version}`);
  if (copy === undefined) log('warn', 'The tables are upgraded; the way back is a dump', fields);
  else log('info', 'The tables are upgraded; the way back is the copy', { ...fields, copy });
}

function checkVersion(database: Database, service: string, found: number, known: number): void {
  if (found <= known) return;
  throw newerVersion('STORAGE_FORMAT_NEWER', `the ${service} database ${database.place}`, {
    found,
    known,
  });
}
