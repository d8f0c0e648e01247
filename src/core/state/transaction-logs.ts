/** Logs of one transaction, by frames; they are read only when a receipt needs them. */
import type { Log } from '../chain/receipt.ts';

export class TransactionLogs {
  private frames: (() => Iterable<Log>)[] = [];

  add(read: () => Iterable<Log>): void {
    this.frames.push(read);
  }

  removeLast(): void {
    this.frames.pop();
  }

  clear(): void {
    this.frames = [];
  }

  all(): readonly Log[] {
    return [...this.each()];
  }

  /** Like `all`; undefined: there are more than `max`. */
  few(max: number): readonly Log[] | undefined {
    if (this.frames.length === 0) return [];
    const logs: Log[] = [];
    for (const log of this.each()) {
      if (logs.length === max) return undefined;
      logs.push(log);
    }
    return logs;
  }

  *each(): Generator<Log> {
    for (const read of this.frames) yield* read();
  }
}
