/** Timestamps of a development chain: those of the clock, moved by the developer. */

export class DevelopmentTime {
  /** Seconds that the chain is ahead of the clock. */
  private offset = 0n;
  private next: bigint | undefined;
  /** Seconds between blocks, whatever the clock says. */
  private interval: bigint | undefined;
  private readonly nowMs: () => number;

  constructor(nowMs: () => number) {
    this.nowMs = nowMs;
  }

  /** What a new block after `parent` has; always later. */
  take(parent: bigint): bigint {
    const { next } = this;
    this.next = undefined;
    if (next !== undefined) {
      this.offset = next - this.clock();
      return next;
    }
    if (this.interval !== undefined) return parent + this.interval;
    // Blocks that come faster than seconds take the clock with them.
    const behind = parent + 1n - (this.clock() + this.offset);
    if (behind > 0n) this.offset += behind;
    return this.clock() + this.offset;
  }

  /** Returns the whole offset. */
  increase(seconds: bigint): bigint {
    this.offset += seconds;
    return this.offset;
  }

  /** Sets the time of the next block; later ones continue from it. */
  setNext(timestamp: bigint): void {
    this.next = timestamp;
  }

  /** The clock of the chain. Returns how far it moved. */
  set(timestamp: bigint): bigint {
    const before = this.offset;
    this.offset = timestamp - this.clock();
    return this.offset - before;
  }

  setInterval(seconds: bigint | undefined): void {
    this.interval = seconds;
  }

  /** To go back to. */
  keep(): () => void {
    const { offset, next, interval } = this;
    return () => {
      this.offset = offset;
      this.next = next;
      this.interval = interval;
    };
  }

  private clock(): bigint {
    return BigInt(Math.floor(this.nowMs() / 1000));
  }
}
