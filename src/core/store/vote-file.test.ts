import { describe, expect, it } from 'vitest';
import { MemoryDisk } from '../../io/storage/memory.ts';
import { concatBytes } from '../base/bytes.ts';
import { PIECE_BYTES } from '../base/pace.ts';
import { Prng } from '../base/prng.ts';
import { crc32c } from './crc32c.ts';
import { VoteFile } from './vote-file.ts';

const open = (disk: MemoryDisk) => new VoteFile(disk.slots('votes'), disk.slots('votes-written'));

const vote = (n: number) => ({
  height: n * 0x1_0000_0001,
  round: n,
  parts: [new Uint8Array(n * 40).fill(n)],
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

it('lets other work run while it writes a long vote', async () => {
  const disk = new MemoryDisk();
  let pauses = 0;
  const timers = {
    yield(next: () => void) {
      pauses++;
      next();
    },
  };
  const [votes, written] = [disk.slots('votes'), disk.slots('votes-written')];
  const file = new VoteFile(votes, written, 0, timers);
  await file.remember(vote(1));
  expect(pauses).toBe(0);
  const parts = [3, 5 * PIECE_BYTES + 9, 7].map((length) => new Uint8Array(length).fill(length));
  await file.remember({ ...vote(2), parts });
  expect(pauses).toBe(5);
  const [bytes] = open(disk).memory()!.parts;
  expect(Buffer.compare(bytes!, concatBytes(...parts))).toBe(0);
});

it('is written by one at a time', async () => {
  const file = open(new MemoryDisk());
  const first = file.remember(vote(1));
  await expect(file.remember(vote(2))).rejects.toThrow('one vote is written at a time');
  await first;
});

describe('a vote file that cannot be trusted', () => {
  async function written(votes: number): Promise<MemoryDisk> {
    const disk = new MemoryDisk();
    const file = open(disk);
    for (let n = 1; n <= votes; n++) await file.remember(vote(n));
    return disk;
  }

  it('counts as damaged when its slots have changed places', async () => {
    const disk = await written(4);
    const file = disk.slots('votes');
    const [even, odd] = [0, 1].map((slot) => file.read(slot)!.slice());
    await file.write(0, [odd!]);
    await file.write(1, [even!]);
    expect([open(disk).memory(), open(disk).loss]).toEqual([undefined, 'damaged']);
  });

  const damage = async (disk: MemoryDisk, slot: number) => {
    const file = disk.slots('votes');
    const bytes = file.read(slot)!.slice();
    bytes[bytes.length - 1]! ^= 1;
    await file.write(slot, [bytes]);
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

  it('notices that older copies of both files were put back, by what the chain store has sealed', async () => {
    const older = await written(3);
    const newer = await written(5);
    const sealed = open(newer).lastWritten;
    const files = [older.slots('votes'), older.slots('votes-written')] as const;
    expect(new VoteFile(...files).memory()).toEqual(vote(3));
    const file = new VoteFile(...files, sealed);
    expect([file.loss, file.memory()]).toEqual(['old', undefined]);
    await file.remember(vote(9));
    expect(new VoteFile(...files, sealed + 1).memory()).toEqual(vote(9));
    const gone = new MemoryDisk();
    expect(new VoteFile(gone.slots('votes'), gone.slots('votes-written'), 1).loss).toBe('old');
  });

  it('refuses a newer version by name, and takes a slot without one', async () => {
    const disk = await written(1);
    const slots = disk.slots('votes');
    const bytes = slots.read(1)!;
    const end = bytes.length - 6;
    await slots.write(1, [bytes.subarray(0, end)]);
    expect(open(disk).memory()).toEqual(vote(1));
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    view.setUint16(end, 3);
    view.setUint32(end + 2, crc32c(bytes, view.getUint32(6), end, end + 2));
    await slots.write(1, [bytes]);
    expect(() => open(disk)).toThrow(
      'the file "votes" was written by a newer Quorate: version 3, this one reads up to 2',
    );
  });
});
