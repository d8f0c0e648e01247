/**
 * Selects the transactions for a block, in order. By default: local senders first, then by price,
 * then by arrival. `smallest`: the lowest gas limit first, which bounds the cost of a transaction,
 * then as by default.
 */
import { assert } from '../base/errors.ts';
import type { Transaction } from '../chain/transaction.ts';
import type { PoolEntry, SenderQueue } from './sender-queue.ts';

export type SelectionOrder = 'usual' | 'smallest';

interface Cursor {
  readonly entries: readonly PoolEntry[];
  readonly isLocal: boolean;
  at: number;
  /** Wei that the builder earns per gas. */
  tip: bigint;
  arrival: number;
  gasLimit: bigint;
}

/**
 * One iteration over a snapshot of the executable transactions. Nonces of a sender are in order.
 */
export class Selection {
  /** Binary heap of senders, best first. */
  private readonly heap: Cursor[] = [];
  private readonly baseFee: bigint;
  private readonly isBefore: (a: Cursor, b: Cursor) => boolean;

  constructor(queues: Iterable<SenderQueue>, baseFee: bigint, order: SelectionOrder = 'usual') {
    this.baseFee = baseFee;
    this.isBefore = order === 'usual' ? isBefore : isSmaller;
    for (const queue of queues) {
      if (queue.pending.length === 0) continue;
      const cursor = {
        entries: queue.pending.slice(),
        isLocal: queue.isLocal,
        at: 0,
        tip: 0n,
        arrival: 0,
        gasLimit: 0n,
      };
      if (this.load(cursor)) this.heap.push(cursor);
    }
    for (let i = (this.heap.length >> 1) - 1; i >= 0; i--) this.sink(i);
  }

  /**
   * The next transaction whose gas limit and bytes fit; senders whose next one does not fit are
   * dropped from this iteration.
   */
  next(gasLeft: bigint, bytesLeft = Number.POSITIVE_INFINITY): Transaction | undefined {
    while (this.heap.length > 0) {
      const best = this.heap[0]!;
      const { transaction } = best.entries[best.at]!;
      if (transaction.gasLimit > gasLeft || transaction.raw.length > bytesLeft) {
        this.removeBest();
        continue;
      }
      best.at++;
      if (this.load(best)) this.sink(0);
      else this.removeBest();
      return transaction;
    }
    return undefined;
  }

  /** Skips the remaining transactions of a sender after one that could not be executed. */
  leaveOut(transaction: Transaction): void {
    const nonce = Number(transaction.nonce);
    const found = this.heap.findIndex(({ entries }) => {
      const entry = entries[nonce - entries[0]!.nonce];
      return entry?.transaction === transaction;
    });
    if (found < 0) return;
    const last = this.heap.pop()!;
    if (found === this.heap.length) return;
    this.heap[found] = last;
    for (let i = (this.heap.length >> 1) - 1; i >= 0; i--) this.sink(i);
  }

  /** Prices the cursor's entry; false when there is none or it does not pay the base fee. */
  private load(cursor: Cursor): boolean {
    const { entries, at } = cursor;
    const entry = entries[at];
    if (!entry) return false;
    assert(entry.nonce === entries[0]!.nonce + at, 'executable nonces of a sender are consecutive');
    const { maxFeePerGas, maxPriorityFeePerGas } = entry.transaction;
    const margin = maxFeePerGas - this.baseFee;
    if (margin < 0n) return false;
    cursor.tip = margin;
    if (maxPriorityFeePerGas < margin) cursor.tip = maxPriorityFeePerGas;
    cursor.arrival = entry.arrival;
    cursor.gasLimit = entry.transaction.gasLimit;
    return true;
  }

  private removeBest(): void {
    const last = this.heap.pop()!;
    if (this.heap.length === 0) return;
    this.heap[0] = last;
    this.sink(0);
  }

  private sink(from: number): void {
    const { heap, isBefore } = this;
    const cursor = heap[from]!;
    let at = from;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++;
      if (!isBefore(heap[child]!, cursor)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = cursor;
  }
}

function isBefore(a: Cursor, b: Cursor): boolean {
  if (a.isLocal !== b.isLocal) return a.isLocal;
  if (a.tip !== b.tip) return a.tip > b.tip;
  return a.arrival < b.arrival;
}

function isSmaller(a: Cursor, b: Cursor): boolean {
  if (a.gasLimit !== b.gasLimit) return a.gasLimit < b.gasLimit;
  return isBefore(a, b);
}
