/**
 * Where execution reads state from: a point in one chain's history, of one space (public, or one
 * private state). Synchronous.
 */
import type { Address, Hash32 } from '../base/bytes.ts';
import type { Account, AccountEntry, PrivacyMetadata, StorageEntry } from './account.ts';

export interface StateReader {
  account(address: Address): Account | undefined;
  /**
   * 0n when unset. `account` is the owner as read at this same point (its `born` names the
   * storage).
   */
  slot(address: Address, account: Account, slot: bigint): bigint;
  code(codeHash: Hash32): Uint8Array;
  metadata(address: Address): PrivacyMetadata | undefined;
  /** In order of keccak(address), from `from` on. */
  accounts(from: Hash32): Iterable<AccountEntry>;
  /** In order of keccak(slot), from `from` on. */
  slots(address: Address, account: Account, from: Hash32): Iterable<StorageEntry>;
}
