/**
 * When this machine had no processor for this process: a height that waited meanwhile says nothing
 * about the network.
 */

const TICK_MS = 100;
/** Later than this is held up: the work of this process itself is far shorter. */
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

  /** Whether it was at any time between. */
  between(fromMs: number, toMs: number): boolean {
    return this.moments.some((moment) => moment.fromMs < toMs && fromMs < moment.toMs);
  }

  end(): void {
    clearInterval(this.timer);
  }
}
