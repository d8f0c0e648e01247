/**
 * SHA-256 of a closed database file, in a file next to it, as `sha256sum` writes it: SQLite has no
 * checksums and would return whatever a damaged page contains. The checksum is removed when the
 * file is opened, and written when the last user closes it. While the write-ahead log (`-wal`) has
 * content the file is in use, or was left by a crash: in both cases the checksum is not used.
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

/**
 * Call it before a file is opened. Throws STORAGE_DAMAGED when the file is missing or was changed
 * since it was closed.
 */
export function checkAtRest(file: string): void {
  const path = sumPath(file);
  if (!existsSync(path)) return;
  if (!hasLog(file)) {
    const noted = readFileSync(path, 'utf8');
    const isThere = existsSync(file);
    if (!isThere || noted !== line(file)) {
      throw fail(
        'STORAGE_DAMAGED',
        `the database ${file} is ${isThere ? 'damaged: its checksum differs from the one at its last close' : 'missing'} (${basename(path)}). Restore the file from a backup; if another program has changed it on purpose, delete ${path}`,
        { data: { path: file } },
      );
    }
  }
  rmSync(path, { force: true });
}

/**
 * Call it after closing. If others still have the file open, the last of them writes the checksum.
 */
export function noteAtRest(file: string): void {
  if (hasLog(file)) return;
  const path = sumPath(file);
  try {
    writeFileSync(`${path}.new`, line(file), { mode: 0o600, flush: true });
    if (hasLog(file)) rmSync(`${path}.new`);
    else renameSync(`${path}.new`, path);
  } catch {
    // For example on a full disk: the file is closed nevertheless, without a checksum.
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
