/**
 * What became of a transaction that was sent. The only case in which another one may be signed for
 * the same order is `lost`: its nonce is spent, and no node has had a receipt for long enough.
 */

/** After so long without a block the same bytes are sent again. */
export const SEND_AGAIN_MS = 5_000;
/**
 * Behind one address there may be several nodes, and one that lags has no receipt yet for a nonce
 * that another knows as spent.
 */
export const LOST_AFTER_MS = 30_000;

export type Fate = 'mined' | 'lost' | 'sendAgain' | 'wait';

export interface Sighting {
  /** The account's transaction count in the latest block, asked for before the receipt. */
  readonly count: number;
  readonly hasReceipt: boolean;
}

export class Settlement {
  /** Since when a transaction waits as it was last sent, by its id. */
  private readonly waiting = new Map<string, { updatedAt: number; sinceMs: number }>();
  /** Since when a transaction has had a spent nonce and no receipt, by its id. */
  private readonly missingSince = new Map<string, number>();

  /**
   * `nowMs`: of a clock that nobody sets. One that jumps forward would call a transaction lost that a lagging node has not seen
   * yet. `updatedAt`: when it was sent, by the calendar; of which it matters only whether it is another than before.
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

  /** Forgets all others. */
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
