/** A block of the chain, and calls on the state after it. */
import type { Address, Hash32 } from '../../../core/base/bytes.ts';
import type { Block } from '../../../core/chain/block.ts';
import { call, estimateGas } from '../../../core/execution/call.ts';
import { totalDifficulty } from '../api/eth/blocks.ts';
import { requestOf, siteOf } from '../api/eth/call.ts';
import type { TransactionArgs } from '../node/sending/send-args.ts';
import type { BlockTag } from '../view/block-tag.ts';
import { LogMatcher } from '../view/log-matcher.ts';
import { logsOfBlock } from '../view/logs.ts';
import { AccountNode, type AtBlock, blockOrLatest } from './account.ts';
import type { QueryContext } from './context.ts';
import { logNodes, TransactionNode } from './transaction.ts';

export interface LogCriteria {
  readonly addresses?: readonly Address[] | null;
  readonly topics?: readonly (readonly Hash32[])[] | null;
}

export interface CallInput {
  readonly data: { readonly [Name in keyof TransactionArgs]?: TransactionArgs[Name] | null };
}

/** Fields of a state: after a block, or pending. */
export class StateNode {
  protected readonly context: QueryContext;
  private readonly tag: BlockTag;

  constructor(context: QueryContext, tag: BlockTag) {
    this.context = context;
    this.tag = tag;
  }

  account({ address }: { readonly address: Address }) {
    return new AccountNode(this.context, address, this.tag);
  }

  call({ data }: CallInput) {
    const { context, tag } = this;
    const outcome = call(requestOf(argsOf(data)), siteOf(context, tag), context.limits);
    return {
      data: outcome.output,
      gasUsed: Number(outcome.gasUsed),
      status: outcome.kind === 'success' ? 1 : 0,
    };
  }

  estimateGas({ data }: CallInput) {
    const { context, tag } = this;
    return Number(estimateGas(requestOf(argsOf(data)), siteOf(context, tag), context.limits));
  }
}

/** Omits null values, as in JSON-RPC. */
function argsOf(data: CallInput['data']): TransactionArgs {
  const given = Object.entries(data).filter(([, value]) => value !== null);
  return Object.fromEntries(given) as unknown as TransactionArgs;
}

export class BlockNode extends StateNode {
  private readonly block: Block;

  constructor(context: QueryContext, block: Block) {
    super(context, { kind: 'number', number: block.header.number });
    this.block = block;
  }

  /** undefined: there is no such block. */
  static at(context: QueryContext, number: number): BlockNode | undefined {
    const block = context.view.block(number);
    return block && new BlockNode(context, block);
  }

  number() {
    return this.block.header.number;
  }

  hash() {
    return this.block.hash;
  }

  parent() {
    const { number } = this.block.header;
    return number === 0 ? null : BlockNode.at(this.context, number - 1);
  }

  nonce() {
    return this.block.header.nonce;
  }

  transactionsRoot() {
    return this.block.header.transactionsRoot;
  }

  transactionCount() {
    return this.block.transactions.length;
  }

  stateRoot() {
    return this.block.header.stateRoot;
  }

  receiptsRoot() {
    return this.block.header.receiptsRoot;
  }

  miner(at: AtBlock) {
    return new AccountNode(this.context, this.block.header.coinbase, blockOrLatest(at));
  }

  extraData() {
    return this.block.header.extraData;
  }

  gasLimit() {
    return Number(this.block.header.gasLimit);
  }

  gasUsed() {
    return Number(this.block.header.gasUsed);
  }

  timestamp() {
    return this.context.view.timestampOf(this.block.header);
  }

  logsBloom() {
    return this.block.header.bloom;
  }

  mixHash() {
    return this.block.header.mixHash;
  }

  difficulty() {
    return this.block.header.difficulty;
  }

  totalDifficulty() {
    return totalDifficulty(this.context.view, this.block.header.number);
  }

  ommerCount() {
    return this.block.uncles.length;
  }

  ommers() {
    return [];
  }

  ommerAt() {
    return null;
  }

  ommerHash() {
    return this.block.header.unclesHash;
  }

  transactions() {
    const { block, context } = this;
    return context.room.list(
      block.transactions.entries(),
      ([index, transaction]) =>
        new TransactionNode(context, { transaction, place: { block, index } }),
    );
  }

  transactionAt({ index }: { readonly index: number }) {
    const { block } = this;
    const transaction = block.transactions[index];
    return transaction
      ? new TransactionNode(this.context, { transaction, place: { block, index } })
      : null;
  }

  logs({ filter }: { readonly filter: LogCriteria }) {
    const { number } = this.block.header;
    this.context.isPrivateDone(number);
    return logNodes(
      this.context,
      logsOfBlock(this.context.view, number, new LogMatcher(logQuery(filter))),
    );
  }
}

export function logQuery({ addresses, topics }: LogCriteria) {
  return { addresses: addresses ?? [], topics: topics ?? [] };
}
