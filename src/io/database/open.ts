/** The database that an operator chose: our own file, or PostgreSQL by URL. */
import { join } from 'node:path';
import type { Log } from '../../core/base/ports.ts';
import type { Database } from './database.ts';
import { migrate, type Schema } from './migrate.ts';
import { openPostgres } from './postgres.ts';
import { type Login, parsePostgresUrl } from './postgres-address.ts';
import { openSqlite } from './sqlite.ts';

/** `url` undefined: a SQLite database in `file`. Throws STORAGE_URL_INVALID, STORAGE_…. */
export async function openDatabase(
  { url, file }: { readonly url: string | undefined; readonly file: string },
  login: Login,
): Promise<Database> {
  return url === undefined ? openSqlite(file) : openPostgres(parsePostgresUrl(url, login));
}

/** The place of a service's tables. */
export interface StoreSource {
  readonly dataFolder: string;
  /** `postgres://…`; undefined: a file in the data folder. */
  readonly storeUrl: string | undefined;
}

/** Opens the store of a service, and creates tables that are missing. Throws STORAGE_…. */
export async function openServiceStore(
  { dataFolder, storeUrl }: StoreSource,
  { file, schema }: { readonly file: string; readonly schema: Schema },
  env: Readonly<Record<string, string | undefined>>,
  log?: Log,
): Promise<Database> {
  const database = await openDatabase(
    { url: storeUrl, file: join(dataFolder, file) },
    { user: env.PGUSER, password: env.PGPASSWORD },
  );
  try {
    await migrate(database, schema, log);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}
