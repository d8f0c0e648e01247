/**
 * Detects when this process got no CPU time: a height that took long meanwhile says nothing about
 * the network.
 */

const TICK_MS = 100;
/**
 * A timer that fires later than this was delayed by the machine: this process itself works for far
 * shorter times.
 */
const LATE_MS = 300;

export class HeldUp {
  private readonly moments: { readonly fromMs: number; readonly toMs: number }[] = [];
  private readonly timer: NodeJS.Timeout;
  private beforeMs = Date.now();

  constructor() {
    this.timer = setInterval(() => {
      const nowMs = Date.now();
      if (nowMs - this.beforeMs > TICK_MS + LATE_MS)
        this.moments.push({ fromMs: this.beforeMs, toMs: nowMs });
      this.beforeMs = nowMs;
    }, TICK_MS);
  }

  /** Whether there was a delay in this time. */
  between(fromMs: number, toMs: number): boolean {
    return this.moments.some((moment) => moment.fromMs < toMs && fromMs < moment.toMs);
  }

  end(): void {
    clearInterval(this.timer);
  }
}
