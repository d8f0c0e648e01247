/** The system's information about other processes. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * Position of the number of threads among the fields of proc_pid_stat(5), counted from the state.
 */
const THREADS = 17;

/** Whether the process runs. A zombie (ended, but its status not yet read) does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  const status = statusOf(pid);
  // The first thread may end before the others, which still hold the process's open files.
  return status?.[0] !== 'Z' || Number(status[THREADS]) > 1;
}

/** The arguments on one line, because another program chose their content; '' when unknown. */
export function commandLineOf(pid: number): string {
  try {
    return inOneLine(readFileSync(`/proc/${pid}/cmdline`, 'utf8'));
  } catch {
    return inOneLine(ask(pid, 'args'));
  }
}

function inOneLine(text: string): string {
  return text.replace(/\p{Cc}/gu, ' ').trim();
}

/** undefined: not known. */
export function parentOf(pid: number): number | undefined {
  return Number(statusOf(pid)?.[1] ?? ask(pid, 'ppid')) || undefined;
}

/** State, parent and the following fields of proc_pid_stat(5). */
function statusOf(pid: number): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name before these fields may contain any characters.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}

/** For systems without /proc, such as macOS. */
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
