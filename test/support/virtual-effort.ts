/** The processor of one virtual node: execution takes virtual time, so much for each gas. */
import type { Pace } from '../../src/core/base/pace.ts';
import type { Effort, Timers } from '../../src/core/ports.ts';
import type { VirtualTime } from './virtual-time.ts';

/** A turn of the event loop; without a cost of gas, turns end by gas all the same. */
const SLICE_MS = 5;
const SLICE_GAS = 2_000_000;

export class VirtualEffort implements Effort, Timers {
  private readonly time: VirtualTime;
  private readonly nanosecondsAGas: number;
  /** Worked, and not waited for yet. */
  private owedMs = 0;

  constructor(time: VirtualTime, nanosecondsAGas = 0) {
    this.time = time;
    this.nanosecondsAGas = nanosecondsAGas;
  }

  slice(): Pace {
    let workedMs = 0;
    let spent = 0;
    return (gas) => {
      const ms = (gas * this.nanosecondsAGas) / 1e6;
      workedMs += ms;
      spent += gas;
      this.owedMs += ms;
      return workedMs < SLICE_MS && spent < SLICE_GAS ? 'go' : 'pause';
    };
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
