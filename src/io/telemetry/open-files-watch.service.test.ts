import { afterEach, expect, it, vi } from 'vitest';
import { watchOpenFiles } from './open-files-watch.ts';

afterEach(() => void vi.useRealTimers());

it('says once that no file can be opened, why, and when it is over', () => {
  vi.useFakeTimers();
  const told: unknown[] = [];
  let code: string | undefined;
  const open = () => {
    if (code !== undefined) throw Object.assign(new Error(code), { code });
  };
  const watch = watchOpenFiles(
    (level, message, fields) => told.push([level, message, fields]),
    open,
  );
  const pass = () => vi.advanceTimersByTime(3_000);
  pass();
  code = 'EACCES';
  pass();
  expect(told).toEqual([]);
  code = 'EMFILE';
  pass();
  expect(told).toEqual([
    [
      'error',
      'No file can be opened: connections are refused meanwhile',
      { err: 'this process has too many files open: raise its limit (ulimit -n)' },
    ],
  ]);
  code = undefined;
  pass();
  expect(told).toHaveLength(2);
  watch.stop();
  expect(vi.getTimerCount()).toBe(0);
});
