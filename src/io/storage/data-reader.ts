/** The data directory of a node that runs, for another thread of its process: nothing is written, nothing locked. */
import { join } from 'node:path';
import type { Kv, LogFolder } from '../../core/ports.ts';
import { TABLES } from '../../core/store/keys.ts';
import { openLmdbKv } from './lmdb-kv.ts';
import { readOnlyLogFolder } from './node-log-file.ts';

export interface DataReader {
  readonly log: LogFolder;
  readonly kv: Kv;
  /** The index is its newest state from here on, until the next turn of the event loop. */
  refresh(): void;
}

export function openDataReader(directory: string): DataReader {
  const kv = openLmdbKv({ path: join(directory, 'index'), tables: TABLES, readOnly: true });
  return {
    log: readOnlyLogFolder(join(directory, 'blocks')),
    kv,
    refresh: () => kv.refresh(),
  };
}
