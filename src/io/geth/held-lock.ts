/**
 * Whether another process holds a lock on a file. The lock itself is not taken: Linux lists locks
 * in /proc/locks, other systems do not.
 */
import { existsSync, readFileSync, statSync } from 'node:fs';

/**
 * Id of the process that holds a lock on `path`; undefined: there is none, or this platform does
 * not say.
 */
export function lockHolder(path: string): number | undefined {
  if (!existsSync(path) || !existsSync('/proc/locks')) return undefined;
  const { ino } = statSync(path);
  // Example: 1: POSIX  ADVISORY  WRITE 1234 08:01:5678 0 EOF
  for (const line of readFileSync('/proc/locks', 'utf8').split('\n')) {
    const [, , , , pid, file] = line.trim().split(/\s+/);
    if (file?.split(':')[2] === String(ino)) return Number(pid);
  }
  return undefined;
}
