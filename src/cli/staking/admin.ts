/**
 * Shared by commands that administer the staking service: they open its store, whether or not it
 * runs.
 */
import { userInfo } from 'node:os';
import { fail } from '../../core/base/errors.ts';
import { systemClock } from '../../io/host/clock.ts';
import { type FlagNeed, flagsInVain, sayInVain } from '../../io/options/needs.ts';
import type { ParsedOptions } from '../../io/options/options.ts';
import { Admin } from '../../services/staking/admin.ts';
import { storeSource } from '../../services/staking/config.ts';
import { STORE_NEEDS } from '../../services/staking/options/flag-needs.ts';
import { isStoreThere, openStakingStore } from '../../services/staking/store/open.ts';
import { stderrLog } from '../log.ts';

const WARN = 2;

export type Work = (admin: Admin) => Promise<void>;

interface AdminCall {
  readonly options: ParsedOptions;
  /** Conditions for flags that only some of the command's actions read. */
  readonly needs?: readonly FlagNeed[];
  readonly mayMakeStore?: boolean;
}

/** A condition: only these actions (the first operand) read the flags. */
export function ofActions(flags: readonly string[], ...actions: string[]): FlagNeed {
  return {
    flags,
    isMet: ({ options }) => actions.includes(options.positional[0] ?? ''),
    what: `the action ${actions.join(' or ')}`,
  };
}

/** Opens the store of the service for one piece of work. Throws STORAGE_MISSING. */
export async function withAdmin(
  { options, needs = [], mayMakeStore = false }: AdminCall,
  work: Work,
): Promise<number> {
  sayInVain(flagsInVain({ options }, [...STORE_NEEDS, ...needs]), stderrLog(WARN));
  const source = storeSource(options);
  if (!isStoreThere(source)) {
    const where = `there is no store in ${source.dataFolder}`;
    if (!mayMakeStore) {
      throw fail('STORAGE_MISSING', `${where}: give the --datadir or --store of the service`);
    }
    console.error(`${where}: a new one is created`);
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
