/** Ends orders whose time is over. */
import type { Clock, Log } from '../../../core/base/ports.ts';
import type { Database } from '../../../io/database/database.ts';
import { ledgerSeenMs, type Orders } from './orders.ts';

const BATCH = 100;
/** An order that goes on after its deadline, such as one under review, is looked at again after that. */
const AGAIN_MS = 60_000;

export class Deadlines {
  private readonly parts: {
    database: Database;
    orders: Orders;
    clock: Clock;
    log: Log;
    lookMs: number;
  };
  private timer: NodeJS.Timeout | undefined;
  private working: Promise<void> | undefined;
  private isStopped = false;

  constructor(parts: {
    database: Database;
    orders: Orders;
    clock: Clock;
    log: Log;
    lookMs: number;
  }) {
    this.parts = parts;
  }

  start(): void {
    const { log, lookMs } = this.parts;
    this.working = this.look()
      .catch((error: Error) => log('error', 'Deadlines are not looked at', { err: error.message }))
      .finally(() => {
        if (this.isStopped) return;
        this.timer = setTimeout(() => this.start(), lookMs);
        this.timer.unref();
      });
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.working;
  }

  private async look(): Promise<void> {
    const { database, orders, clock } = this.parts;
    const nowMs = clock.nowMs();
    const seenMs = await ledgerSeenMs(database.query, nowMs);
    const rows = await database.query(
      `SELECT id FROM ramp_order WHERE due_at < $1 AND (side = 'buy' OR due_at < $2) ORDER BY due_at LIMIT $3`,
      [nowMs, seenMs, BATCH],
    );
    for (const { id } of rows) {
      if (this.isStopped) return;
      await orders.take(String(id), async () => ({ kind: 'tick' }));
      await database.query('UPDATE ramp_order SET due_at = $2 WHERE id = $1 AND due_at < $3', [
        String(id),
        nowMs + AGAIN_MS,
        nowMs,
      ]);
    }
  }
}
