/** The processor of one virtual node: execution takes virtual time, so much for each gas. */
import type { Pace } from '../../src/core/base/pace.ts';
import type { Effort, Stopwatch, Timers } from '../../src/core/base/ports.ts';
import type { VirtualTime } from './virtual-time.ts';

/** A turn of the event loop; without a cost of gas, turns end by gas all the same. */
const SLICE_MS = 5;
const SLICE_GAS = 2_000_000;

export class VirtualEffort implements Effort, Timers {
  private readonly time: VirtualTime;
  private readonly nanosecondsPerGas: number;
  private workedMs = 0;
  /** Worked, and not waited for yet. */
  private owedMs = 0;

  /** Of a second that passes, what the thread has of its processor. */
  private readonly share: number;

  constructor(time: VirtualTime, nanosecondsPerGas = 0, share = 1) {
    this.time = time;
    this.nanosecondsPerGas = nanosecondsPerGas;
    this.share = share;
  }

  slice(): Pace {
    const endMs = this.workedMs + SLICE_MS;
    let spent = 0;
    return (gas) => {
      const ms = (gas * this.nanosecondsPerGas) / 1e6 / this.share;
      spent += gas;
      this.workedMs += ms;
      this.owedMs += ms;
      return this.workedMs < endMs && spent < SLICE_GAS ? 'go' : 'pause';
    };
  }

  /** What it worked. */
  stopwatch(): Stopwatch {
    const startMs = this.workedMs;
    const workedMs = () => this.workedMs - startMs;
    return { elapsedMs: workedMs, cpuMs: () => workedMs() * this.share };
  }

  set(delayMs: number, fire: () => void): { cancel(): void } {
    return this.time.set(delayMs, fire);
  }

  yield(next: () => void): void {
    const owed = Math.floor(this.owedMs);
    this.owedMs -= owed;
    if (owed > 0) this.time.set(owed, next);
    else this.time.yield(next);
  }
}
