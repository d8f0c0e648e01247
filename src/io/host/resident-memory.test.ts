import { expect, it } from 'vitest';
import { ResidentMemory } from './resident-memory.ts';

const MB = 1024 * 1024;

it('gives pages back when the process is large, and has grown since the last time', async () => {
  let mapped = 300;
  let others = 100;
  let times = 0;
  const memory = new ResidentMemory(
    async () => {
      mapped = 0;
      times++;
    },
    () => (mapped + others) * MB,
  );
  await memory.bound();
  expect(times).toBe(0);
  mapped = 500;
  await memory.bound();
  expect(times).toBe(1);
  // Memory that is not pages of a file remains; the files are not mapped again at once.
  others = 600;
  await memory.bound();
  await memory.bound();
  expect(times).toBe(2);
  mapped = 100;
  await memory.bound();
  expect(times).toBe(3);
});
