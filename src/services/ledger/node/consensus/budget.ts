/** CPU time budget of work: counted while it runs, not while other work uses the thread. */
import type { Pace } from '../../../../core/base/pace.ts';
import type { Effort, Stopwatch } from '../../../../core/base/ports.ts';

export class Budget {
  private readonly effort: Effort;
  private watch: Stopwatch;
  private slice: Pace;
  /** Time used in earlier turns of the event loop. */
  private pastMs = 0;
  private pastElapsedMs = 0;
  /** CPU time after which the work must stop. */
  limitMs: number;
  /** Like `limitMs`, for elapsed time instead of CPU time. */
  patienceMs: number;

  constructor(effort: Effort, limitMs: number, patienceMs: number = Number.POSITIVE_INFINITY) {
    this.effort = effort;
    this.limitMs = limitMs;
    this.patienceMs = patienceMs;
    this.watch = effort.stopwatch();
    this.slice = effort.slice();
  }

  readonly pace: Pace = (gas) => {
    const verdict = this.slice(gas);
    return this.isSpent() ? 'stop' : verdict;
  };

  /** Counts `ms` as if the work had taken them. */
  charge(ms: number): void {
    this.pastMs += ms;
    this.pastElapsedMs += ms;
  }

  /** Ends the turn, so that other work can use the thread; call `resume` at the next turn. */
  suspend(): void {
    this.pastMs += this.watch.cpuMs();
    this.pastElapsedMs += this.watch.elapsedMs();
  }

  resume(): void {
    this.watch = this.effort.stopwatch();
    this.slice = this.effort.slice();
  }

  isSpent(): boolean {
    const elapsedMs = this.elapsedMs();
    // CPU time never exceeds elapsed time, and querying it is more expensive.
    if (elapsedMs < this.limitMs) return false;
    return elapsedMs >= this.patienceMs || this.usedMs() >= this.limitMs;
  }

  usedMs(): number {
    return this.pastMs + this.watch.cpuMs();
  }

  /** Elapsed time of its turns, which includes other processes: at least `usedMs`. */
  elapsedMs(): number {
    return this.pastElapsedMs + this.watch.elapsedMs();
  }
}
