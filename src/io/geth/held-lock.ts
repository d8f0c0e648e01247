/**
 * Whether another process holds a lock on a file, without taking it: Linux lists locks in
 * /proc/locks, other systems do not.
 */
import { existsSync, readFileSync, statSync } from 'node:fs';

/**
 * Of the process that holds a lock on `path`; undefined: none does, or this platform does not say.
 */
export function lockHolder(path: string): number | undefined {
  if (!existsSync(path) || !existsSync('/proc/locks')) return undefined;
  const { ino } = statSync(path);
  // 1: POSIX  ADVISORY  WRITE 1234 08:01:5678 0 EOF
  for (const line of readFileSync('/proc/locks', 'utf8').split('\n')) {
    const [, , , , pid, file] = line.trim().split(/\s+/);
    if (file?.split(':')[2] === String(ino)) return Number(pid);
  }
  return undefined;
}
