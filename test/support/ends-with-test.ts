/** Makes sure that no process outlives the test that started it, however the test ends. */
import type { ChildProcess } from 'node:child_process';
import { onTestFinished } from 'vitest';

/** Kills the process when the test ends, unless it has exited by itself. */
export function endsWithTest<T extends ChildProcess>(child: T): T {
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}
