/**
 * The clock of a database server, for services that share its store: all use the same clock, even
 * if a machine's clock is wrong. It is read periodically; in between, a monotonic clock continues
 * it.
 */
import type { Clock, Log } from '../../core/base/ports.ts';
import { RepeatedTask } from '../host/repeated-task.ts';
import type { Query } from './database.ts';

const READ_EVERY_MS = 60_000;

export interface DatabaseClockParts {
  /** Runs a query in PostgreSQL. */
  readonly query: Query;
  readonly steady: Clock;
  readonly log: Log;
}

export class DatabaseClock implements Clock {
  private readonly parts: DatabaseClockParts;
  private readonly task: RepeatedTask;
  /** Milliseconds by which the server's clock is ahead of the steady clock. */
  private aheadMs = 0;

  constructor(parts: DatabaseClockParts) {
    this.parts = parts;
    this.task = new RepeatedTask({
      run: () => this.read(),
      pauseMs: READ_EVERY_MS,
      failed: (err) => parts.log('warn', 'The clock of the database is not read', { err }),
    });
  }

  /** Resolves when the clock has been read for the first time. */
  async start(): Promise<void> {
    await this.read();
    void this.task.wake();
  }

  stop(): Promise<void> {
    return this.task.stop();
  }

  nowMs(): number {
    return Math.round(this.parts.steady.nowMs() + this.aheadMs);
  }

  private async read(): Promise<undefined> {
    const { query, steady } = this.parts;
    const askedMs = steady.nowMs();
    const [row] = await query(
      'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now_ms',
    );
    // The server read its clock about halfway through the round trip.
    this.aheadMs = Number(row!.now_ms) - (askedMs + steady.nowMs()) / 2;
  }
}
