/** CPU time budget of work: counted while it runs, not while others use the thread. */
import type { Pace } from '../../../../core/base/pace.ts';
import type { Effort, Stopwatch } from '../../../../core/base/ports.ts';

export class Budget {
  private readonly effort: Effort;
  private watch: Stopwatch;
  private slice: Pace;
  /** Used in finished turns. */
  private pastMs = 0;
  private pastElapsedMs = 0;
  /** CPU time at which the pace answers stop. */
  limitMs: number;
  /** Like `limitMs`, for elapsed time in its turns. */
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

  /** Yields the thread to others: call `resume` when it is back. */
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
    // CPU time never exceeds elapsed time, and reading it is more expensive.
    if (elapsedMs < this.limitMs) return false;
    return elapsedMs >= this.patienceMs || this.usedMs() >= this.limitMs;
  }

  usedMs(): number {
    return this.pastMs + this.watch.cpuMs();
  }

  /** Elapsed time of its turns, including other processes: at least `usedMs`. */
  elapsedMs(): number {
    return this.pastElapsedMs + this.watch.elapsedMs();
  }
}
