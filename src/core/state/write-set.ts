/**
 * What one block changed in one space: a result of execution, the content of a log record, the
 * input of the trie. Maps are keyed by `keyOf(address)`; values are those after the block. A slot
 * that was written back to its old value is absent.
 */
import type { Hash32 } from '../base/bytes.ts';
import type { Account, PrivacyMetadata } from './account.ts';

export interface AccountWrite {
  readonly address: Uint8Array;
  /** undefined: the account was deleted. The trie update fills in its `storageRoot`. */
  account: Account | undefined;
  /**
   * The whole storage was replaced in this block (a creation at the address, or a self-destruct):
   * slots that are not in `slots` are zero.
   */
  readonly storageReset: boolean;
  /** slot -> value, 0n deletes. */
  readonly slots: ReadonlyMap<bigint, bigint>;
  /** Set when privacy metadata was written. */
  readonly metadata?: PrivacyMetadata;
}

export interface WriteSet {
  readonly accounts: ReadonlyMap<string, AccountWrite>;
  /** Code that was deployed, by its hash. */
  readonly codes: readonly { readonly hash: Hash32; readonly code: Uint8Array }[];
}

export const EMPTY_WRITE_SET: WriteSet = { accounts: new Map(), codes: [] };
