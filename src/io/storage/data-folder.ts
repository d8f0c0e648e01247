/**
 * The data directory of a node: locks it, checks its format, and opens its parts behind core's
 * ports.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { QuorateError } from '../../core/base/errors.ts';
import type { Kv, LogFolder, SlotFile } from '../../core/base/ports.ts';
import { CheckedKv } from '../../core/store/checked-kv.ts';
import {
  checkFormat,
  FORMAT_VERSION,
  formatStamp,
  upgradedFormat,
} from '../../core/store/format.ts';
import { TABLES } from '../../core/store/keys.ts';
import { checkDiskRoom } from '../host/disk-room.ts';
import { lockDirectory } from './directory-lock.ts';
import { countedKv, countedLog, DiskUse } from './disk-use.ts';
import { IndexState, noteIndexDamage } from './index-state.ts';
import { openLmdbKv } from './lmdb-kv.ts';
import { nodeLogFolder, syncDirectory } from './node-log-file.ts';
import { openVotes } from './vote-files.ts';

/**
 * Most accounts and slots that a checkpoint writes are on pages of their own, and what lmdb does
 * for each page costs more than to write pages of twice the size (docs/performance.md).
 */
const INDEX_PAGE_BYTES = 8_192;

export interface DataFolder {
  readonly directory: string;
  readonly log: LogFolder;
  readonly kv: Kv;
  readonly votes: SlotFile;
  /** Records which vote was written last. */
  readonly votesWritten: SlotFile;
  readonly journal: LogFolder;
  /** Disk use of the index and of the block log. */
  readonly use: { readonly index: DiskUse; readonly blocks: DiskUse };
  /** Notes that a row of the index is damaged: the next opening rebuilds the index. */
  noteDamage(error: QuorateError): void;
  /** Frees the memory of index rows that were read. */
  release(): Promise<void>;
  /** Releases the lock and closes votes; the chain store must have closed log and kv before. */
  close(): void;
}

export interface DataFolderOptions {
  /** Drops the index, so that opening the store rebuilds it. */
  readonly reindex?: boolean | undefined;
  /** Called when the index was dropped, because of `why`. */
  readonly onDrop?: ((why: string) => void) | undefined;
  readonly onDamage?: ((error: QuorateError) => void) | undefined;
  /** For a command that executes blocks without a pause: another thread writes the index. */
  readonly writesInThread?: boolean | undefined;
}

/**
 * Opens a folder; upgrades an older format, and drops a damaged index. Throws STORAGE_LOCKED,
 * STORE_FORMAT_* or STORAGE_*.
 */
export async function openDataFolder(
  directory: string,
  { reindex = false, onDrop, onDamage, writesInThread = false }: DataFolderOptions = {},
): Promise<DataFolder> {
  checkDiskRoom(directory);
  const unlock = lockDirectory(directory);
  try {
    const index = new IndexState(directory, TABLES);
    const older = upgrade(directory, index);
    const why = older ?? (reindex ? undefined : await index.fault());
    if (why !== undefined) onDrop?.(why);
    if (reindex || why !== undefined) index.drop();
    const { votes, votesWritten, close } = await openVotes(directory);
    index.begin();
    const noteDamage = (error: QuorateError) => {
      noteIndexDamage(directory, error.message);
      onDamage?.(error);
    };
    const place = (name: string) => join(directory, name);
    const use = { index: new DiskUse(place('index')), blocks: new DiskUse(place('blocks')) };
    const path = place('index');
    const pageBytes = INDEX_PAGE_BYTES;
    const tables = openLmdbKv({ path, tables: TABLES, pageBytes, writesInThread });
    return {
      directory,
      log: countedLog(nodeLogFolder(place('blocks')), use.blocks),
      kv: countedKv(new CheckedKv(tables, noteDamage), use.index),
      votes,
      votesWritten,
      journal: nodeLogFolder(place('journal')),
      use,
      noteDamage,
      release: () => tables.release(),
      close() {
        close();
        try {
          index.end();
        } finally {
          unlock();
        }
      },
    };
  } catch (error) {
    unlock();
    throw error;
  }
}

export function stampFormat(directory: string, version: number): void {
  const path = join(directory, 'format');
  writeFileSync(`${path}.new`, formatStamp(version), { mode: 0o600, flush: true });
  renameSync(`${path}.new`, path);
  syncDirectory(directory);
}

/** The version in the stamp; undefined: there is none. Throws STORE_FORMAT_…. */
export function readFormat(directory: string): number | undefined {
  const path = join(directory, 'format');
  return existsSync(path) ? checkFormat(readFileSync(path, 'utf8'), directory) : undefined;
}

/**
 * Writes the stamp of a new folder, and of one of an older format, whose index is dropped. Returns
 * the reason for the drop, or undefined.
 */
function upgrade(directory: string, index: IndexState): string | undefined {
  const stamped = readFormat(directory);
  const now = upgradedFormat(stamped ?? FORMAT_VERSION);
  if (stamped === now) return undefined;
  // The index is dropped first: a crash in between leaves a folder of the older format without an
  // index, which is valid too.
  if (stamped !== undefined) index.drop();
  stampFormat(directory, now);
  return stamped === undefined
    ? undefined
    : `the folder is of data format ${stamped}, and becomes one of ${now}`;
}
