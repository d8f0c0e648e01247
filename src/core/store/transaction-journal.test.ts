import { describe, expect, it } from 'vitest';
import { MemoryDisk } from '../../io/storage/memory.ts';
import { Prng } from '../base/prng.ts';
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
          // The machine went down.
        }
        disk.crash();
        const found = new TransactionJournal(disk.log('journal')).entries().map(([n]) => n);
        for (const n of acknowledged) expect(found).toContain(n);
      }
    }
  });
});
