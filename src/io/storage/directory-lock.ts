/**
 * One process per data directory. The lock file names its owner; a lock whose owner is dead is
 * taken over. The takeover is safe against races: the new file is linked into place only if there
 * is none, and a stale one is renamed first.
 */
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fail } from '../../core/base/errors.ts';
import { makeFolder } from '../host/make-folder.ts';

export const LOCK_NAME = 'LOCK';
const ATTEMPTS_MAX = 10;

interface Owner {
  readonly pid: number;
  /**
   * Start time of the process, if the platform reports it: another program with the same pid is not
   * the owner.
   */
  readonly startedAt: string;
}

/**
 * Returns the function that releases the lock. Throws STORAGE_LOCKED, which names the pid of the
 * owner.
 */
export function lockDirectory(directory: string): () => void {
  makeFolder(directory, 0o700);
  const path = join(directory, LOCK_NAME);
  const own = `${process.pid} ${startOf(process.pid)}\n`;
  const mine = `${path}.${process.pid}`;
  writeFileSync(mine, own, { mode: 0o600 });
  try {
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      if (tryLink(mine, path)) return () => release(path, own);
      const owner = readOwner(path);
      if (owner && isAlive(owner)) {
        throw fail(
          'STORAGE_LOCKED',
          `${directory} is in use by process ${owner.pid}: stop that one first, or choose another --datadir`,
          { data: { pid: owner.pid } },
        );
      }
      removeStale(path, `${path}.stale.${process.pid}`, owner);
    }
  } finally {
    rmSync(mine, { force: true });
  }
  throw fail('STORAGE_LOCKED', `${directory} is being locked by several processes at once`);
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function readOwner(path: string): Owner | undefined {
  try {
    const [pid, startedAt] = readFileSync(path, 'utf8').trim().split(' ');
    return { pid: Number(pid), startedAt: startedAt ?? '' };
  } catch {
    return undefined;
  }
}

/**
 * Renames, then checks the renamed file: a lock that another process took meanwhile is put back.
 */
function removeStale(path: string, aside: string, stale: Owner | undefined): void {
  try {
    renameSync(path, aside);
  } catch {
    return;
  }
  const moved = readOwner(aside);
  if (moved?.pid !== stale?.pid || moved?.startedAt !== stale?.startedAt) tryLink(aside, path);
  rmSync(aside, { force: true });
}

function release(path: string, own: string): void {
  try {
    if (readFileSync(path, 'utf8') === own) rmSync(path);
  } catch {
    // The file is already gone.
  }
}

function isAlive({ pid, startedAt }: Owner): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  const start = startOf(pid);
  return startedAt === '' || start === '' || start === startedAt;
}

/** Start time of a process in clock ticks since boot; '' if /proc is missing. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}
