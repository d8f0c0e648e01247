/** Processes of tests: none outlives the test that started it, however that ends. */
import type { ChildProcess } from 'node:child_process';
import { onTestFinished } from 'vitest';

/** Kills it when the test is over; does nothing to one that has ended by itself. */
export function endsWithTest<T extends ChildProcess>(child: T): T {
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}
