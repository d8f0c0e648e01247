/**
 * State changes of one space in blocks above the checkpoint, in memory. Only values after each
 * block are kept: the index holds the value before the first. A checkpoint writes one of these
 * objects as a whole, so that dropping it afterwards costs nothing.
 */
import { type Address, bytesOfKey, keyOf } from '../base/bytes.ts';
import type { Account, PrivacyMetadata } from '../state/account.ts';
import type { AccountWrite, WriteSet } from '../state/write-set.ts';
import type { DecodedRows } from './decoded-rows.ts';

export interface Version<T> {
  readonly number: number;
  readonly value: T;
}

/** Ascending by number, at most one per block. */
export type Versions<T> = Version<T>[];

type Storages = Map<number, Map<bigint, Versions<bigint>>>;

/** Everything that changed about one address. */
export interface RecentAccount {
  accounts: Versions<Account | undefined>;
  metadata: Versions<PrivacyMetadata>;
  /** born -> slot -> values; 0n: deleted. */
  storages: Storages;
}

/**
 * Shared by the many accounts that have none: a checkpoint's worth of them stays in memory until
 * the next one. Nothing is ever put into these.
 */
const NO_VERSIONS: Versions<never> = [];
const NO_STORAGES: Storages = new Map();

export class RecentChanges {
  /** Changed accounts by keyOf(address). */
  readonly entries = new Map<string, RecentAccount>();
  /** How many accounts and slots have changed, each counted once. */
  keys = 0;

  /** Call it with blocks in ascending order. */
  apply(number: number, writes: WriteSet): void {
    for (const [key, write] of writes.accounts) {
      const entry = this.entryOf(key);
      entry.accounts = withVersion(entry.accounts, { number, value: write.account });
      if (write.metadata) {
        entry.metadata = withVersion(entry.metadata, { number, value: write.metadata });
      }
      if (write.account && write.slots.size > 0) {
        this.addSlots(storageOf(entry, write.account.born), number, write.slots);
      }
    }
  }

  /** Adopts the changes of later blocks. */
  absorb(later: RecentChanges): void {
    for (const [key, { accounts, metadata, storages }] of later.entries) {
      const entry = this.entryOf(key);
      entry.accounts = [...entry.accounts, ...accounts];
      entry.metadata = [...entry.metadata, ...metadata];
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
    for (const [key, { accounts: versions, storages }] of this.entries) {
      const address = bytesOfKey(key);
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

  private entryOf(key: string): RecentAccount {
    let entry = this.entries.get(key);
    if (!entry) {
      entry = { accounts: NO_VERSIONS, metadata: NO_VERSIONS, storages: NO_STORAGES };
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
      if (!versions) this.keys++;
      const changed = withVersion(versions ?? NO_VERSIONS, { number, value });
      if (changed !== versions) storage.set(slot, changed);
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

/** A list of one takes no more memory than that; a longer one grows in place. */
function withVersion<T>(versions: Versions<T>, version: Version<T>): Versions<T> {
  if (versions.length === 0) return [version];
  versions.push(version);
  return versions;
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
    if (entry.storages === NO_STORAGES) entry.storages = new Map();
    entry.storages.set(born, storage);
  }
  return storage;
}
