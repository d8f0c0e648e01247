/**
 * Whether a disk has enough space to start. On a full disk, memory-mapped files (lmdb's and
 * SQLite's reader tables) end the process by SIGBUS instead of with an error.
 */
import { existsSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { fail } from '../../core/base/errors.ts';

/** Enough for the files created at a start, with a margin. */
const ROOM_BYTES = 512 * 1024;

/** Free bytes on the disk of `path`, a file or folder to be created or written. */
export function diskRoom(path: string): number {
  let there = path;
  while (!existsSync(there) && dirname(there) !== there) there = dirname(there);
  const { bavail, bsize } = statfsSync(there);
  return bavail * bsize;
}

/** Throws STORAGE_FULL. */
export function checkDiskRoom(path: string): void {
  const left = diskRoom(path);
  if (left >= ROOM_BYTES) return;
  throw fail(
    'STORAGE_FULL',
    `no space left on the disk of ${path}: ${left} bytes are free, and a start needs ${ROOM_BYTES}. Nothing acknowledged is lost; free some space and start again`,
    { data: { path } },
  );
}
