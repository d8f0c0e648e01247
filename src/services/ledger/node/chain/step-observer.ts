/** Told of the steps of this node's work, for traces. Must not throw. */
import type { Hash32 } from '../../../../core/base/bytes.ts';
import type { Transaction } from '../../../../core/chain/transaction.ts';

export interface StepObserver {
  /** The pool has accepted a transaction; `isLocal`: from a client of this node. */
  admitted(transaction: Transaction, isLocal: boolean): void;
  /**
   * The execution of a block begins; the returned function is called with the block's hash when it
   * has ended.
   */
  executing(): (hash: Hash32) => void;
}
