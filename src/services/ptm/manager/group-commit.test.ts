import { expect, it } from 'vitest';
import { GroupCommit } from './group-commit.ts';

/** Long enough for a busy machine. */
const ROOM = { timeout: 60_000 };

const WAITING_MAX = 50_000;

it('lets so many writes wait for a store that is slow, and refuses the next', async () => {
  let release = (): void => undefined;
  const slow = new Promise<void>((resolve) => {
    release = resolve;
  });
  const sizes: number[] = [];
  const group = new GroupCommit<number>(async (writes) => {
    sizes.push(writes.length);
    await slow;
  });
  const first = group.write(0);
  // The first write is being committed; the following ones wait.
  await expect.poll(() => sizes, ROOM).toEqual([1]);
  const waiting = Array.from({ length: WAITING_MAX }, (_, at) => group.write(at));
  await expect(group.write(-1)).rejects.toMatchObject({ code: 'PTM_BUSY' });
  release();
  await Promise.all([first, ...waiting]);
  expect(sizes.reduce((sum, size) => sum + size)).toBe(1 + WAITING_MAX);
  await group.write(-1);
});
