/**
 * Logs the progress of long work every few seconds: how much is done, its rate, and how long the
 * rest will take at that rate.
 */
import type { Clock, Log } from '../../core/base/ports.ts';
import { timeLeft } from './time-left.ts';

const INTERVAL_MS = 5_000;

export class Progress {
  private readonly clock: Clock;
  private readonly log: Log;
  private startMs: number;
  private nextMs: number;

  constructor(clock: Clock, log: Log) {
    this.clock = clock;
    this.log = log;
    this.startMs = clock.nowMs();
    this.nextMs = this.startMs + INTERVAL_MS;
  }

  /** Starts a new step, with its own rate. */
  begin(): void {
    this.startMs = this.clock.nowMs();
  }

  /** `part`: how much of the work that was left when the step began is done, 0 to 1. */
  tell(what: string, part: number, fields: () => Readonly<Record<string, unknown>>): void {
    const nowMs = this.clock.nowMs();
    if (nowMs < this.nextMs) return;
    this.nextMs = nowMs + INTERVAL_MS;
    const left = timeLeft(nowMs - this.startMs, part);
    this.log('info', what, { ...fields(), done: `${(100 * part).toFixed(1)} %`, left });
  }

  perSecond(count: number): number {
    return Math.round((count * 1_000) / Math.max(this.clock.nowMs() - this.startMs, 1));
  }
}
