/**
 * The file `format` beside an embedded payload store: which format it has, and that it was there. A
 * store that is gone is not taken for a new one: its node would be told that it is party to nothing.
 */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fail } from '../../core/base/errors.ts';
import { newerVersion } from '../../core/base/newer-version.ts';
import { syncDirectory } from '../../io/storage/node-log-file.ts';
import { FORMAT } from './manager/kv-store.ts';

const STAMP = 'format';
const PATTERN = /^quorate payload store (\d{1,9})\n$/;
const DATA_FILE = 'data.mdb';

/** Throws STORAGE_FORMAT_NEWER, and STORAGE_MISSING when a store was here; `mayBeGone`: it is to be filled anew. */
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

export function writeStamp(folder: string): void {
  const path = join(folder, STAMP);
  const stamp = `quorate payload store ${FORMAT}\n`;
  if (existsSync(path) && readFileSync(path, 'utf8') === stamp) return;
  writeFileSync(path, stamp, { mode: 0o600, flush: true });
  syncDirectory(folder);
}
