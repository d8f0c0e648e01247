/**
 * Transactions from peers, to be announced to others: soon to those that may lack them, and only
 * after a while to those to whom the sender says that it is connected, because it has sent them
 * there itself. Otherwise n nodes that are all connected would announce each transaction about
 * n² / 2 times.
 */
import type { PeerId } from '../base/ports.ts';
import type { GossipTransaction } from './gossip-types.ts';

/**
 * At most this size waits because others should have sent it; the rest is announced at once.
 */
const WAITING_BYTES_MAX = 16 * 1024 * 1024;
/** Overhead of a waiting transaction beyond its bytes. */
const WAITING_OVERHEAD_BYTES = 512;

export interface PassedOn {
  readonly transaction: GossipTransaction;
  readonly key: string;
  /** The peer that sent it here. */
  readonly source: PeerId;
}

interface Waiting {
  readonly items: PassedOn[];
  bytes: number;
}

export class PassedOnTransactions {
  private batch: PassedOn[] = [];
  private batchBytes = 0;
  /** Two generations, so that each item waits for at least one interval. */
  private newer: Waiting = { items: [], bytes: 0 };
  private older: Waiting = { items: [], bytes: 0 };

  /** Returns the size of the batch. */
  add(item: PassedOn): number {
    this.batchBytes += bytesOf(item);
    return this.batch.push(item);
  }

  /** The batch that is now announced; `mayWait`: to some peers later, with `wait`. */
  takeBatch(): { readonly batch: readonly PassedOn[]; readonly mayWait: boolean } {
    const { batch, batchBytes } = this;
    this.batch = [];
    this.batchBytes = 0;
    const mayWait = this.newer.bytes + this.older.bytes + batchBytes <= WAITING_BYTES_MAX;
    return { batch, mayWait };
  }

  /** Returns whether these are the first that wait. */
  wait(items: ReadonlySet<PassedOn>): boolean {
    const isFirst = this.newer.items.length + this.older.items.length === 0 && items.size > 0;
    for (const item of items) {
      this.newer.items.push(item);
      this.newer.bytes += bytesOf(item);
    }
    return isFirst;
  }

  /** Those that have waited for an interval; `isMore`: others still wait. */
  takeOverdue(): { readonly overdue: readonly PassedOn[]; readonly isMore: boolean } {
    const { items: overdue } = this.older;
    this.older = this.newer;
    this.newer = { items: [], bytes: 0 };
    return { overdue, isMore: this.older.items.length > 0 };
  }
}

function bytesOf({ transaction }: PassedOn): number {
  return transaction.raw.length + WAITING_OVERHEAD_BYTES;
}
