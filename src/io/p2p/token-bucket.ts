/**
 * Allows `perSecond` tokens on average and `burst` at once. One take may exceed the available
 * tokens; the next ones wait until the debt is paid.
 */
export class TokenBucket {
  private tokens: number;
  private atMs: number;
  private readonly perSecond: number;
  private readonly burst: number;

  constructor(perSecond: number, burst: number, nowMs: number) {
    this.perSecond = perSecond;
    this.burst = burst;
    this.tokens = burst;
    this.atMs = nowMs;
  }

  get empty(): boolean {
    return this.tokens <= 0;
  }

  take(count: number, nowMs: number): void {
    if (nowMs > this.atMs) {
      const earned = ((nowMs - this.atMs) * this.perSecond) / 1000;
      this.tokens = Math.min(this.burst, this.tokens + earned);
      this.atMs = nowMs;
    }
    this.tokens -= count;
  }
}
