/**
 * What the clients of a service have in flight, over all its servers: bytes of requests that are read,
 * wait or are worked on, and bytes of answers that were not taken yet.
 */
import { type ByteBounds, ByteBudget, type Holding } from '../../core/base/byte-budget.ts';

const MB = 1024 * 1024;
const REQUESTS: ByteBounds = { all: 256 * MB, ofSource: 128 * MB };
/** Beyond it those who leave the most untaken are cut off; batches end with an error before. */
const UNSENT: ByteBounds = { all: 256 * MB, ofSource: 128 * MB };
/** So much of a batch's answers finds room at the cost of those who leave more untaken. */
const SMALL_ANSWER_BYTES = MB;
/** What a request takes besides its bytes. */
export const REQUEST_OVERHEAD_BYTES = 4 * 1024;
const STALL_MS = 30_000;

export interface Traffic {
  readonly requests: ByteBudget;
  readonly unsent: ByteBudget;
  /** A client that takes nothing of its answer for so long is cut off. */
  readonly stallMs: number;
}

export function newTraffic({
  requests = REQUESTS,
  unsent = UNSENT,
  stallMs = STALL_MS,
}: {
  readonly requests?: ByteBounds;
  readonly unsent?: ByteBounds;
  readonly stallMs?: number;
} = {}): Traffic {
  return { requests: new ByteBudget(requests), unsent: new ByteBudget(unsent), stallMs };
}

/** Room for the answers of a batch, from the first one on until all are handed over together. */
export class UnsentRoom {
  private readonly unsent: ByteBudget;
  private readonly holding: Holding;

  /** `holding`: of `unsent`. */
  constructor(unsent: ByteBudget, holding: Holding) {
    this.unsent = unsent;
    this.holding = holding;
  }

  /** False: clients leave so much untaken that there is no room for so many bytes more. */
  take(bytes: number): boolean {
    if (this.holding.take(bytes)) return true;
    if (this.holding.bytes + bytes > SMALL_ANSWER_BYTES) return false;
    this.holding.force(bytes);
    this.unsent.relieve();
    return true;
  }

  release(): void {
    this.holding.release();
  }
}
