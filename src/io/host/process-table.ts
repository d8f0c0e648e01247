/** What the system knows of other processes. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Where proc_pid_stat(5) has the number of threads, counted from the state. */
const THREADS = 17;

/** Whether it runs. A process that has ended and that nobody has asked for its status does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  const status = statusOf(pid);
  // The first thread may be gone before the others, which hold what the process had open.
  return status?.[0] !== 'Z' || Number(status[THREADS]) > 1;
}

/** Arguments with spaces between; '' when it is not known. */
export function commandLineOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    return ask(pid, 'args');
  }
}

/** undefined when it is not known. */
export function parentOf(pid: number): number | undefined {
  return Number(statusOf(pid)?.[1] ?? ask(pid, 'ppid')) || undefined;
}

/** State, parent and what follows them in proc_pid_stat(5). */
function statusOf(pid: number): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name before may hold anything.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}

/** For systems without /proc, as macOS. */
function ask(pid: number, column: 'args' | 'ppid'): string {
  try {
    const args = ['-p', String(pid), '-o', `${column}=`];
    return execFileSync('ps', args, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return '';
  }
}
