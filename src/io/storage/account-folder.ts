/**
 * The index of accounts (`--index.accounts`) in a folder of the data folder. It can always be
 * rebuilt from the block log, so it is dropped on any fault.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { hasCode } from '../../core/base/errors.ts';
import { AccountIndex } from '../../core/store/accounts/account-index.ts';
import { ACCOUNT_TABLES } from '../../core/store/accounts/account-rows.ts';
import { CheckedKv } from '../../core/store/checked-kv.ts';
import { accountsDamaged } from '../../core/store/store-errors.ts';
import { isThere } from '../host/files.ts';
import { makeFolder } from '../host/make-folder.ts';
import { IndexState, noteIndexDamage } from './index-state.ts';
import { openLmdbKv } from './lmdb-kv.ts';

const FOLDER = 'accounts';

export interface OpenAccounts {
  readonly index: AccountIndex;
  close(): Promise<void>;
}

export function hasAccountIndex(directory: string): boolean {
  return isThere(join(directory, FOLDER));
}

export function dropAccountIndex(directory: string): void {
  rmSync(join(directory, FOLDER), { recursive: true, force: true });
}

/** `onDrop`: called when a damaged index was dropped, because of `why`. Throws STORAGE_…. */
export async function openAccountIndex(
  directory: string,
  onDrop: (why: string) => void,
): Promise<OpenAccounts> {
  const folder = join(directory, FOLDER);
  makeFolder(folder, 0o700);
  const state = new IndexState(folder, ACCOUNT_TABLES);
  const why = await state.fault();
  if (why === undefined) {
    try {
      return openFolder(folder, state);
    } catch (error) {
      if (!hasCode(error, 'STORE_INDEX_DAMAGED')) throw error;
      onDrop(error.message);
    }
  } else {
    onDrop(why);
  }
  state.drop();
  return openFolder(folder, state);
}

function openFolder(folder: string, state: IndexState): OpenAccounts {
  state.begin();
  const tables = openLmdbKv({ path: join(folder, 'index'), tables: ACCOUNT_TABLES });
  const note = (error: Error) => noteIndexDamage(folder, error.message);
  const index = new AccountIndex(new CheckedKv(tables, note, accountsDamaged));
  return {
    index,
    async close() {
      await index.close();
      state.end();
    },
  };
}
