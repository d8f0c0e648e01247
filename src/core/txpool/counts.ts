/**
 * Counts the outcomes of the transactions that were offered to a pool, as go-ethereum does
 * (core/tx_pool.go).
 */
export class PoolCounts {
  /** Accepted. */
  valid = 0;
  /** Refused because they are invalid. */
  invalid = 0;
  /** Already in the pool. */
  known = 0;
  /** Refused because they pay too little, or removed in favour of one that pays more. */
  underpriced = 0;
  /** Refused because the pool is full. */
  overflowed = 0;
  /** Counts of executable transactions, and of those after a nonce gap. */
  readonly pending: ListCounts = new ListCounts();
  readonly queued: ListCounts = new ListCounts();

  /** Counts the outcome of an offer. */
  outcome<T>(take: () => T): T {
    try {
      const result = take();
      this.valid++;
      return result;
    } catch (error) {
      this.refused(String((error as { code?: unknown }).code));
      throw error;
    }
  }

  private refused(code: string): void {
    if (code === 'TXPOOL_KNOWN') this.known++;
    else if (code === 'TXPOOL_FULL') this.overflowed++;
    else if (code === 'TXPOOL_UNDERPRICED') this.underpriced++;
    else if (code !== 'TXPOOL_REPLACE_UNDERPRICED') this.invalid++;
  }
}

export class ListCounts {
  /** Replacements refused because they paid too little. */
  discard = 0;
  /** Transactions that were replaced. */
  replace = 0;
  /** Removed because of a limit. */
  rateLimit = 0;
  /** Removed because the account can no longer pay. */
  noFunds = 0;
  /** Removed because they waited too long. */
  eviction = 0;
}
