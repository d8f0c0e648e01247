/**
 * What the clients of a service have in flight, over all its doors: bytes of requests that are read,
 * wait or are worked on, and bytes of answers that were not taken yet.
 */
import { type ByteBounds, ByteBudget } from '../../core/base/byte-budget.ts';

const MB = 1024 * 1024;
const REQUESTS: ByteBounds = { all: 256 * MB, ofSource: 128 * MB };
/** Beyond it those who leave the most untaken are cut off. */
const UNSENT: ByteBounds = { all: 256 * MB, ofSource: 256 * MB };
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
