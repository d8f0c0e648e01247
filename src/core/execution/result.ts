/** What executing a block leaves behind. It is a StateReader's delta, the log record and the answer to `verify` in one. */
import type { Hash32 } from '../base/bytes.ts';
import type { Receipt } from '../chain/receipt.ts';
import type { PrivateQuery, Psi } from '../privacy/inputs.ts';
import type { WriteSet } from '../state/write-set.ts';

export interface SpaceResult {
  readonly writes: WriteSet;
  readonly root: Hash32;
  /** By index of the transaction in the block: private ones that this space is party to (or saw as a stranger). */
  readonly receipts: ReadonlyMap<number, Receipt>;
  readonly bloom: Uint8Array;
}

export type PrivateOutcome =
  /** The block has no private transaction. */
  | { readonly kind: 'none' }
  | { readonly kind: 'done'; readonly spaces: ReadonlyMap<Psi, SpaceResult> }
  /** Stopped before transaction `at`: answers to `wanted` are missing. The public side is whole. */
  | { readonly kind: 'waiting'; readonly at: number; readonly wanted: readonly PrivateQuery[] };
