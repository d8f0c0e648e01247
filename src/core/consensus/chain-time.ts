/**
 * The time by which validators agree: the calendar's, but never behind what a quorum has decided
 * already. If a clock were set back, every validator would wait until it has caught up with the
 * last block, perhaps for hours; a clock that is wrong from the start could not follow the others.
 */
import type { Clock } from '../base/ports.ts';
import type { ConsensusRules } from '../chain/rules.ts';

/** While it is ahead of the calendar it runs slower and makes up an hour within a day. */
const RATE_AHEAD = 0.95;

export class ChainTime implements Clock {
  private readonly calendar: Clock;
  private readonly steady: Clock;
  /** The time that blocks prove, and when they did, by `steady`. */
  private proven = { ms: Number.NEGATIVE_INFINITY, atMs: 0 };

  /** `steady` is a monotonic clock. */
  constructor(calendar: Clock, steady: Clock) {
    this.calendar = calendar;
    this.steady = steady;
  }

  nowMs(): number {
    return Math.max(this.calendar.nowMs(), this.provenMs());
  }

  /** How far the calendar is behind. */
  leadMs(): number {
    return Math.max(0, this.provenMs() - this.calendar.nowMs());
  }

  /**
   * A quorum has decided a block with this timestamp. It may be early by as much as the rules
   * allow; that is subtracted, or proposers could push time ahead block by block.
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
