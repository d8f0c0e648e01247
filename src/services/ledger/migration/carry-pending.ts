/**
 * Copies local transactions of GoQuorum that are in no block yet from its journal into ours, so
 * that the node keeps sending them.
 */
import { keyOf } from '../../../core/base/bytes.ts';
import type { ChainReader } from '../../../core/store/interface.ts';
import { TransactionJournal } from '../../../core/store/transaction-journal.ts';
import { journaledTransactions } from '../../../io/geth/pending-transactions.ts';
import type { DataFolder } from '../../../io/storage/data-folder.ts';
import type { GethSource } from './source.ts';

/** Number of transactions written together. */
const BATCH = 1_000;

export interface CarriedPending {
  /** Number of transactions that are in no block yet. */
  readonly waiting: number;
  /** Number of transactions in the journal that are already in a block. */
  readonly mined: number;
  /** Position of the first unreadable byte of the journal; undefined: the journal is complete. */
  readonly damagedAt: number | undefined;
}

/**
 * Resolves with undefined if there is no journal. Rejects with STORE_… and the errors of the disk.
 */
export async function carryPending(
  { pending }: GethSource,
  folder: DataFolder,
  chain: ChainReader,
): Promise<CarriedPending | undefined> {
  if (pending === undefined) return undefined;
  const journal = new TransactionJournal(folder.journal);
  const known = new Set<string>();
  try {
    // These entries are from an interrupted run of this migration: the target was never started.
    if (journal.entries().length > 0) await journal.compact(() => []);
    const read = journaledTransactions(pending);
    let batch: Promise<void>[] = [];
    let mined = 0;
    for (;;) {
      const { done, value } = read.next();
      if (done) {
        await Promise.all(batch);
        return { waiting: known.size, mined, damagedAt: value.damagedAt };
      }
      const key = keyOf(value.hash);
      if (known.has(key)) continue;
      if (chain.transactionByHash(value.hash)) {
        mined++;
        continue;
      }
      known.add(key);
      batch.push(journal.add(value.raw.slice()));
      if (batch.length < BATCH) continue;
      await Promise.all(batch);
      batch = [];
    }
  } finally {
    await journal.close();
  }
}
