/** A service's repeated work: one run at a time, with a pause after each. */

export interface RepeatedTaskParts {
  /** Resolves with the milliseconds to pause before the next run; undefined: `pauseMs`. */
  readonly run: () => Promise<number | undefined>;
  readonly pauseMs: number;
  /** Called when a run fails, unless the previous run failed for the same reason. */
  readonly failed: (reason: string) => void;
}

/** States: waiting (a timer is set) -> running -> waiting ... -> stopped, permanently. */
export class RepeatedTask {
  private readonly parts: RepeatedTaskParts;
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  private isAskedAgain = false;
  private hasStopped = false;
  private lastReason: string | undefined;

  constructor(parts: RepeatedTaskParts) {
    this.parts = parts;
  }

  /** A run checks this between two steps, so that `stop` does not wait for all of them. */
  get isStopped(): boolean {
    return this.hasStopped;
  }

  /**
   * Starts a run now, or one more as soon as the current run has ended. Resolves when that run has
   * ended.
   */
  wake(): Promise<void> {
    if (this.running) {
      this.isAskedAgain = true;
      return this.running;
    }
    if (this.hasStopped) return Promise.resolve();
    clearTimeout(this.timer);
    this.running = this.runOnce().then((pauseMs) => {
      this.running = undefined;
      if (this.hasStopped) return;
      this.timer = setTimeout(() => void this.wake(), pauseMs);
      this.timer.unref();
    });
    return this.running;
  }

  /** Resolves when no run is in progress and none will follow. */
  async stop(): Promise<void> {
    this.hasStopped = true;
    clearTimeout(this.timer);
    await this.running;
  }

  /**
   * Runs once; resolves with the milliseconds to pause. After a failure never 0, so that a fault
   * does not use up a core.
   */
  private async runOnce(): Promise<number> {
    const { run, pauseMs, failed } = this.parts;
    this.isAskedAgain = false;
    try {
      const wantedMs = await run();
      this.lastReason = undefined;
      return this.isAskedAgain ? 0 : (wantedMs ?? pauseMs);
    } catch (error) {
      const reason = (error as Error).message;
      if (reason !== this.lastReason && !this.hasStopped) failed(reason);
      this.lastReason = reason;
      return pauseMs;
    }
  }
}
