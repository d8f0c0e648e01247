/**
 * The block that would be built now, as callers see it: the head's state and the transactions of
 * the pool. It has no seals.
 */
import type { Address, Hash32 } from '../../../core/base/bytes.ts';
import { hasCode } from '../../../core/base/errors.ts';
import type { Block } from '../../../core/chain/block.ts';
import type { Header } from '../../../core/chain/header.ts';
import type { Receipt } from '../../../core/chain/receipt.ts';
import { decodeTransaction, type Transaction } from '../../../core/chain/transaction.ts';
import { BlockExecution } from '../../../core/execution/block-execution.ts';
import type { WriteSet } from '../../../core/state/write-set.ts';
import { sealOff } from '../node/consensus/block-builder.ts';
import type { PartyView } from './party-view.ts';

/** The plan of a pending block; it can be copied between threads. */
export interface PendingPlan {
  /** Unique id of this plan. */
  readonly id: number;
  /** The header without its roots. */
  readonly header: Header;
  readonly author: Address | undefined;
  /** In the order of the block; there may be more than fit. */
  readonly transactions: readonly PlannedTransaction[];
}

export interface PlannedTransaction {
  readonly raw: Uint8Array;
  readonly sender: Address;
}

export interface PendingBlock {
  /** The block; its hash has no meaning yet. */
  readonly block: Block;
  readonly receipts: readonly Receipt[];
  /** Changes to the head's public state. */
  readonly writes: WriteSet;
}

export interface PendingReader {
  block(): PendingBlock;
}

export function isPlannedOn(plan: PendingPlan, head: Hash32): boolean {
  return Buffer.compare(plan.header.parentHash, head) === 0;
}

/** `view`: must be at the head that is the plan's parent. */
export function buildPending({ header, author, transactions }: PendingPlan, view: PartyView) {
  const execution = new BlockExecution({
    rules: view.rulesAt(header),
    header,
    transactions: [],
    uncles: [],
    withdrawals: [],
    author,
    hashes: (number) => view.hashOf(number),
    base: view.publicBase(header.number - 1),
  });
  const included: Transaction[] = [];
  for (const { raw, sender } of transactions) {
    const transaction = decodeTransaction(raw);
    transaction.keepSender(sender);
    if (transaction.gasLimit <= execution.gasLeft && include(execution, transaction))
      included.push(transaction);
  }
  execution.advance();
  const result = execution.result();
  const block = sealOff(header, included, result);
  return { block, receipts: result.receipts, writes: result.writes };
}

function include(execution: BlockExecution, transaction: Transaction): boolean {
  try {
    execution.include(transaction);
    return true;
  } catch (error) {
    if (!hasCode(error, 'BLOCK_TRANSACTION_INVALID')) throw error;
    return false;
  }
}
