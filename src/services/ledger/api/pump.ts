/**
 * Work for many listeners, such as notifications, done in slices so that other work gets its
 * turn.
 */

const SLICE_MS = 5;

/** Does one piece of the work; returns true if there is more. */
export type Step = () => boolean;

export class Pump {
  private readonly due = new Set<Step>();
  private readonly nowMs: () => number;
  private isSet = false;

  constructor(nowMs: () => number = () => performance.now()) {
    this.nowMs = nowMs;
  }

  /** Schedules the step: there may be work for it. */
  wake(step: Step): void {
    this.due.add(step);
    if (this.isSet) return;
    this.isSet = true;
    setImmediate(() => this.run());
  }

  drop(step: Step): void {
    this.due.delete(step);
  }

  private run(): void {
    this.isSet = false;
    const endMs = this.nowMs() + SLICE_MS;
    for (const step of this.due) {
      // Moved to the end of the queue, so that the other steps have their turn first.
      this.due.delete(step);
      if (step()) this.due.add(step);
      if (this.nowMs() >= endMs) break;
    }
    const [next] = this.due;
    if (next) this.wake(next);
  }
}

/** The pump of all subscriptions in this process. */
export const notices: Pump = new Pump();
