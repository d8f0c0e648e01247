/**
 * The time that validators agree by: the calendar's, but never behind what a quorum has already
 * decided. Otherwise, after the clock was set back, every validator would wait until it reaches the
 * last block's time again, perhaps for hours; a validator whose clock was wrong from the start
 * could not follow the others.
 */
import type { Clock } from '../base/ports.ts';
import type { ConsensusRules } from '../chain/rules.ts';

/** While this time is ahead of the calendar, it runs slower and makes up an hour within a day. */
const RATE_AHEAD = 0.95;

export class ChainTime implements Clock {
  private readonly calendar: Clock;
  private readonly steady: Clock;
  /** The time that decided blocks prove, and the reading of `steady` when they did. */
  private proven = { ms: Number.NEGATIVE_INFINITY, atMs: 0 };

  /** `steady` is a monotonic clock. */
  constructor(calendar: Clock, steady: Clock) {
    this.calendar = calendar;
    this.steady = steady;
  }

  nowMs(): number {
    return Math.max(this.calendar.nowMs(), this.provenMs());
  }

  /** How far the calendar is behind, in milliseconds. */
  leadMs(): number {
    return Math.max(0, this.provenMs() - this.calendar.nowMs());
  }

  /**
   * A quorum has decided a block with this timestamp. The timestamp may be ahead by as much as the
   * rules allow; that is subtracted, or proposers could push time ahead block by block.
   */
  decided(timestamp: bigint, { allowedFutureBlockSeconds }: ConsensusRules): void {
    const ms = (Number(timestamp) - allowedFutureBlockSeconds) * 1000;
    if (ms > this.provenMs()) this.proven = { ms, atMs: this.steady.nowMs() };
  }

  private provenMs(): number {
    const { ms, atMs } = this.proven;
    return ms + (this.steady.nowMs() - atMs) * RATE_AHEAD;
  }
}
