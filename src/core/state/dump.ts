/**
 * Listings of a state in trie order: debug_dumpAddress, debug_dumpBlock, debug_accountRange,
 * debug_storageRangeAt.
 */
import { type Address, EMPTY_BYTES, equalBytes, type Hash32, ZERO_HASH } from '../base/bytes.ts';
import { EMPTY_CODE_HASH } from '../base/keccak.ts';
import { FREE, type Spend } from '../base/spend.ts';
import type { Account, StorageEntry } from './account.ts';
import { hashOfAddress, hashOfSlot } from './key-hash.ts';
import type { StateReader } from './reader.ts';

export interface DumpedAccount {
  readonly address: Address;
  readonly account: Account;
  readonly code: Uint8Array;
  readonly storage: readonly StorageEntry[];
}

export interface DumpContent {
  readonly withCode: boolean;
  readonly withStorage: boolean;
}

const EVERYTHING: DumpContent = { withCode: true, withStorage: true };

/** Size of an account in the result, without code and storage. */
const ACCOUNT_BYTES = 300;
const SLOT_BYTES = 140;

/** The account with code and storage; undefined: there is no such account. */
export function dumpAccount(
  reader: StateReader,
  address: Address,
  spend: Spend = FREE,
  content: DumpContent = EVERYTHING,
): DumpedAccount | undefined {
  const account = reader.account(address);
  if (account === undefined) return undefined;
  const hasCode = content.withCode && !equalBytes(account.codeHash, EMPTY_CODE_HASH);
  const code = hasCode ? reader.code(account.codeHash) : EMPTY_BYTES;
  spend(ACCOUNT_BYTES + 2 * code.length);
  const storage: StorageEntry[] = [];
  if (content.withStorage) {
    for (const entry of reader.slots(address, account, ZERO_HASH)) {
      spend(SLOT_BYTES);
      storage.push(entry);
    }
  }
  return { address, account, code, storage };
}

export interface AccountRange {
  readonly accounts: readonly DumpedAccount[];
  /** keccak256 of the first address that is not in the list; undefined: the list is complete. */
  readonly next: Hash32 | undefined;
}

/** Lists at most `accountsMax` accounts from keccak256(address) = `from` on. */
export function dumpAccounts(
  reader: StateReader,
  from: Hash32,
  accountsMax: number,
  spend: Spend = FREE,
  content: DumpContent = EVERYTHING,
): AccountRange {
  const accounts: DumpedAccount[] = [];
  for (const { address } of reader.accounts(from)) {
    if (accounts.length === accountsMax) return { accounts, next: hashOfAddress(address) };
    accounts.push(dumpAccount(reader, address, spend, content)!);
  }
  return { accounts, next: undefined };
}

export interface StorageRange {
  readonly entries: readonly (StorageEntry & { readonly hash: Hash32 })[];
  /** keccak256 of the first slot that is not in the list; undefined: the list is complete. */
  readonly next: Hash32 | undefined;
}

/**
 * Lists at most `slotsMax` slots from keccak256(slot) = `from` on; none if the account is absent.
 */
export function dumpStorage(
  reader: StateReader,
  address: Address,
  from: Hash32,
  slotsMax: number,
  spend: Spend = FREE,
): StorageRange {
  const account = reader.account(address);
  const entries: (StorageEntry & { hash: Hash32 })[] = [];
  if (account === undefined) return { entries, next: undefined };
  for (const { slot, value } of reader.slots(address, account, from)) {
    const hash = hashOfSlot(slot);
    if (entries.length === slotsMax) return { entries, next: hash };
    spend(2 * SLOT_BYTES);
    entries.push({ hash, slot, value });
  }
  return { entries, next: undefined };
}
