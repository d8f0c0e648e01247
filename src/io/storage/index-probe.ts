/**
 * The process that probe-index.ts starts: reads the tables of the index, which its arguments name.
 * Exits with status 1 when it finds any fault.
 */
import { CheckedKv } from '../../core/store/checked-kv.ts';
import { openLmdbKv } from './lmdb-kv.ts';
import type { ProbeMessage } from './probe-index.ts';

/** Rows between two progress reports. */
const PROGRESS_ROWS = 100_000;
/** A key that sorts after every other key. */
const LAST = new Uint8Array(256).fill(0xff);

try {
  const [path, ...tables] = process.argv.slice(2);
  const lmdb = openLmdbKv({ path: path!, tables, readOnly: true });
  const kv = new CheckedKv(lmdb);
  const of = tables.reduce((sum, table) => sum + lmdb.count(table), 0);
  let done = 0;
  for (const table of tables) {
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
