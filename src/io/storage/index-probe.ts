/**
 * The process of probe-index.ts: walks every table of the index that its argument names. Status 1
 * when anything is wrong.
 */
import { CheckedKv } from '../../core/store/checked-kv.ts';
import { TABLES } from '../../core/store/keys.ts';
import { openLmdbKv } from './lmdb-kv.ts';
import type { ProbeMessage } from './probe-index.ts';

/** Between two progress reports. */
const PROGRESS_ROWS = 100_000;
/** After every key. */
const LAST = new Uint8Array(256).fill(0xff);

try {
  const lmdb = openLmdbKv({ path: process.argv[2]!, tables: TABLES, readOnly: true });
  const kv = new CheckedKv(lmdb);
  const of = TABLES.reduce((sum, table) => sum + lmdb.count(table), 0);
  let done = 0;
  for (const table of TABLES) {
    let rows = 0;
    for (const _ of kv.range(table, new Uint8Array(0), LAST)) {
      rows++;
      if (++done % PROGRESS_ROWS === 0) tell({ rows: done, of });
    }
    const expected = lmdb.count(table);
    if (rows !== expected) throw new Error(`its table "${table}" has ${rows} of ${expected} rows`);
  }
} catch (error) {
  process.exitCode = 1;
  tell({ fault: (error as Error).message });
}
process.disconnect?.();

function tell(message: ProbeMessage): void {
  process.send?.(message);
}
