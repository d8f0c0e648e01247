/** Ends orders after their deadline. */
import type { Clock, Log } from '../../../core/base/ports.ts';
import type { Database } from '../../../io/database/database.ts';
import { RepeatedTask } from '../../../io/host/repeated-task.ts';
import { ledgerSeenMs, type Orders } from './orders.ts';

const BATCH = 100;
/**
 * Delay before an order that continues after its deadline, such as one under review, is checked
 * again.
 */
const AGAIN_MS = 60_000;

export interface DeadlinesParts {
  readonly database: Database;
  readonly orders: Orders;
  readonly clock: Clock;
  readonly log: Log;
  readonly lookMs: number;
}

export class Deadlines {
  private readonly parts: DeadlinesParts;
  private readonly task: RepeatedTask;

  constructor(parts: DeadlinesParts) {
    this.parts = parts;
    this.task = new RepeatedTask({
      run: () => this.look(),
      pauseMs: parts.lookMs,
      failed: (err) => parts.log('error', 'Deadlines cannot be checked', { err }),
    });
  }

  start(): void {
    void this.task.wake();
  }

  stop(): Promise<void> {
    return this.task.stop();
  }

  private async look(): Promise<undefined> {
    const { database, orders, clock } = this.parts;
    const nowMs = clock.nowMs();
    const seenMs = await ledgerSeenMs(database.query, nowMs);
    const rows = await database.query(
      `SELECT id FROM ramp_order WHERE due_at < $1 AND (side = 'buy' OR due_at < $2) ORDER BY due_at LIMIT $3`,
      [nowMs, seenMs, BATCH],
    );
    for (const { id } of rows) {
      if (this.task.isStopped) return;
      await orders.take(String(id), async () => ({ kind: 'tick' }));
      await database.query('UPDATE ramp_order SET due_at = $2 WHERE id = $1 AND due_at < $3', [
        String(id),
        nowMs + AGAIN_MS,
        nowMs,
      ]);
    }
  }
}
