/**
 * State changes of one space in blocks above the checkpoint, in memory. Only values after each
 * block are kept: the index holds the value before the first. A checkpoint writes one of these
 * objects as a whole, so that dropping it afterwards costs nothing.
 */
import { type Address, keyOf } from '../base/bytes.ts';
import type { Account, PrivacyMetadata } from '../state/account.ts';
import type { AccountWrite, WriteSet } from '../state/write-set.ts';
import type { DecodedRows } from './decoded-rows.ts';

export interface Version<T> {
  readonly number: number;
  readonly value: T;
}

/** Ascending by number, at most one per block. */
export type Versions<T> = Version<T>[];

/** Everything that changed about one address. */
export interface RecentAccount {
  readonly address: Address;
  readonly accounts: Versions<Account | undefined>;
  readonly metadata: Versions<PrivacyMetadata>;
  /** born -> slot -> values; 0n: deleted. */
  readonly storages: Map<number, Map<bigint, Versions<bigint>>>;
}

export class RecentChanges {
  /** Changed accounts by keyOf(address). */
  readonly entries = new Map<string, RecentAccount>();
  /** How many accounts and slots have changed, each counted once. */
  keys = 0;

  /** Call it with blocks in ascending order. */
  apply(number: number, writes: WriteSet): void {
    for (const [key, write] of writes.accounts) {
      const entry = this.entryOf(key, write.address);
      entry.accounts.push({ number, value: write.account });
      if (write.metadata) entry.metadata.push({ number, value: write.metadata });
      if (write.account && write.slots.size > 0) {
        this.addSlots(storageOf(entry, write.account.born), number, write.slots);
      }
    }
  }

  /** Adopts the changes of later blocks. */
  absorb(later: RecentChanges): void {
    for (const [key, { address, accounts, metadata, storages }] of later.entries) {
      const entry = this.entryOf(key, address);
      entry.accounts.push(...accounts);
      entry.metadata.push(...metadata);
      for (const [born, slots] of storages) {
        const storage = storageOf(entry, born);
        for (const [slot, versions] of slots) {
          const older = storage.get(slot);
          if (!older) this.keys++;
          storage.set(slot, [...(older ?? []), ...versions]);
        }
      }
    }
  }

  /** The index now holds everything up to block `number`; updates `rows`. */
  dropUpTo(number: number, rows: DecodedRows): void {
    for (const [key, { accounts, metadata, storages }] of this.entries) {
      const account = dropVersions(accounts, number);
      if (account) rows.setAccount(key, account.value ?? null);
      dropVersions(metadata, number);
      for (const [born, storage] of storages) {
        for (const [slot, versions] of storage) {
          const last = dropVersions(versions, number);
          if (last) rows.setSlot(key, born, slot, last.value);
          if (versions.length === 0 && storage.delete(slot)) this.keys--;
        }
        if (storage.size === 0) storages.delete(born);
      }
      const isEmpty = accounts.length === 0 && metadata.length === 0 && storages.size === 0;
      if (isEmpty && this.entries.delete(key)) this.keys--;
    }
  }

  get(address: Address): RecentAccount | undefined {
    return this.entries.get(keyOf(address));
  }

  /**
   * The changes, all above block `number`, as one write set. A storage that began above that block
   * counts as new.
   */
  latestWrites(number: number): WriteSet {
    const accounts = new Map<string, AccountWrite>();
    for (const [key, { address, accounts: versions, storages }] of this.entries) {
      const account = versions.at(-1)?.value;
      const slots = new Map<bigint, bigint>();
      for (const [slot, values] of (account && storages.get(account.born)) ?? []) {
        slots.set(slot, values.at(-1)!.value);
      }
      const storageReset = account !== undefined && account.born > number;
      accounts.set(key, { address, account, storageReset, slots });
    }
    return { accounts, codes: [] };
  }

  private entryOf(key: string, address: Address): RecentAccount {
    let entry = this.entries.get(key);
    if (!entry) {
      entry = { address, accounts: [], metadata: [], storages: new Map() };
      this.entries.set(key, entry);
      this.keys++;
    }
    return entry;
  }

  private addSlots(
    storage: Map<bigint, Versions<bigint>>,
    number: number,
    slots: ReadonlyMap<bigint, bigint>,
  ): void {
    for (const [slot, value] of slots) {
      const versions = storage.get(slot);
      if (versions) {
        versions.push({ number, value });
      } else {
        storage.set(slot, [{ number, value }]);
        this.keys++;
      }
    }
  }
}

/** The last version at or before `number`. */
export function versionAt<T>(versions: Versions<T>, number: number): Version<T> | undefined {
  for (let i = versions.length - 1; i >= 0; i--) {
    if (versions[i]!.number <= number) return versions[i];
  }
  return undefined;
}

/** Removes the versions up to `number`; returns the last of them. */
function dropVersions<T>(versions: Versions<T>, number: number): Version<T> | undefined {
  let count = 0;
  while (count < versions.length && versions[count]!.number <= number) count++;
  return versions.splice(0, count).at(-1);
}

function storageOf(entry: RecentAccount, born: number): Map<bigint, Versions<bigint>> {
  let storage = entry.storages.get(born);
  if (!storage) {
    storage = new Map();
    entry.storages.set(born, storage);
  }
  return storage;
}
