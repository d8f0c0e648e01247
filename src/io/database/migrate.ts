/** Brings the tables of a service to the version that this program knows, step by step, each whole or not at all. */
import { fail } from '../../core/base/errors.ts';
import type { Database } from './database.ts';

const TABLE =
  'CREATE TABLE IF NOT EXISTS quorate_schema (service text PRIMARY KEY, version integer NOT NULL)';

export interface Schema {
  readonly service: string;
  /** Statements of each version, in order; what has been released is never changed. */
  readonly versions: readonly (readonly string[])[];
}

/** Throws STORAGE_FORMAT_NEWER when a newer program wrote here, STORAGE_…. */
export async function migrate(database: Database, { service, versions }: Schema): Promise<void> {
  // Two programs that start at once: one of them may find the other's half-made catalogue entry.
  await database.query(TABLE).catch(() => database.query(TABLE));
  await database.transaction(async (query) => {
    await query(
      'INSERT INTO quorate_schema (service, version) VALUES ($1, 0) ON CONFLICT DO NOTHING',
      [service],
    );
    // Takes the row: whoever starts beside us waits here.
    const [row] = await query(
      'UPDATE quorate_schema SET version = version WHERE service = $1 RETURNING version',
      [service],
    );
    const version = Number(row!.version);
    if (version > versions.length) {
      throw fail(
        'STORAGE_FORMAT_NEWER',
        `the database ${database.place} was written by a newer Quorate (format ${version} of ${service}; this program knows ${versions.length}): start that program`,
      );
    }
    for (const statements of versions.slice(version)) {
      for (const statement of statements) await query(statement);
    }
    await query('UPDATE quorate_schema SET version = $2 WHERE service = $1', [
      service,
      versions.length,
    ]);
  });
}
