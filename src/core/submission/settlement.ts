/**
 * The outcome of a sent transaction. Only after `lost` may another one be signed for the same
 * order: its nonce is spent, and for long enough no node has returned a receipt.
 */

/** How long to wait for a block before the same bytes are sent again. */
export const SEND_AGAIN_MS = 5_000;
/**
 * There may be several nodes behind one address: a lagging one has no receipt yet for a nonce that
 * another reports as spent.
 */
export const LOST_AFTER_MS = 30_000;

export type Fate = 'mined' | 'lost' | 'sendAgain' | 'wait';

export interface Sighting {
  /** The account's transaction count in the latest block, requested before the receipt. */
  readonly count: number;
  readonly hasReceipt: boolean;
}

export class Settlement {
  /** When a waiting transaction was last sent, by its id. */
  private readonly waiting = new Map<string, { updatedAt: number; sinceMs: number }>();
  /** When a transaction was first seen with a spent nonce and no receipt, by its id. */
  private readonly missingSince = new Map<string, number>();

  /**
   * `nowMs`: time of a monotonic clock. A clock that jumps forward would report a transaction as
   * lost before a lagging node has seen it. `updatedAt`: when it was sent, in calendar time; only a
   * change of this value matters.
   */
  fateOf(
    { id, nonce, updatedAt }: { id: string; nonce: number; updatedAt: number },
    { count, hasReceipt }: Sighting,
    nowMs: number,
  ): Fate {
    if (hasReceipt || nonce >= count) this.missingSince.delete(id);
    if (hasReceipt) return 'mined';
    if (nonce >= count) {
      return nowMs - this.waitingSince(id, updatedAt, nowMs) >= SEND_AGAIN_MS
        ? 'sendAgain'
        : 'wait';
    }
    const since = this.missingSince.get(id) ?? nowMs;
    this.missingSince.set(id, since);
    if (nowMs - since < LOST_AFTER_MS) return 'wait';
    this.missingSince.delete(id);
    return 'lost';
  }

  /** Forgets all transactions except these. */
  keep(ids: ReadonlySet<string>): void {
    for (const seen of [this.missingSince, this.waiting]) {
      for (const id of seen.keys()) if (!ids.has(id)) seen.delete(id);
    }
  }

  private waitingSince(id: string, updatedAt: number, nowMs: number): number {
    const known = this.waiting.get(id);
    if (known?.updatedAt === updatedAt) return known.sinceMs;
    this.waiting.set(id, { updatedAt, sinceMs: nowMs });
    return nowMs;
  }
}
