/**
 * Bytes that clients occupy in a service, over all its servers: of requests being read, waiting or
 * in progress, and of answers not yet read by clients.
 */
import { type ByteBounds, ByteBudget, type Holding } from '../../core/base/byte-budget.ts';

const MB = 1024 * 1024;
const REQUESTS: ByteBounds = { all: 256 * MB, ofSource: 128 * MB };
/**
 * Above it, the clients with the most unread bytes are disconnected; batches end with an error
 * before that.
 */
const UNSENT: ByteBounds = { all: 256 * MB, ofSource: 128 * MB };
/** A batch's answers up to this size may displace clients with more unread bytes. */
const SMALL_ANSWER_BYTES = MB;
/** Memory that a request takes in addition to its bytes. */
export const REQUEST_OVERHEAD_BYTES = 4 * 1024;
const STALL_MS = 30_000;
const REQUEST_MS = 30_000;
const PING_MS = 60_000;

export interface Traffic {
  readonly requests: ByteBudget;
  readonly unsent: ByteBudget;
  /** A client that reads nothing of its answer for this time is disconnected. */
  readonly stallMs: number;
  /** A request that is not complete within this time is refused. */
  readonly requestMs: number;
  /**
   * Interval of a WebSocket's pings; a client that has not answered one before the next is
   * disconnected.
   */
  readonly pingMs: number;
}

export function newTraffic({
  requests = REQUESTS,
  unsent = UNSENT,
  stallMs = STALL_MS,
  requestMs = REQUEST_MS,
  pingMs = PING_MS,
}: {
  readonly requests?: ByteBounds;
  readonly unsent?: ByteBounds;
  readonly stallMs?: number;
  readonly requestMs?: number;
  readonly pingMs?: number;
} = {}): Traffic {
  const times = { stallMs, requestMs, pingMs };
  return { requests: new ByteBudget(requests), unsent: new ByteBudget(unsent), ...times };
}

/** Reserves space for the answers of a batch, from the first one until all are sent together. */
export class UnsentRoom {
  private readonly unsent: ByteBudget;
  private readonly holding: Holding;

  /** `holding` counts within `unsent`. */
  constructor(unsent: ByteBudget, holding: Holding) {
    this.unsent = unsent;
    this.holding = holding;
  }

  /** False: clients have so many unread bytes that there is no space for these. */
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
