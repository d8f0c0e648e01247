/**
 * The number of the last durable vote, shared by all threads: the index stores it with its
 * checkpoints.
 */
export class LastVote {
  readonly memory: SharedArrayBuffer;
  private readonly cell: BigInt64Array;

  constructor(memory: SharedArrayBuffer = new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT)) {
    this.memory = memory;
    this.cell = new BigInt64Array(memory);
  }

  get number(): number {
    return Number(Atomics.load(this.cell, 0));
  }

  set number(number: number) {
    Atomics.store(this.cell, 0, BigInt(number));
  }
}
