/** Some transactions of a block as a party sees them, without decoding the others. */
import type { Block } from '../../../core/chain/block.ts';
import type { Header } from '../../../core/chain/header.ts';
import type { Receipt } from '../../../core/chain/receipt.ts';
import type { Rules } from '../../../core/chain/rules.ts';
import type { Transaction } from '../../../core/chain/transaction.ts';
import { isPrivacyMarker } from '../../../core/privacy/marker.ts';
import type { BlockExcerpt } from '../../../core/store/block-excerpt.ts';
import { firstLogs } from './first-logs.ts';

/** A transaction with its receipt. */
export interface FoundReceipt {
  readonly transaction: Transaction;
  readonly block: Pick<Block, 'header' | 'hash'>;
  readonly index: number;
  /** The public one, as in the receipts root. */
  readonly stub: Receipt;
  /** The party's own, if there is one. */
  readonly receipt: Receipt;
  /** Position of its first log among those of the block that the party sees. */
  readonly firstLogIndex: number;
}

interface Seen {
  readonly chain: {
    excerpt(number: number, indexes: readonly number[]): BlockExcerpt | undefined;
  };
  /** The party's own receipts of the block. */
  readonly own: ReadonlyMap<number, Receipt> | undefined;
  readonly rulesAt: (header: Pick<Header, 'number' | 'timestamp'>) => Rules;
}

/** `indexes` ascend. */
export function excerptFor(
  { chain, own, rulesAt }: Seen,
  number: number,
  indexes: readonly number[],
): readonly FoundReceipt[] {
  const last = indexes.at(-1) ?? -1;
  // Whether their logs count depends on the transaction: a marker's do not.
  const counted = [...(own ?? [])].filter(([index, { logs }]) => index < last && logs.length > 0);
  const read = new Set([...indexes, ...counted.map(([index]) => index)]);
  const excerpt = chain.excerpt(
    number,
    [...read].sort((a, b) => a - b),
  );
  if (!excerpt) return [];
  const { block, transactions, receipts, logCounts } = excerpt;
  const rules = rulesAt(block.header);
  const firsts = firstLogs(
    logCounts.map((count, index) => {
      const transaction = transactions.get(index);
      const isHidden = transaction !== undefined && isPrivacyMarker(transaction, rules);
      return { count: own?.get(index)?.logs.length ?? count, isHidden };
    }),
  );
  return indexes.flatMap((index) => {
    const [transaction, stub] = [transactions.get(index), receipts.get(index)];
    if (!transaction || !stub) return [];
    const receipt = own?.get(index) ?? stub;
    return [{ transaction, block, index, stub, receipt, firstLogIndex: firsts[index]! }];
  });
}
