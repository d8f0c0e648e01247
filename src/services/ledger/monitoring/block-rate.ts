/**
 * Transactions per second in the last blocks, counted as blocks arrive, so that no block is read
 * again.
 */
import { engineAt, NANOSECONDS_PER_SECOND } from '../../../core/chain/consensus-rules.ts';
import type { LedgerNode } from '../node/compose.ts';

/** Number of blocks that the rate covers. */
const RATE_BLOCKS = 16;

export class BlockRate {
  private readonly last: { readonly seconds: number; readonly transactions: number }[] = [];

  constructor({ chain, events }: Pick<LedgerNode, 'chain' | 'events'>) {
    events.on('committed', ({ block: { header, transactions } }) => {
      const isRaft = engineAt(chain.config, header.number) === 'raft';
      const seconds = Number(header.timestamp) / (isRaft ? Number(NANOSECONDS_PER_SECOND) : 1);
      this.last.push({ seconds, transactions: transactions.length });
      if (this.last.length > RATE_BLOCKS + 1) this.last.shift();
    });
  }

  /** undefined before the second block since the start. */
  perSecond(): number | undefined {
    const [oldest, ...later] = this.last;
    const newest = later.at(-1);
    if (!oldest || !newest) return undefined;
    const count = later.reduce((sum, { transactions }) => sum + transactions, 0);
    return count / Math.max(newest.seconds - oldest.seconds, 1);
  }
}
