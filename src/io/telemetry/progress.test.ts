import { expect, it } from 'vitest';
import { Progress } from './progress.ts';

it('logs every few seconds how far the work is, how fast, and how long the rest takes', () => {
  let nowMs = 1_000;
  const lines: unknown[] = [];
  const log = (...line: unknown[]) => lines.push(line);
  const progress = new Progress({ nowMs: () => nowMs }, log as never);
  const tell = (done: number) =>
    progress.tell('Checked', done / 100, () => ({ 'blocks/s': progress.perSecond(done) }));
  tell(1);
  expect(lines).toEqual([]);
  nowMs += 5_000;
  tell(10);
  tell(11);
  nowMs += 5_000;
  tell(40);
  expect(lines).toEqual([
    ['info', 'Checked', { 'blocks/s': 2, done: '10.0 %', left: '45 s' }],
    ['info', 'Checked', { 'blocks/s': 4, done: '40.0 %', left: '15 s' }],
  ]);
});
