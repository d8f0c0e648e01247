/** Durations of the steps of processing a block, for metrics. */

export type BlockPart = 'execution' | 'validation' | 'write' | 'inserts';

export interface BlockTimes {
  nowMs(): number;
  /** Total time of this step for one block. */
  took(part: BlockPart, ms: number): void;
}

/** Adds up the durations of the slices of one step. */
export class PartTimer {
  private readonly times: BlockTimes | undefined;
  private readonly part: BlockPart;
  private ms = 0;

  constructor(times: BlockTimes | undefined, part: BlockPart) {
    this.times = times;
    this.part = part;
  }

  run<T>(work: () => T): T {
    if (!this.times) return work();
    const began = this.times.nowMs();
    try {
      return work();
    } finally {
      this.ms += this.times.nowMs() - began;
    }
  }

  async wait<T>(work: () => Promise<T>): Promise<T> {
    const began = this.times?.nowMs() ?? 0;
    const result = await work();
    this.ms += (this.times?.nowMs() ?? 0) - began;
    this.done();
    return result;
  }

  done(): void {
    this.times?.took(this.part, this.ms);
  }
}
