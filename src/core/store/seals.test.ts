import { expect, it } from 'vitest';
import { wrappedKv } from '../../../test/support/wrapped-kv.ts';
import { MemoryDisk } from '../../io/storage/memory.ts';
import { Seals, sealedNumber } from './seals.ts';

it('are written at the end only if a number has changed since the last checkpoint', async () => {
  const disk = new MemoryDisk().kv('index');
  let commits = 0;
  const kv = wrappedKv(disk, {
    commit(fill) {
      commits++;
      return disk.commit(fill);
    },
  });
  const seals = new Seals();
  await seals.writeNow(kv);
  expect(commits).toBe(0);

  let [votes, raft] = [7, 0];
  seals.follow('votes', () => votes);
  seals.follow('raft', () => raft);
  await kv.commit(function* (writer) {
    yield seals.write(writer);
  });
  await seals.writeNow(kv);
  expect(commits).toBe(1);

  votes = 8;
  await seals.writeNow(kv);
  raft = 1;
  await seals.writeNow(kv);
  expect(commits).toBe(3);
  expect([sealedNumber(kv, 'votes'), sealedNumber(kv, 'raft')]).toEqual([8, 1]);
});
