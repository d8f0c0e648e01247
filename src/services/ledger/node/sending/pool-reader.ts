/** The transaction pool as callers see it. */
import { type Address, type Hash32, keyOf } from '../../../../core/base/bytes.ts';
import type { Transaction } from '../../../../core/chain/transaction.ts';
import type { TransactionPool } from '../../../../core/txpool/pool.ts';

/** Transactions by sender (keyOf its address), each list in the order of nonces. */
export interface PoolContent {
  readonly pending: ReadonlyMap<string, readonly Transaction[]>;
  readonly queued: ReadonlyMap<string, readonly Transaction[]>;
}

export class PoolReader {
  private readonly pool: Pick<TransactionPool, 'nonceOf' | 'get' | 'content' | 'stats'>;

  constructor(pool: PoolReader['pool']) {
    this.pool = pool;
  }

  /** The next nonce after the transactions in the pool. */
  nextNonce(address: Address): bigint {
    return this.pool.nonceOf(address);
  }

  transaction(hash: Hash32): Transaction | undefined {
    return this.pool.get(hash);
  }

  content(): PoolContent {
    const content = this.pool.content();
    const bySender = (pick: (each: (typeof content)[number]) => readonly Transaction[]) =>
      new Map(content.map((each) => [keyOf(each.address), pick(each)] as const));
    return {
      pending: bySender(({ pending }) => pending),
      queued: bySender(({ queued }) => queued),
    };
  }

  /** Executable transactions of all senders. */
  pending(): Transaction[] {
    return this.pool.content().flatMap(({ pending }) => [...pending]);
  }

  status(): { readonly pending: number; readonly queued: number } {
    return this.pool.stats;
  }
}
