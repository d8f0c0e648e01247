/** CPU time that work may take: counted while it runs, and not while others have the thread. */
import type { Pace } from '../../../../core/base/pace.ts';
import type { Effort, Stopwatch } from '../../../../core/base/ports.ts';

export class Budget {
  private readonly effort: Effort;
  private watch: Stopwatch;
  private slice: Pace;
  /** Of turns that are over. */
  private pastMs = 0;
  private pastElapsedMs = 0;
  /** CPU time at which the pace says stop. */
  limitMs: number;
  /** As `limitMs`, of time that passed in its turns. */
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

  /** The thread goes to others: call `resume` when it is back. */
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
    // CPU time is never more than what has passed, and asking for it costs more.
    if (elapsedMs < this.limitMs) return false;
    return elapsedMs >= this.patienceMs || this.usedMs() >= this.limitMs;
  }

  usedMs(): number {
    return this.pastMs + this.watch.cpuMs();
  }

  /** Including what others on the machine took of its turns: at least `usedMs`. */
  elapsedMs(): number {
    return this.pastElapsedMs + this.watch.elapsedMs();
  }
}
