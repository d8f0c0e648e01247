/** Opens the store that the configuration names, with its tables in place. */
import { join } from 'node:path';
import type { Log } from '../../../core/base/ports.ts';
import type { Database } from '../../../io/database/database.ts';
import { openServiceStore, type StoreSource } from '../../../io/database/open.ts';
import { isThere } from '../../../io/host/files.ts';
import { addToAccounts, postingOf } from '../orders/tallies.ts';
import { SCHEMA } from './schema.ts';

const FILE = 'ramp.db';

/** Whether openRampStore would find a store. A URL counts as one: only its tables would show it. */
export function isRampStoreThere({ dataFolder, storeUrl }: StoreSource): boolean {
  return storeUrl !== undefined || isThere(join(dataFolder, FILE));
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Creates whatever is missing. Throws STORAGE_…. */
export async function openRampStore(
  source: StoreSource,
  env: Environment,
  log?: Log,
): Promise<Database> {
  const database = await openServiceStore(source, { file: FILE, schema: SCHEMA }, env, log);
  try {
    await sumAccounts(database);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Stores of earlier versions have postings without their sums. */
async function sumAccounts(database: Database): Promise<void> {
  const [summed] = await database.query('SELECT account FROM book_balance LIMIT 1');
  if (summed) return;
  await database.transaction(async (query) => {
    const rows = await query('SELECT account, asset, units FROM posting');
    await addToAccounts(query, rows.map(postingOf));
  });
}
