/**
 * The result of executing a block: it contains the state changes, the data for the log record, and
 * what is compared with the header.
 */
import type { Address, Hash32 } from '../base/bytes.ts';
import type { Receipt } from '../chain/receipt.ts';
import type { PrivateQuery, Psi } from '../privacy/inputs.ts';
import type { StateReader } from '../state/reader.ts';
import type { StateTrie } from '../state/state-trie.ts';
import type { WriteSet } from '../state/write-set.ts';
import type { PrivateTrace } from './private-trace.ts';
import type { Reached } from './reached-accounts.ts';

/**
 * A state at the end of a block: the reader that execution uses, and the commitment that it
 * updates.
 */
export interface StateBase {
  readonly reader: StateReader;
  readonly trie: StateTrie;
}

export interface SpaceResult {
  readonly writes: WriteSet;
  readonly root: Hash32;
  /**
   * Receipts by index of the transaction in the block, of private transactions to which this space
   * is a party (or which it saw as a stranger).
   */
  readonly receipts: ReadonlyMap<number, Receipt>;
  readonly bloom: Uint8Array;
}

export interface TracedSpace extends Pick<SpaceResult, 'writes' | 'receipts'> {
  readonly accounts?: PrivateAccounts | undefined;
  readonly traces: ReadonlyMap<number, PrivateTrace>;
}

export interface ExecutedSpace extends SpaceResult {
  readonly trie: StateTrie;
  readonly accounts?: PrivateAccounts | undefined;
}

/** By index of the transaction: accounts reached by its public, or by one private, execution. */
export type ReachedByTransaction = ReadonlyMap<number, readonly Reached[]>;

/** The accounts that a private state adds to those that are public for a block's transactions. */
export interface PrivateAccounts {
  readonly reached: ReachedByTransaction;
  /** Sender and recipient of the transactions inside markers, by index. */
  readonly inner: ReadonlyMap<number, { readonly from: Address; readonly to: Address | undefined }>;
}

export type PrivateOutcome =
  /** The block has no private transaction. */
  | { readonly kind: 'none' }
  | { readonly kind: 'done'; readonly spaces: ReadonlyMap<Psi, ExecutedSpace> }
  /**
   * The private side stopped before transaction `at`, because answers to `wanted` are missing. The
   * public side is complete.
   */
  | { readonly kind: 'waiting'; readonly at: number; readonly wanted: readonly PrivateQuery[] };

/** Like `PrivateOutcome`, without roots, but with traces by index of the transaction. */
export type PrivateEffects =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'done';
      readonly spaces: ReadonlyMap<Psi, TracedSpace>;
    }
  | { readonly kind: 'waiting'; readonly wanted: readonly PrivateQuery[] };

export interface ExecutedBlock {
  readonly writes: WriteSet;
  readonly trie: StateTrie;
  readonly stateRoot: Hash32;
  readonly receipts: readonly Receipt[];
  readonly receiptsRoot: Hash32;
  readonly gasUsed: bigint;
  /** The bloom of the public receipts. */
  readonly bloom: Uint8Array;
  readonly private: PrivateOutcome;
  /** Undefined: the job did not ask for it. */
  readonly reached: ReachedByTransaction | undefined;
  /** Faults of private transactions that do not affect the block, for the node's log. */
  readonly notes: readonly ExecutionNote[];
}

export interface ExecutionNote {
  readonly index: number;
  readonly text: string;
}
