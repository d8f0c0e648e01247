/**
 * Recovers senders of new transactions on another thread while one has time: those of one turn of
 * the event loop together.
 */
import type { SpareRecovery } from '../../../../core/base/ports.ts';
import { recoverElsewhere } from '../../../../core/chain/sender-recovery.ts';
import type { Transaction } from '../../../../core/chain/transaction.ts';

/** With fewer, the round trip to the thread costs more than it saves. */
const TOGETHER_MIN = 16;
/** About 5 ms of the thread's time. */
const TOGETHER_MAX = 100;

export class EarlyRecovery {
  private readonly spare: SpareRecovery | undefined;
  private gathered: Transaction[] = [];
  private next: Promise<void> | undefined;

  constructor(spare: SpareRecovery | undefined) {
    this.spare = spare;
  }

  /** Resolves when the sender is known, or is to be recovered here; undefined: at once. */
  one(transaction: Transaction): Promise<void> | undefined {
    if (!this.spare?.isSpare) return undefined;
    const { gathered } = this;
    this.next ??= Promise.resolve().then(() => this.flush(gathered));
    const { next } = this;
    if (gathered.push(transaction) === TOGETHER_MAX) this.beginBatch();
    return next;
  }

  /** The same for several. */
  many(transactions: readonly Transaction[]): Promise<void> | undefined {
    const isLarge = transactions.length >= TOGETHER_MIN;
    return isLarge && this.spare?.isSpare ? this.recover(transactions) : undefined;
  }

  private beginBatch(): void {
    this.gathered = [];
    this.next = undefined;
  }

  private async flush(gathered: readonly Transaction[]): Promise<void> {
    if (gathered === this.gathered) this.beginBatch();
    if (gathered.length >= TOGETHER_MIN) await this.recover(gathered);
  }

  private async recover(transactions: readonly Transaction[]): Promise<void> {
    try {
      await recoverElsewhere(transactions, this.spare!);
    } catch {
      // The thread has ended: reading `sender` recovers it here.
    }
  }
}
