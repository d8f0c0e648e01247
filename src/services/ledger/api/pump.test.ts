import { expect, it } from 'vitest';
import { Pump } from './pump.ts';

it('does work in slices, in turns of those who have some', async () => {
  let nowMs = 0;
  const pump = new Pump(() => nowMs);
  const done: string[] = [];
  const worker = (name: string, pieces: number) => () => {
    nowMs += 1;
    done.push(name);
    return --pieces > 0;
  };
  pump.wake(worker('a', 6));
  pump.wake(worker('b', 2));
  expect(done).toEqual([]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(done.join('')).toBe('ababa');
  await new Promise((resolve) => setImmediate(resolve));
  expect(done.join('')).toBe('ababaaaa');
});

it('forgets what is dropped', async () => {
  const pump = new Pump();
  let count = 0;
  const step = () => ++count < 10;
  pump.wake(step);
  pump.drop(step);
  await new Promise((resolve) => setImmediate(resolve));
  expect(count).toBe(0);
});
