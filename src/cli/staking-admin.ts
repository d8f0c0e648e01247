/** What commands have in common that administer the staking service: its store, opened beside it, running or not. */
import { userInfo } from 'node:os';
import { fail } from '../core/base/errors.ts';
import { systemClock } from '../io/host/clock.ts';
import type { ParsedOptions } from '../io/options/options.ts';
import { Admin } from '../services/staking/admin.ts';
import { storeSource } from '../services/staking/options.ts';
import { isStoreThere, openStakingStore } from '../services/staking/store/open.ts';

export type Work = (admin: Admin) => Promise<void>;

/** Opens the store of the service for one piece of work. Throws STORAGE_MISSING. */
export async function withAdmin(
  { options, mayMakeStore = false }: { options: ParsedOptions; mayMakeStore?: boolean },
  work: Work,
): Promise<number> {
  const source = storeSource(options);
  if (!isStoreThere(source)) {
    const where = `there is no store in ${source.dataFolder}`;
    if (!mayMakeStore) {
      throw fail('STORAGE_MISSING', `${where}: give the --datadir or --store of the service`);
    }
    console.error(`${where}: a new one is made`);
  }
  const database = await openStakingStore(source, process.env);
  try {
    await work(new Admin(database, systemClock, userInfo().username));
    return 0;
  } finally {
    await database.close();
  }
}

export function missing(message: string): Error {
  return fail('OPTION_VALUE_MISSING', message);
}

export function unknown(message: string): Error {
  return fail('OPTION_UNKNOWN', message);
}
