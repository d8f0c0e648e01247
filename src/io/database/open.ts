/** The database that an operator chose: our own file, or PostgreSQL by URL. */
import type { Database } from './database.ts';
import { openPostgres } from './postgres.ts';
import { type Login, parsePostgresUrl } from './postgres-address.ts';
import { openSqlite } from './sqlite.ts';

/** `url` undefined: the embedded one, in `file`. Throws STORAGE_URL_INVALID, STORAGE_…. */
export function openDatabase(
  { url, file }: { readonly url: string | undefined; readonly file: string },
  login: Login,
): Database {
  return url === undefined ? openSqlite(file) : openPostgres(parsePostgresUrl(url, login));
}
