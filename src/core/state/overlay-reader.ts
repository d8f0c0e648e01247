/** The state after a block: its write set on top of the state before it. */
import { type Address, compareBytes, type Hash32, keyOf } from '../base/bytes.ts';
import type { Account, AccountEntry, PrivacyMetadata, StorageEntry } from './account.ts';
import { mergeSorted } from './hashed-order.ts';
import { hashOfAddress, hashOfSlot } from './key-hash.ts';
import type { StateReader } from './reader.ts';
import type { WriteSet } from './write-set.ts';

export class OverlayReader implements StateReader {
  private readonly parent: StateReader;
  private readonly writes: WriteSet;
  private codes: Map<string, Uint8Array> | undefined;

  constructor(parent: StateReader, writes: WriteSet) {
    this.parent = parent;
    this.writes = writes;
  }

  account(address: Address): Account | undefined {
    const write = this.writes.accounts.get(keyOf(address));
    return write === undefined ? this.parent.account(address) : write.account;
  }

  slot(address: Address, account: Account, slot: bigint): bigint {
    const write = this.writes.accounts.get(keyOf(address));
    if (write === undefined) return this.parent.slot(address, account, slot);
    const value = write.slots.get(slot);
    if (value !== undefined) return value;
    return write.storageReset ? 0n : this.parent.slot(address, account, slot);
  }

  code(codeHash: Hash32): Uint8Array {
    this.codes ??= new Map(this.writes.codes.map(({ hash, code }) => [keyOf(hash), code]));
    const code = this.codes.size === 0 ? undefined : this.codes.get(keyOf(codeHash));
    return code ?? this.parent.code(codeHash);
  }

  metadata(address: Address): PrivacyMetadata | undefined {
    const write = this.writes.accounts.get(keyOf(address));
    if (write === undefined) return this.parent.metadata(address);
    if (write.metadata !== undefined) return write.metadata;
    const isGone = write.account === undefined || write.storageReset;
    return isGone ? undefined : this.parent.metadata(address);
  }

  accounts(from: Hash32): Iterable<AccountEntry> {
    const changed = [...this.writes.accounts.values()]
      .map(({ address, account }) => ({
        hash: hashOfAddress(address),
        entry: { address, account },
      }))
      .filter(({ hash }) => compareBytes(hash, from) >= 0);
    return mergeSorted(this.parent.accounts(from), hashOfAccount, changed, isPresent);
  }

  slots(address: Address, account: Account, from: Hash32): Iterable<StorageEntry> {
    const write = this.writes.accounts.get(keyOf(address));
    if (write === undefined) return this.parent.slots(address, account, from);
    const changed = [...write.slots]
      .map(([slot, value]) => ({ hash: hashOfSlot(slot), entry: { slot, value } }))
      .filter(({ hash }) => compareBytes(hash, from) >= 0);
    const older = write.storageReset ? [] : this.parent.slots(address, account, from);
    return mergeSorted(older, hashOfEntry, changed, isSet);
  }
}

function hashOfAccount(entry: AccountEntry): Hash32 {
  return hashOfAddress(entry.address);
}

function isPresent(entry: {
  address: Address;
  account: Account | undefined;
}): entry is AccountEntry {
  return entry.account !== undefined;
}

function hashOfEntry(entry: StorageEntry): Hash32 {
  return hashOfSlot(entry.slot);
}

function isSet(entry: StorageEntry): entry is StorageEntry {
  return entry.value !== 0n;
}
