/** What the execution of a block needs. */
import type { Address } from '../base/bytes.ts';
import type { Withdrawal } from '../chain/block.ts';
import type { Header } from '../chain/header.ts';
import type { Rules } from '../chain/rules.ts';
import type { Transaction } from '../chain/transaction.ts';
import type { StateReader } from '../state/reader.ts';
import type { BlockHashes } from './environment.ts';
import type { StateBase } from './result.ts';
import type { PrivateSetting } from './spaces.ts';

export interface BlockJob extends Partial<PrivateSetting> {
  readonly rules: Rules;
  /** When a block is built, its header lacks the results of execution: roots, bloom, gas used. */
  readonly header: Header;
  readonly transactions: readonly Transaction[];
  readonly uncles?: readonly Header[];
  readonly withdrawals?: readonly Withdrawal[];
  /**
   * The account in COINBASE, which receives fees; absent: header.coinbase. For IBFT it is the
   * signer.
   */
  readonly author?: Address | undefined;
  /** Hashes of the 256 blocks before this one. */
  readonly hashes: BlockHashes;
  /** Public state at the end of the parent block. */
  readonly base: StateBase;
  /** Permissioned networks: throws when the sender may not run this transaction in this block. */
  readonly authorize?: ((tx: Transaction, running: RunningState) => void) | undefined;
  /** Whether the result contains the accounts that transactions reach by internal calls. */
  readonly notesReached?: boolean | undefined;
  /** The requested result; by default the block. */
  readonly goal?: ExecutionGoal;
}

/** State of a block before its next transaction. */
export interface RunningState {
  /** How often storage of the accounts, each by keyOf(address), was written in this block. */
  storageWrites(keys: readonly string[]): number;
  /** Public state, valid until the transaction begins. */
  reader(): StateReader;
}

/**
 * `privateState`: only the private side of a block that is on the chain; no public root is computed
 * and no public trie needed. `privateEffects`: the same without any root, and with traces.
 */
export type ExecutionGoal = 'block' | 'privateState' | 'privateEffects';
