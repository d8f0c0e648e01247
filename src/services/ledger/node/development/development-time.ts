/** Timestamps of a development chain: those of the clock, changed by the developer. */

export class DevelopmentTime {
  /** Seconds that the chain is ahead of the clock. */
  private offset = 0n;
  private next: bigint | undefined;
  /** Fixed number of seconds between blocks, regardless of the clock. */
  private interval: bigint | undefined;
  private readonly nowMs: () => number;

  constructor(nowMs: () => number) {
    this.nowMs = nowMs;
  }

  /** Timestamp of a new block after `parent`; always later than the parent's. */
  take(parent: bigint): bigint {
    const { next } = this;
    this.next = undefined;
    if (next !== undefined) {
      this.offset = next - this.clock();
      return next;
    }
    if (this.interval !== undefined) return parent + this.interval;
    // More than one block per second moves the chain's clock forward.
    const behind = parent + 1n - (this.clock() + this.offset);
    if (behind > 0n) this.offset += behind;
    return this.clock() + this.offset;
  }

  /** Moves the chain's clock. Returns the total offset. */
  increase(seconds: bigint): bigint {
    this.offset += seconds;
    return this.offset;
  }

  /** Sets the time of the next block; later ones continue from it. */
  setNext(timestamp: bigint): void {
    this.next = timestamp;
  }

  /** Sets the chain's clock. Returns how far it moved. */
  set(timestamp: bigint): bigint {
    const before = this.offset;
    this.offset = timestamp - this.clock();
    return this.offset - before;
  }

  setInterval(seconds: bigint | undefined): void {
    this.interval = seconds;
  }

  /** Returns a function that restores the present settings. */
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
