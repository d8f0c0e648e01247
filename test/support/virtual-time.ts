/**
 * A clock that jumps: timers fire in order as soon as nothing else is left to do, so a network runs
 * years in seconds.
 */
import type { Clock, Timers } from '../../src/core/base/ports.ts';

interface Waiting {
  readonly dueMs: number;
  readonly order: number;
  readonly fire: () => void;
}

/** Turns of the event loop that promises may need before time moves on. */
const QUIET_TURNS = 4;

export class VirtualTime implements Clock, Timers {
  private now: number;
  private order = 0;
  private readonly waiting = new Set<Waiting>();
  private busy = 0;
  private readonly earlyOneOf: number;

  /**
   * One in `earlyOneOf` timers fires a millisecond early, as the operating system's timers
   * sometimes do.
   */
  constructor(startMs: number, earlyOneOf: number = Number.POSITIVE_INFINITY) {
    this.now = startMs;
    this.earlyOneOf = earlyOneOf;
  }

  nowMs(): number {
    return this.now;
  }

  set(delayMs: number, fire: () => void): { cancel(): void } {
    const entry: Waiting = { dueMs: this.now + Math.max(0, delayMs), order: this.order++, fire };
    this.waiting.add(entry);
    return { cancel: () => void this.waiting.delete(entry) };
  }

  yield(next: () => void): void {
    this.busy++;
    setImmediate(() => {
      this.busy--;
      next();
    });
  }

  /**
   * Something outside the timers happens in a later turn of the event loop, such as the arrival of
   * a message.
   */
  soon(deliver: () => void): void {
    this.yield(deliver);
  }

  /** Lets time pass until `isDone`; throws after `limitMs` of virtual time. */
  async until(isDone: () => boolean, limitMs: number, what: string): Promise<void> {
    const deadline = this.now + limitMs;
    while (!isDone()) {
      await this.settle();
      if (isDone()) return;
      const next = this.earliest();
      if (!next || next.dueMs > deadline) throw new Error(`not within ${limitMs} ms: ${what}`);
      this.waiting.delete(next);
      this.now = Math.max(
        this.now,
        next.dueMs - ((next.order + 1) % this.earlyOneOf === 0 ? 1 : 0),
      );
      next.fire();
    }
  }

  /** Lets `ms` of virtual time pass. */
  async pass(ms: number): Promise<void> {
    let isOver = false;
    this.set(ms, () => {
      isOver = true;
    });
    await this.until(() => isOver, ms + 1, 'time passes');
  }

  private async settle(): Promise<void> {
    for (let quiet = 0; quiet < QUIET_TURNS; ) {
      const before = this.busy;
      await new Promise((resolve) => setImmediate(resolve));
      quiet = before === 0 && this.busy === 0 ? quiet + 1 : 0;
    }
  }

  private earliest(): Waiting | undefined {
    let best: Waiting | undefined;
    for (const each of this.waiting) {
      if (
        !best ||
        each.dueMs < best.dueMs ||
        (each.dueMs === best.dueMs && each.order < best.order)
      )
        best = each;
    }
    return best;
  }
}
