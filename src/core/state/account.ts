/** An account as in the trie, and the block in which its storage began. */
import type { Address, Hash32 } from '../base/bytes.ts';
import { EMPTY_CODE_HASH, EMPTY_ROOT } from '../base/keccak.ts';

export interface Account {
  readonly nonce: bigint;
  readonly balance: bigint;
  readonly codeHash: Hash32;
  readonly storageRoot: Hash32;
  /**
   * Block in which this storage began: SELFDESTRUCT starts a new one, so wiping is O(1). 0 in
   * genesis.
   */
  readonly born: number;
}

export const EMPTY_ACCOUNT: Account = {
  nonce: 0n,
  balance: 0n,
  codeHash: EMPTY_CODE_HASH,
  storageRoot: EMPTY_ROOT,
  born: 0,
};

/** Privacy metadata of a private contract (GoQuorum core/state/account_extra_data.go). */
export interface PrivacyMetadata {
  /** 64-byte hash of the creation's encrypted payload. */
  readonly creationHash: Uint8Array;
  /** 0 standard, 1 party protection, 2 mandatory parties, 3 private state validation. */
  readonly flag: number;
  readonly managedParties: readonly string[];
}

export interface StorageEntry {
  /** Pre-image of the trie key. */
  readonly slot: bigint;
  readonly value: bigint;
}

export interface AccountEntry {
  readonly address: Address;
  readonly account: Account;
}
