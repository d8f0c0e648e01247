/** Root fields of queries and mutations. */
import type { Hash32 } from '../../../core/base/bytes.ts';
import { fail } from '../../../core/base/errors.ts';
import { searchRange } from '../api/eth/logs.ts';
import { numberTag } from './account.ts';
import { BlockNode, type LogCriteria, logQuery, StateNode } from './block.ts';
import type { QueryContext } from './context.ts';
import { logNodes, TransactionNode } from './transaction.ts';

interface BlockArgs {
  readonly number?: bigint | null;
  readonly hash?: Hash32 | null;
}

interface RangeArgs {
  readonly from?: bigint | null;
  readonly to?: bigint | null;
}

interface LogArgs {
  readonly filter: LogCriteria & {
    readonly fromBlock?: bigint | null;
    readonly toBlock?: bigint | null;
  };
}

export class Root {
  private readonly context: QueryContext;

  constructor(context: QueryContext) {
    this.context = context;
  }

  block({ number, hash }: BlockArgs) {
    const { view } = this.context;
    const wanted =
      typeof number === 'bigint'
        ? view.numberOf(numberTag(number))
        : hash
          ? view.numberOf({ kind: 'hash', hash, requireCanonical: false })
          : view.head().number;
    return wanted === undefined ? null : BlockNode.at(this.context, wanted);
  }

  /** The existing blocks of the range. */
  blocks({ from, to }: RangeArgs) {
    if (typeof from !== 'bigint' || from < 0n)
      throw fail('GRAPHQL_ARGS', 'blocks: name the number of the first block with "from"');
    const { context } = this;
    const first = this.capped(from);
    const last = Math.min(this.capped(to), context.view.head().number);
    context.room.take(Math.max(0, last - first + 1));
    return context.room.list(numbers(first, last), (number) => BlockNode.at(context, number));
  }

  pending() {
    return new PendingNode(this.context, { kind: 'pending' });
  }

  transaction({ hash }: { readonly hash: Hash32 }) {
    const { context } = this;
    const found = context.view.transaction(hash);
    if (found)
      return new TransactionNode(context, { transaction: found.transaction, place: found });
    const waiting = context.pooled(hash);
    return waiting
      ? new TransactionNode(context, { transaction: waiting, place: undefined })
      : null;
  }

  logs({ filter }: LogArgs) {
    const { context } = this;
    const head = context.view.head().number;
    const last = Math.min(this.capped(filter.toBlock), head);
    context.isPrivateDone(last);
    const from = filter.fromBlock ?? undefined;
    const first = from === undefined ? head : this.capped(from);
    return logNodes(context, searchRange(context, logQuery(filter), first, last));
  }

  gasPrice() {
    return this.context.figures().gasPrice;
  }

  chainID() {
    return this.context.figures().chainId;
  }

  syncing() {
    const { syncing } = this.context.figures();
    if (!syncing) return null;
    return {
      startingBlock: BigInt(syncing.startingBlock),
      currentBlock: BigInt(syncing.currentBlock),
      highestBlock: BigInt(syncing.highestBlock),
      pulledStates: 0n,
      knownStates: 0n,
    };
  }

  sendRawTransaction({ data }: { readonly data: Uint8Array }) {
    return this.context.send(data);
  }

  /** The number as a JavaScript number; undefined or null: the head's. */
  private capped(number: bigint | null | undefined): number {
    if (typeof number !== 'bigint') return this.context.view.head().number;
    const tag = numberTag(number);
    return tag.kind === 'number' ? tag.number : 0;
  }
}

function* numbers(first: number, last: number): Generator<number> {
  for (let number = first; number <= last; number++) yield number;
}

class PendingNode extends StateNode {
  transactionCount() {
    return this.waiting().length;
  }

  transactions() {
    const { context } = this;
    return context.room.list(
      this.waiting(),
      (transaction) => new TransactionNode(context, { transaction, place: undefined }),
    );
  }

  private waiting() {
    return this.context.pending.block().block.transactions;
  }
}
