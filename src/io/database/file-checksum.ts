/**
 * SHA-256 of a database file while nobody has it open, beside it as `sha256sum` writes it: SQLite has no checksums, and would
 * answer with whatever a damaged page holds. It is taken away when the file is opened, and written when the last one closes it.
 * While anything is in the write-ahead log (`-wal`) the file is in use, or was left by a crash: then it says nothing.
 */
import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename } from 'node:path';
import { fail } from '../../core/base/errors.ts';

const CHUNK_BYTES = 1024 * 1024;

/** Before a file is opened. Throws STORAGE_DAMAGED when it is missing, or not as it was closed. */
export function checkAtRest(file: string): void {
  const path = sumPath(file);
  if (!existsSync(path)) return;
  if (!hasLog(file)) {
    const noted = readFileSync(path, 'utf8');
    const isThere = existsSync(file);
    if (!isThere || noted !== line(file)) {
      throw fail(
        'STORAGE_DAMAGED',
        `the database ${file} is ${isThere ? 'damaged: it has not the checksum that it was closed with' : 'missing'} (${basename(path)}). Restore the file from a backup; if another program has changed it on purpose, delete ${path}`,
        { data: { path: file } },
      );
    }
  }
  rmSync(path, { force: true });
}

/** After it was closed here. Whoever else still has it open writes this when they close it. */
export function noteAtRest(file: string): void {
  if (hasLog(file)) return;
  const path = sumPath(file);
  try {
    writeFileSync(`${path}.new`, line(file), { mode: 0o600, flush: true });
    if (hasLog(file)) rmSync(`${path}.new`);
    else renameSync(`${path}.new`, path);
  } catch {
    // As on a full disk: the file is closed all the same, and nothing is said of it.
    rmSync(`${path}.new`, { force: true });
  }
}

function hasLog(file: string): boolean {
  return (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

function line(file: string): string {
  const hash = createHash('sha256');
  const descriptor = openSync(file, 'r');
  try {
    const chunk = Buffer.alloc(CHUNK_BYTES);
    for (let at = 0; ; ) {
      const count = readSync(descriptor, chunk, 0, CHUNK_BYTES, at);
      if (count === 0) break;
      hash.update(chunk.subarray(0, count));
      at += count;
    }
  } finally {
    closeSync(descriptor);
  }
  return `${hash.digest('hex')}  ${basename(file)}\n`;
}

function sumPath(file: string): string {
  return `${file}.sha256`;
}
