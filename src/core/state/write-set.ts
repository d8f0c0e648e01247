/**
 * What one block changed in one space: the result of execution, the body of a log record, the input
 * of the trie. Maps are keyed by `keyOf(address)`; values are after-images. A slot written back to
 * its old value is absent.
 */
import type { Hash32 } from '../base/bytes.ts';
import type { Account, PrivacyMetadata } from './account.ts';

export interface AccountWrite {
  readonly address: Uint8Array;
  /** undefined: the account is gone. Its `storageRoot` is filled in by the trie update. */
  account: Account | undefined;
  /**
   * The storage was empty at the beginning of this block (creation over, or after, a
   * self-destruct): older slots count as zero.
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
