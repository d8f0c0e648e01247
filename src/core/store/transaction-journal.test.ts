import { describe, expect, it } from 'vitest';
import { MemoryDisk } from '../../io/storage/memory.ts';
import { Prng } from '../base/prng.ts';
import { frameEntries, JOURNAL_VERSION, readJournalSegment } from './journal-segment.ts';
import { TransactionJournal } from './transaction-journal.ts';

const entry = (n: number) => Uint8Array.of(n, n + 1, n + 2);

describe('transaction journal', () => {
  it('keeps what was added, and after compaction what is wanted', async () => {
    const disk = new MemoryDisk();
    const journal = new TransactionJournal(disk.log('journal'));
    await Promise.all([1, 2, 3].map((n) => journal.add(entry(n))));
    await journal.compact(() => [entry(2)]);
    await journal.add(entry(9));
    expect(new TransactionJournal(disk.log('journal')).entries()).toEqual([entry(2), entry(9)]);
    expect(disk.log('journal').segments().length).toBe(1);
  });

  it('shares one write and one sync among entries added together', async () => {
    const disk = new MemoryDisk();
    const journal = new TransactionJournal(disk.log('journal'));
    const before = disk.operations;
    await Promise.all([1, 2, 3, 4].map((n) => journal.add(entry(n))));
    expect(disk.operations - before).toBe(2);
  });

  it('loses no acknowledged entry in a crash at any boundary', async () => {
    for (let boundary = 0; boundary < 14; boundary++) {
      for (let seed = 0; seed < 8; seed++) {
        const disk = new MemoryDisk(new Prng(seed * 100 + boundary));
        disk.failAt(boundary, 'crash');
        const acknowledged = new Set<number>();
        try {
          const journal = new TransactionJournal(disk.log('journal'));
          for (let n = 0; n < 7; n++) {
            if (n === 4) await journal.compact(() => [...acknowledged].map(entry));
            await journal.add(entry(n));
            acknowledged.add(n);
          }
        } catch {
          // The simulated machine crashed.
        }
        disk.crash();
        const found = new TransactionJournal(disk.log('journal')).entries().map(([n]) => n);
        for (const n of acknowledged) expect(found).toContain(n);
      }
    }
  });

  async function written(count: number): Promise<MemoryDisk> {
    const disk = new MemoryDisk();
    const journal = new TransactionJournal(disk.log('journal'));
    for (let n = 0; n < count; n++) await journal.add(entry(n));
    return disk;
  }

  it('names a damaged entry, and keeps those behind it', async () => {
    const whole = (await written(5)).log('journal').open(0);
    const start = whole.size() - 5 * 11;
    for (let at = start; at < start + 11; at++) {
      const disk = await written(5);
      disk.flipByte('journal', 0, at + 11);
      const journal = new TransactionJournal(disk.log('journal'));
      expect(journal.entries()).toEqual([0, 2, 3, 4].map(entry));
      expect(journal.damage).toEqual([
        { segment: 0, from: start + 11, to: start + 22, isEnd: false },
      ]);
      await journal.compact(() => journal.entries());
      const after = new TransactionJournal(disk.log('journal'));
      expect([after.entries(), after.damage]).toEqual([journal.entries(), []]);
    }
  });

  it('finds entries of a file whose beginning is gone', async () => {
    const disk = await written(3);
    for (let at = 0; at < 20; at++) disk.flipByte('journal', 0, at);
    const journal = new TransactionJournal(disk.log('journal'));
    expect(journal.entries()).toEqual([0, 1, 2].map(entry));
    await journal.add(entry(7));
    expect(new TransactionJournal(disk.log('journal')).entries()).toEqual([0, 1, 2, 7].map(entry));
  });

  it('continues from a file without a version, as 0.1.0 wrote it, in one that has it', async () => {
    const disk = new MemoryDisk();
    disk
      .log('journal')
      .open(0)
      .append(frameEntries([entry(1), entry(2)]));
    const journal = new TransactionJournal(disk.log('journal'));
    await journal.add(entry(3));
    const { version } = readSegment(disk, 1);
    expect([readSegment(disk, 0).version, version]).toEqual([1, JOURNAL_VERSION]);
    expect(new TransactionJournal(disk.log('journal')).entries()).toEqual([1, 2, 3].map(entry));
  });

  it('refuses one that a newer program wrote, and leaves it as it is', () => {
    const disk = new MemoryDisk();
    const newer = new TextEncoder().encode(`quorate transaction journal ${JOURNAL_VERSION + 1}`);
    const file = disk.log('journal').open(0);
    file.append(frameEntries([newer, entry(1)]));
    const size = file.size();
    expect(() => new TransactionJournal(disk.log('journal'))).toThrow(
      'the transaction journal journal/000000.log was written by a newer Quorate: version 3, this one reads up to 2',
    );
    expect(file.size()).toBe(size);
  });
});

function readSegment(disk: MemoryDisk, segment: number) {
  const file = disk.log('journal').open(segment);
  return readJournalSegment(segment, file.read(0, file.size()));
}
