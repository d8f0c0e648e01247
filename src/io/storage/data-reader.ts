/**
 * The data directory of a running node, for another thread of its process: it writes and locks
 * nothing.
 */
import { join } from 'node:path';
import type { QuorateError } from '../../core/base/errors.ts';
import type { Kv, LogFolder } from '../../core/base/ports.ts';
import { CheckedKv } from '../../core/store/checked-kv.ts';
import { TABLES } from '../../core/store/keys.ts';
import { noteIndexDamage } from './index-state.ts';
import { openLmdbKv } from './lmdb-kv.ts';
import { readOnlyLogFolder } from './node-log-file.ts';

export interface DataReader {
  readonly log: LogFolder;
  readonly kv: Kv;
  noteDamage(error: QuorateError): void;
  /** Makes the newest state of the index visible, until the next turn of the event loop. */
  refresh(): void;
}

export function openDataReader(directory: string): DataReader {
  // The main thread checks for this note (services/ledger/node/store-upkeep.ts).
  const noteDamage = (error: QuorateError) => noteIndexDamage(directory, error.message);
  const kv = openLmdbKv({ path: join(directory, 'index'), tables: TABLES, readOnly: true });
  return {
    log: readOnlyLogFolder(join(directory, 'blocks')),
    kv: new CheckedKv(kv, noteDamage),
    noteDamage,
    refresh: () => kv.refresh(),
  };
}
