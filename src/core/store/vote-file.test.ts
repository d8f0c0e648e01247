import { describe, expect, it } from 'vitest';
import { MemoryDisk } from '../../io/storage/memory.ts';
import { Prng } from '../base/prng.ts';
import { VoteFile } from './vote-file.ts';

const open = (disk: MemoryDisk) => new VoteFile(disk.slots('votes'), disk.slots('votes-written'));

const vote = (n: number) => ({
  height: n * 0x1_0000_0001,
  round: n,
  bytes: new Uint8Array(n * 40).fill(n),
});

describe('vote file', () => {
  it('gives back the newest vote', async () => {
    const disk = new MemoryDisk();
    expect(open(disk).memory()).toBeUndefined();
    const file = open(disk);
    for (let n = 1; n < 6; n++) {
      await file.remember(vote(n));
      expect(open(disk).memory()).toEqual(vote(n));
    }
  });

  it('never falls behind an acknowledged vote when a write tears', async () => {
    for (let seed = 0; seed < 60; seed++) {
      const disk = new MemoryDisk(new Prng(seed));
      disk.failAt(seed % 5, 'crash');
      const file = open(disk);
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
      const round = open(disk).memory()?.round ?? 0;
      expect([acknowledged, acknowledged + 1]).toContain(round);
    }
  });
});

describe('a vote file that cannot be trusted', () => {
  async function written(votes: number): Promise<MemoryDisk> {
    const disk = new MemoryDisk();
    const file = open(disk);
    for (let n = 1; n <= votes; n++) await file.remember(vote(n));
    return disk;
  }

  const damage = async (disk: MemoryDisk, slot: number) => {
    const file = disk.slots('votes');
    const bytes = file.read(slot)!.slice();
    bytes[bytes.length - 1]! ^= 1;
    await file.write(slot, bytes);
  };

  it('says that it is empty', () => {
    const file = open(new MemoryDisk());
    expect([file.loss, file.memory()]).toEqual(['empty', undefined]);
  });

  it('does not fall back to an older vote when the newest was damaged on the disk', async () => {
    const disk = await written(4);
    await damage(disk, 0);
    const file = open(disk);
    expect([file.loss, file.memory()]).toEqual(['damaged', undefined]);
  });

  it('keeps the newest vote when the older slot is damaged', async () => {
    const disk = await written(4);
    await damage(disk, 1);
    expect(open(disk).memory()).toEqual(vote(4));
  });

  it('notices when both slots are unreadable, and when it is gone though it was written', async () => {
    const disk = await written(4);
    await damage(disk, 0);
    await damage(disk, 1);
    expect(open(disk).loss).toBe('damaged');
    const gone = new MemoryDisk();
    const votes = new VoteFile(gone.slots('votes'), disk.slots('votes-written'));
    expect(votes.loss).toBe('damaged');
  });

  it('is whole again with the next vote', async () => {
    const disk = await written(4);
    await damage(disk, 0);
    await open(disk).remember(vote(9));
    expect([open(disk).loss, open(disk).memory()]).toEqual([undefined, vote(9)]);
  });

  it('is read as before where no note was written', async () => {
    const disk = await written(3);
    const old = new VoteFile(disk.slots('votes'), new MemoryDisk().slots('votes-written'));
    expect(old.memory()).toEqual(vote(3));
  });
});
