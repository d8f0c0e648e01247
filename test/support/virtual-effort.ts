/** The processor of one virtual node: execution takes virtual time in proportion to gas. */
import type { Pace } from '../../src/core/base/pace.ts';
import type { Effort, Stopwatch, Timers } from '../../src/core/base/ports.ts';
import type { VirtualTime } from './virtual-time.ts';

/**
 * A slice of work per turn of the event loop; when gas takes no time, a slice still ends by gas.
 */
const SLICE_MS = 5;
const SLICE_GAS = 2_000_000;

export class VirtualEffort implements Effort, Timers {
  private readonly time: VirtualTime;
  private readonly nanosecondsPerGas: number;
  private workedMs = 0;
  /** Time of work done that has not passed yet. */
  private owedMs = 0;

  /** The share of processor time that the thread gets. */
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

  /** Measures its working time. */
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
