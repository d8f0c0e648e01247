/**
 * The state that execution reads: that of one space (public, or one private state) at one point in
 * a chain's history. Synchronous.
 */
import type { Address, Hash32 } from '../base/bytes.ts';
import type { Account, AccountEntry, PrivacyMetadata, StorageEntry } from './account.ts';

export interface StateReader {
  account(address: Address): Account | undefined;
  /**
   * 0n when unset. `account` is the owner as read at the same point (its `born` identifies the
   * storage).
   */
  slot(address: Address, account: Account, slot: bigint): bigint;
  code(codeHash: Hash32): Uint8Array;
  metadata(address: Address): PrivacyMetadata | undefined;
  /** Accounts in order of keccak(address), from `from` on. */
  accounts(from: Hash32): Iterable<AccountEntry>;
  /** Slots in order of keccak(slot), from `from` on. */
  slots(address: Address, account: Account, from: Hash32): Iterable<StorageEntry>;
}
