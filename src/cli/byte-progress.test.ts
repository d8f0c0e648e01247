import { expect, it } from 'vitest';
import { byteProgress } from './byte-progress.ts';

const GB = 1024 ** 3;

it('tells every few seconds how much is done, how fast, and how long the rest takes', () => {
  const lines: string[] = [];
  let nowMs = 1_000;
  const write = (line: string) => lines.push(line);
  const progress = byteProgress('restored', 4 * GB, () => nowMs, write);
  progress.add(GB);
  expect(lines).toEqual([]);
  nowMs += 5_000;
  progress.add(GB);
  progress.add(1);
  nowMs += 5_000;
  progress.add(GB);
  expect(lines).toEqual([
    '  restored 2.0 of 4.0 GB, 410 MB/s, 5 s left\n',
    '  restored 3.0 of 4.0 GB, 307 MB/s, 4 s left\n',
  ]);
});

it('tells the rate alone where the size is not known', () => {
  const lines: string[] = [];
  let nowMs = 0;
  const progress = byteProgress(
    'copied',
    undefined,
    () => nowMs,
    (line) => lines.push(line),
  );
  nowMs = 8_000;
  progress.add(GB);
  expect(lines).toEqual(['  copied 1.0 GB, 128 MB/s\n']);
});
