/** Exact count of recent signatures: a sliding window. */

/** Most signatures in a window; more are refused, whatever the policy's limits. */
const ENTRIES_MAX = 100_000;

interface Entry {
  readonly atMs: number;
  readonly value: bigint;
}

export class RateWindow {
  private readonly windowMs: number;
  /** In order of time; entries before index `first` have expired. */
  private entries: Entry[] = [];
  private first = 0;
  private sum = 0n;

  constructor(windowMs: number) {
    this.windowMs = windowMs;
  }

  /** Totals of the window including one more entry of `value`. */
  with(nowMs: number, value: bigint): { readonly count: number; readonly value: bigint } {
    this.forget(nowMs);
    const held = this.entries.length - this.first;
    return { count: held >= ENTRIES_MAX ? Infinity : held + 1, value: this.sum + value };
  }

  add(nowMs: number, value: bigint): void {
    this.entries.push({ atMs: nowMs, value });
    this.sum += value;
  }

  private forget(nowMs: number): void {
    const { entries } = this;
    // Stops at the first entry that is valid: if the clock was set back, nothing expires too early.
    while (this.first < entries.length && nowMs - entries[this.first]!.atMs >= this.windowMs)
      this.sum -= entries[this.first++]!.value;
    if (this.first < entries.length / 2 || this.first < 1000) return;
    this.entries = entries.slice(this.first);
    this.first = 0;
  }
}
