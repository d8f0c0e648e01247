/** Makes the write set of a block from account records. */
import { equalBytes, type Hash32, keyOf } from '../base/bytes.ts';
import type { Account } from './account.ts';
import type { AccountRecord } from './account-record.ts';
import type { AccountWrite, WriteSet } from './write-set.ts';

export interface StorageChanges {
  /** Whether the whole storage at the start of the block was deleted. */
  readonly isReset: boolean;
  /** slot -> value now; 0n deletes. */
  readonly slots: ReadonlyMap<bigint, bigint>;
}

export function storageChangesOf(record: AccountRecord): StorageChanges {
  const slots = new Map<bigint, bigint>();
  for (const [slot, { start, value }] of record.slots) {
    if (value !== start) slots.set(slot, value);
  }
  return { isReset: record.isStorageReset && record.start !== undefined, slots };
}

export function collectWrites(records: Iterable<AccountRecord>): WriteSet {
  const accounts = new Map<string, AccountWrite>();
  const codes = new Map<string, { hash: Hash32; code: Uint8Array }>();
  for (const record of records) {
    const write = writeOf(record);
    if (write === undefined) continue;
    accounts.set(record.key, write);
    if (isNewCode(record)) {
      codes.set(keyOf(record.codeHash), { hash: record.codeHash, code: record.code });
    }
  }
  return { accounts, codes: [...codes.values()] };
}

function isNewCode(record: AccountRecord): boolean {
  if (!record.exists || !record.hasCode) return false;
  return record.start === undefined || !equalBytes(record.start.codeHash, record.codeHash);
}

function writeOf(record: AccountRecord): AccountWrite | undefined {
  const { address, start } = record;
  if (!record.exists) {
    if (start === undefined) return undefined;
    return { address, account: undefined, storageReset: true, slots: new Map() };
  }
  const { isReset, slots } = storageChangesOf(record);
  const metadata = record.writtenMetadata === 'none' ? undefined : record.writtenMetadata;
  if (!isChanged(record, start) && !isReset && slots.size === 0 && metadata === undefined) {
    return undefined;
  }
  const { nonce, balance, codeHash, storageRoot, born } = record;
  const account = { nonce, balance, codeHash, storageRoot, born };
  const write = { address, account, storageReset: isReset, slots };
  return metadata === undefined ? write : { ...write, metadata };
}

function isChanged(record: AccountRecord, start: Account | undefined): boolean {
  return (
    start === undefined ||
    record.nonce !== start.nonce ||
    record.balance !== start.balance ||
    !equalBytes(record.codeHash, start.codeHash)
  );
}
