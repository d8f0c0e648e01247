import { expect, it } from 'vitest';
import { ResidentMemory } from './resident-memory.ts';

const MB = 1024 * 1024;

it('gives pages back when there are many, and more than after the last time', async () => {
  let mapped = 300;
  let others = 100;
  let times = 0;
  const memory = new ResidentMemory(
    async () => {
      mapped = 0;
      times++;
    },
    () => (mapped + others) * MB,
    1_024 * MB,
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

it('leaves a quarter of the memory to them', async () => {
  let times = 0;
  let pages = 1_000;
  const giveBack = async () => {
    times++;
  };
  const memory = new ResidentMemory(giveBack, () => pages * MB, 4_096 * MB);
  await memory.bound();
  expect(times).toBe(0);
  pages = 1_025;
  await memory.bound();
  expect(times).toBe(1);
});

it('counts the pages of files of this process', async () => {
  const memory = new ResidentMemory(async () => {
    throw new Error('with few of them');
  });
  await memory.bound();
});
