/** Makes sure that no process outlives the test that started it, however the test ends. */
import type { ChildProcess } from 'node:child_process';
import { onTestFinished } from 'vitest';

/**
 * Kills the process when the test ends, unless it has exited by itself. `atEnd`: of the context of
 * a test that runs beside others, where the general hook may be another one's.
 */
export function endsWithTest<T extends ChildProcess>(child: T, atEnd = onTestFinished): T {
  atEnd(() => void child.kill('SIGKILL'));
  return child;
}
