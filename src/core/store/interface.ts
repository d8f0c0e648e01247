/**
 * The chain on disk, as the rest of the node sees it (docs/storage.md): blocks, receipts, and the
 * state of every space at every block. Reads are synchronous; writes resolve once they are durable.
 */
import type { Hash32 } from '../base/bytes.ts';
import type { Block } from '../chain/block.ts';
import type { Header } from '../chain/header.ts';
import type { Receipt } from '../chain/receipt.ts';
import type { SpaceResult } from '../execution/result.ts';
import type { Psi } from '../privacy/inputs.ts';
import type { StateReader } from '../state/reader.ts';
import type { StateTrie } from '../state/state-trie.ts';
import type { WriteSet } from '../state/write-set.ts';
import type { BlockExcerpt } from './block-excerpt.ts';

/**
 * A chain of states with its own cursor: the public one, or one private state, named by its PSI.
 */
export type Space = { readonly kind: 'public' } | { readonly kind: 'private'; readonly psi: Psi };
export const PUBLIC_SPACE: Space = { kind: 'public' };

export interface BlockToAppend {
  /** Final: its header carries the commit seals; `hash` as consensus defines it. */
  readonly block: Block;
  readonly receipts: readonly Receipt[];
  /** Public state; `storageRoot` of each account is filled in. */
  readonly writes: WriteSet;
  /** The block holds private or marker transactions: only `appendPrivate` moves spaces past it. */
  readonly hasPrivateWork: boolean;
  /** The version after this block, if execution computed it; otherwise it is computed here. */
  readonly trie?: StateTrie;
  /** Private results that are already known: stored with the same write and sync. */
  readonly spaces?: ReadonlyMap<Psi, SpaceResult>;
}

/** `now`: durable when the promise resolves. `group`: while importing, one sync for many blocks. */
export type Durability = 'now' | 'group';

export interface Head {
  readonly number: number;
  readonly hash: Hash32;
  readonly header: Header;
}

export interface TransactionPlace {
  readonly block: number;
  readonly index: number;
}

/** What is stored of one block in a private space. */
export interface PrivateRecord {
  readonly root: Hash32;
  readonly receipts: ReadonlyMap<number, Receipt>;
  readonly bloom: Uint8Array;
}

/** The read side of the store: everything but `append*` and `rewind`. */
export interface ChainReader {
  /** undefined until genesis is appended. */
  head(): Head | undefined;
  /** undefined above the head. */
  block(number: number): Block | undefined;
  header(number: number): Header | undefined;
  hashOf(number: number): Hash32 | undefined;
  numberOf(hash: Hash32): number | undefined;
  blockByHash(hash: Hash32): Block | undefined;
  /** Public receipts, by index. */
  receipts(number: number): readonly Receipt[] | undefined;
  /**
   * Some transactions of a block with their public receipts; `indexes` ascend. undefined above the
   * head.
   */
  excerpt(number: number, indexes: readonly number[]): BlockExcerpt | undefined;
  /** Whether a block and its receipts are decoded in memory, so that reading them is cheap. */
  isAtHand(number: number): boolean;
  transactionByHash(hash: Hash32): TransactionPlace | undefined;
  /** undefined: the space has no data of its own at that block. */
  privateRecord(psi: Psi, number: number): PrivateRecord | undefined;
  bloom(space: Space, number: number): Uint8Array | undefined;
  writes(number: number): WriteSet | undefined;
  /** The first block whose states are there; undefined: those of all blocks are there. */
  readonly base: { readonly number: number } | undefined;
  /** The first block whose states are there: the base, or the oldest that was not pruned. */
  readonly firstState: number;
  /**
   * Throws STORE_STATE_UNAVAILABLE above the space's cursor, STORE_STATE_NOT_MIGRATED below the
   * base, STORE_STATE_PRUNED below the oldest kept one, also while the state is being read. A PSI
   * without a state of its own reads the empty one.
   */
  stateAt(space: Space, number: number): StateReader;
  /** Last block processed in the space; for the public space the head. -1 before genesis. */
  cursor(space: Space): number;
  /** PSIs with a state of their own, in order of appearance. */
  spaces(): readonly Psi[];
  code(hash: Hash32): Uint8Array | undefined;
  /**
   * The trie at a block: the head's, or one derived from it (for proofs). The cost grows with the
   * changes since.
   */
  trieAt(space: Space, number: number): StateTrie;
}
