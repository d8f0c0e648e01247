/** The data directory of a node: locked, of the right format, its parts opened behind core's ports. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Kv, LogFolder, SlotFile } from '../../core/ports.ts';
import { checkFormat, formatStamp } from '../../core/store/format.ts';
import { TABLES } from '../../core/store/keys.ts';
import { lockDirectory } from './directory-lock.ts';
import { openLmdbKv } from './lmdb-kv.ts';
import { nodeLogFolder, syncDirectory } from './node-log-file.ts';
import { openSlotFile } from './slot-file.ts';

export interface DataFolder {
  readonly log: LogFolder;
  readonly kv: Kv;
  readonly votes: SlotFile;
  /** Which vote was written last. */
  readonly votesWritten: SlotFile;
  readonly journal: LogFolder;
  /** Frees the lock and closes votes; the chain store closes log and kv. */
  close(): void;
}

/** Throws STORAGE_LOCKED, STORE_FORMAT_* or STORAGE_*. `reindex` drops the index, so that opening the store rebuilds it. */
export async function openDataFolder(
  directory: string,
  { reindex = false }: { reindex?: boolean } = {},
): Promise<DataFolder> {
  const unlock = lockDirectory(directory);
  try {
    stamp(directory);
    const index = join(directory, 'index');
    if (reindex) rmSync(index, { recursive: true, force: true });
    mkdirSync(index, { recursive: true, mode: 0o700 });
    const { votes, votesWritten, close } = await openVotes(directory);
    return {
      log: nodeLogFolder(join(directory, 'blocks')),
      kv: openLmdbKv({ path: index, tables: TABLES }),
      votes,
      votesWritten,
      journal: nodeLogFolder(join(directory, 'journal')),
      close() {
        close();
        unlock();
      },
    };
  } catch (error) {
    unlock();
    throw error;
  }
}

/** The two files behind a VoteFile. */
export async function openVotes(directory: string) {
  const votes = await openSlotFile(join(directory, 'votes'));
  const votesWritten = await openSlotFile(join(directory, 'votes-written'));
  return {
    votes,
    votesWritten,
    close() {
      votes.close();
      votesWritten.close();
    },
  };
}

function stamp(directory: string): void {
  const path = join(directory, 'format');
  if (existsSync(path)) {
    checkFormat(readFileSync(path, 'utf8'), directory);
    return;
  }
  writeFileSync(path, formatStamp(), { mode: 0o600, flush: true });
  syncDirectory(directory);
}
