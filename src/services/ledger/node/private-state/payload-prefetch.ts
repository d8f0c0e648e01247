/**
 * Payloads of transactions that have come to the pool are fetched together: the manager answers one
 * request for many in a fraction of the time of many requests. A block that contains a transaction
 * meanwhile asks for its payload at once.
 */
import type { Timer, Timers } from '../../../../core/base/ports.ts';
import type { Transaction } from '../../../../core/chain/transaction.ts';

const GATHERING_MS = 100;
/** As many as the manager is asked for in one request. */
const TRANSACTIONS_MAX = 256;

export class PayloadPrefetch {
  private readonly timers: Timers;
  private readonly fetch: (transactions: readonly Transaction[]) => void;
  private waiting: Transaction[] = [];
  private timer: Timer | undefined;

  constructor(timers: Timers, fetch: (transactions: readonly Transaction[]) => void) {
    this.timers = timers;
    this.fetch = fetch;
  }

  add(transactions: readonly Transaction[]): void {
    for (const transaction of transactions) {
      this.waiting.push(transaction);
      if (this.waiting.length >= TRANSACTIONS_MAX) this.leave();
    }
    if (this.waiting.length > 0) this.timer ??= this.timers.set(GATHERING_MS, () => this.leave());
  }

  stop(): void {
    this.timer?.cancel();
    this.timer = undefined;
    this.waiting = [];
  }

  private leave(): void {
    const transactions = this.waiting;
    this.stop();
    this.fetch(transactions);
  }
}
