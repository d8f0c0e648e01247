import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { RepeatedTask } from './repeated-task.ts';

const PAUSE_MS = 1_000;
beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function taskOf(run: () => Promise<number | undefined>) {
  const reasons: string[] = [];
  const task = new RepeatedTask({ run, pauseMs: PAUSE_MS, failed: (why) => reasons.push(why) });
  return { task, reasons };
}

test('It runs again after its pause, or after the pause that the run asked for', async () => {
  const run = vi.fn(async (): Promise<number | undefined> => undefined);
  const { task } = taskOf(run);
  await task.wake();
  await vi.advanceTimersByTimeAsync(PAUSE_MS - 1);
  expect(run).toHaveBeenCalledTimes(1);
  run.mockResolvedValueOnce(10);
  await vi.advanceTimersByTimeAsync(1);
  await vi.advanceTimersByTimeAsync(10);
  expect(run).toHaveBeenCalledTimes(3);
});

test('Asked for in the middle of a run, it runs once more right after it, never beside it', async () => {
  let running = 0;
  let mostAtOnce = 0;
  const run = vi.fn(async () => {
    mostAtOnce = Math.max(mostAtOnce, ++running);
    await Promise.resolve();
    running--;
    return undefined;
  });
  const { task } = taskOf(run);
  void task.wake();
  void task.wake();
  await task.wake();
  await vi.advanceTimersByTimeAsync(0);
  expect(run).toHaveBeenCalledTimes(2);
  expect(mostAtOnce).toBe(1);
});

test('A failure is reported once, and again when its reason changes or it returns', async () => {
  const run = vi.fn(async (): Promise<number | undefined> => undefined);
  for (const why of ['away', 'away', 'full']) run.mockRejectedValueOnce(new Error(why));
  const { task, reasons } = taskOf(run);
  await task.wake();
  await vi.advanceTimersByTimeAsync(3 * PAUSE_MS);
  expect(reasons).toEqual(['away', 'full']);
  run.mockRejectedValueOnce(new Error('full'));
  await vi.advanceTimersByTimeAsync(PAUSE_MS);
  expect(reasons).toEqual(['away', 'full', 'full']);
});

test('After a failure it pauses even when it was asked to run again', async () => {
  const run = vi.fn(async (): Promise<number | undefined> => {
    throw new Error('away');
  });
  const { task } = taskOf(run);
  void task.wake();
  await task.wake();
  await vi.advanceTimersByTimeAsync(PAUSE_MS - 1);
  expect(run).toHaveBeenCalledTimes(1);
});

test('Stopped in the middle of a run, it resolves when the run has ended, and does not run again', async () => {
  let end = (): void => {};
  const run = vi.fn(() => new Promise<undefined>((resolve) => (end = () => resolve(undefined))));
  const { task } = taskOf(run);
  void task.wake();
  let hasStopped = false;
  const stopped = task.stop().then(() => (hasStopped = true));
  await vi.advanceTimersByTimeAsync(PAUSE_MS);
  expect([task.isStopped, hasStopped]).toEqual([true, false]);
  end();
  await stopped;
  await task.wake();
  await vi.advanceTimersByTimeAsync(PAUSE_MS);
  expect(run).toHaveBeenCalledTimes(1);
});
