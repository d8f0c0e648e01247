import { expect, it } from 'vitest';
import { MemoryKv } from '../../io/storage/memory-kv.ts';
import { TABLE } from './keys.ts';
import { SnapshotRows } from './snapshot-rows.ts';

const hashAt = (number: number) => new Uint8Array(32).fill(number);
const bytesAt = (number: number) => Uint8Array.of(number);

it('reads what no commit has yet, and commits together what came during the one before', async () => {
  const ends: (() => void)[] = [];
  const kv = new MemoryKv(new Map(), async (apply) => {
    await new Promise<void>((resolve) => ends.push(resolve));
    apply();
  });
  const rows = new SnapshotRows(kv, () => expect.fail('every commit succeeds'));
  for (const number of [1, 2, 3]) rows.save(hashAt(number), bytesAt(number));
  expect([1, 2, 3].map((number) => rows.load(hashAt(number)))).toEqual([1, 2, 3].map(bytesAt));
  const written = rows.written();
  for (let commit = 0; commit < 2; commit++) {
    await expect.poll(() => ends.length).toBe(commit + 1);
    ends[commit]!();
  }
  await written;
  expect(ends).toHaveLength(2);
  expect([1, 2, 3].map((number) => kv.get(TABLE.snapshots, hashAt(number)))).toEqual(
    [1, 2, 3].map(bytesAt),
  );
});

it('reports a commit that fails, and goes on', async () => {
  const failures: string[] = [];
  let isFull = true;
  const kv = new MemoryKv(new Map(), async (apply) => {
    if (isFull) throw new Error('the disk is full');
    apply();
  });
  const rows = new SnapshotRows(kv, ({ message }) => failures.push(message));
  rows.save(hashAt(1), bytesAt(1));
  await rows.written();
  expect(failures).toEqual(['the disk is full']);
  expect(rows.load(hashAt(1))).toBeUndefined();
  isFull = false;
  rows.save(hashAt(2), bytesAt(2));
  await rows.written();
  expect(kv.get(TABLE.snapshots, hashAt(2))).toEqual(bytesAt(2));
});
