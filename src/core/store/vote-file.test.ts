import { describe, expect, it } from 'vitest';
import { MemoryDisk } from '../../io/storage/memory.ts';
import { Prng } from '../base/prng.ts';
import { VoteFile } from './vote-file.ts';

const vote = (n: number) => ({
  height: n * 0x1_0000_0001,
  round: n,
  bytes: new Uint8Array(n * 40).fill(n),
});

describe('vote file', () => {
  it('gives back the newest vote', async () => {
    const disk = new MemoryDisk();
    expect(new VoteFile(disk.slots('votes')).memory()).toBeUndefined();
    const file = new VoteFile(disk.slots('votes'));
    for (let n = 1; n < 6; n++) {
      await file.remember(vote(n));
      expect(new VoteFile(disk.slots('votes')).memory()).toEqual(vote(n));
    }
  });

  it('never falls behind an acknowledged vote when a write tears', async () => {
    for (let seed = 0; seed < 60; seed++) {
      const disk = new MemoryDisk(new Prng(seed));
      disk.failAt(seed % 5, 'crash');
      const file = new VoteFile(disk.slots('votes'));
      let acknowledged = 0;
      try {
        for (let n = 1; n < 7; n++) {
          await file.remember(vote(n));
          acknowledged = n;
        }
      } catch {
        disk.crash();
      }
      expect(acknowledged).toBe(seed % 5);
      const round = new VoteFile(disk.slots('votes')).memory()?.round ?? 0;
      expect([acknowledged, acknowledged + 1]).toContain(round);
    }
  });
});
