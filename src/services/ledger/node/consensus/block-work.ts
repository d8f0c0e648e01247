/**
 * Blocks that are built or checked now. While they take long, other work leaves them the thread.
 */
import type { Clock, Timer, Timers } from '../../../../core/base/ports.ts';

/** Most blocks take less. */
const LONG_MS = 250;
const WAIT_MAX_MS = 1_000;
/** What continues in one turn of the event loop: a request's batch together, but few large ones. */
const TURN_MAX = 64;
const TURN_BYTES_MAX = 256 * 1024;

interface Waiting {
  readonly bytes: number;
  resume(): void;
}

export class BlockWork {
  private readonly clock: Clock;
  private readonly timers: Timers;
  private count = 0;
  private sinceMs = 0;
  private readonly waiting: Waiting[] = [];
  private patience: Timer | undefined;
  private isReleasing = false;

  constructor(clock: Clock, timers: Timers) {
    this.clock = clock;
    this.timers = timers;
  }

  get isAtWork(): boolean {
    return this.count > 0;
  }

  /** Builds or checks a block. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    if (this.count++ === 0) this.sinceMs = this.clock.nowMs();
    try {
      return await work();
    } finally {
      if (--this.count === 0) this.release();
    }
  }

  /**
   * Resolves, in order of the calls, when no block takes long, after a second at most; undefined:
   * nothing to wait for. `bytes`: what is to be done then.
   */
  calm(bytes: number): Promise<void> | undefined {
    if (this.waiting.length === 0 && !this.isLong()) return undefined;
    this.boundWait();
    return new Promise((resume) => this.waiting.push({ bytes, resume }));
  }

  private isLong(): boolean {
    return this.count > 0 && this.clock.nowMs() - this.sinceMs >= LONG_MS;
  }

  private boundWait(): void {
    this.patience ??= this.timers.set(WAIT_MAX_MS, () => this.release());
  }

  private release(): void {
    this.patience?.cancel();
    this.patience = undefined;
    if (this.isReleasing) return;
    this.isReleasing = true;
    this.releaseSome(this.waiting.length);
  }

  /** How many of those that wait continue in this turn. */
  private turn(countMax: number): number {
    let count = 0;
    let bytes = 0;
    while (count < Math.min(countMax, TURN_MAX) && bytes < TURN_BYTES_MAX)
      bytes += this.waiting[count++]?.bytes ?? 0;
    return count;
  }

  /** While no block takes long, those that came meanwhile continue too. */
  private releaseSome(count: number): void {
    const turn = this.turn(count);
    for (const { resume } of this.waiting.splice(0, turn)) resume();
    const left = this.isLong() ? count - turn : this.waiting.length;
    if (left > 0 && this.waiting.length > 0) {
      this.timers.yield(() => this.releaseSome(left));
      return;
    }
    this.isReleasing = false;
    if (this.waiting.length > 0) this.boundWait();
  }
}
