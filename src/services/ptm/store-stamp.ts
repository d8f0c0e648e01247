/**
 * The file `format` next to an embedded payload store: records its format and that the store
 * existed. So a lost store is not mistaken for a new one: its node would otherwise learn that it is
 * not a party to any transaction.
 */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fail } from '../../core/base/errors.ts';
import { newerVersion } from '../../core/base/newer-version.ts';
import { crc32c } from '../../core/store/crc32c.ts';
import { lmdbTransaction } from '../../io/storage/lmdb-file.ts';
import { syncDirectory } from '../../io/storage/node-log-file.ts';
import { FORMAT } from './manager/kv-store.ts';

const STAMP = 'format';
const PATTERN = /^quorate payload store (\d{1,9})\n$/;
const DATA_FILE = 'data.mdb';
const WRITTEN = 'payloads-written';
const WRITTEN_PATTERN = /^(quorate payload store 1, transaction (\d{1,15})) ([0-9a-f]{8})\n$/;

/**
 * Throws STORAGE_FORMAT_NEWER, and STORAGE_MISSING when the folder had a store that is gone;
 * `mayBeGone`: allowed, because the store is to be refilled.
 */
export function checkStamp(folder: string, storePath: string, mayBeGone: boolean): void {
  const path = join(folder, STAMP);
  if (!existsSync(path)) return;
  const version = Number(PATTERN.exec(readFileSync(path, 'utf8'))?.[1] ?? Number.NaN);
  if (version > FORMAT) {
    throw newerVersion('STORAGE_FORMAT_NEWER', `the payload store in ${folder}`, {
      found: version,
      known: FORMAT,
    });
  }
  const data = join(storePath, DATA_FILE);
  if (mayBeGone || (existsSync(data) && statSync(data).size > 0)) return;
  throw fail(
    'STORAGE_MISSING',
    `${data} is missing or empty, and was not: restore a snapshot ("quorate restore") or fetch the payloads from the peers ("quorate ptm recover"); to begin with none, remove ${path}`,
  );
}

/** Records the number of the store's last transaction, when the manager stops. */
export function noteWritten(folder: string, storePath: string): void {
  const text = `quorate payload store 1, transaction ${lmdbTransaction(join(storePath, DATA_FILE))}`;
  writeFileSync(join(folder, WRITTEN), `${text} ${sumOf(text)}\n`, { mode: 0o600, flush: true });
}

/**
 * Why the store is an older copy, which lacks payloads that its node needs. Undefined: it is not.
 */
export function olderThanNoted(folder: string, storePath: string): string | undefined {
  const path = join(folder, WRITTEN);
  const found = existsSync(path) ? WRITTEN_PATTERN.exec(readFileSync(path, 'latin1')) : null;
  if (!found || sumOf(found[1]!) !== found[3]) return undefined;
  const last = lmdbTransaction(join(storePath, DATA_FILE));
  return last < Number(found[2])
    ? `its last transaction is ${last}, but ${found[2]} was written`
    : undefined;
}

function sumOf(text: string): string {
  return crc32c(new TextEncoder().encode(text)).toString(16).padStart(8, '0');
}

export function writeStamp(folder: string): void {
  const path = join(folder, STAMP);
  const stamp = `quorate payload store ${FORMAT}\n`;
  if (existsSync(path) && readFileSync(path, 'utf8') === stamp) return;
  writeFileSync(path, stamp, { mode: 0o600, flush: true });
  syncDirectory(folder);
}
