/**
 * Whether a disk has room to start on. What is mapped into memory (lmdb's and SQLite's tables of readers) ends the process by SIGBUS
 * on a full disk, instead of with an error.
 */
import { existsSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { fail } from '../../core/base/errors.ts';

/** For the files that are made at a start, with something to spare. */
const ROOM_BYTES = 512 * 1024;

/** Bytes that are left on the disk of `path`, a file or folder to be made or written. */
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
    `no space left on the disk of ${path}: ${left} bytes, and a start needs ${ROOM_BYTES}. Nothing acknowledged is lost; free some space and start again`,
    { data: { path } },
  );
}
