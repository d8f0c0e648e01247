/** The transactions of a pool by hash, and how much space they use. */
import type { PoolEntry, SenderQueue } from './sender-queue.ts';

/** Bytes per slot of the pool (go-ethereum core/tx_pool.go). */
const SLOT_BYTES = 32 * 1024;

export class PoolEntries {
  /** In slots of `SLOT_BYTES`. */
  slots = 0;
  /** Number of transactions of local senders. */
  locals = 0;
  private readonly byKey = new Map<string, PoolEntry>();

  get size(): number {
    return this.byKey.size;
  }

  has(key: string): boolean {
    return this.byKey.has(key);
  }

  get(key: string): PoolEntry | undefined {
    return this.byKey.get(key);
  }

  values(): IterableIterator<PoolEntry> {
    return this.byKey.values();
  }

  add(entry: PoolEntry): void {
    this.byKey.set(entry.key, entry);
    this.count(entry, 1);
  }

  delete(entry: PoolEntry): void {
    if (this.byKey.delete(entry.key)) this.count(entry, -1);
  }

  /** A sender has become local: counts its transactions as local. */
  becameLocal({ size }: SenderQueue): void {
    this.locals += size;
  }

  private count({ transaction, queue }: PoolEntry, sign: 1 | -1): void {
    this.slots += sign * Math.ceil(transaction.raw.length / SLOT_BYTES);
    if (queue.isLocal) this.locals += sign;
  }
}
