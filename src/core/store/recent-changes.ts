/**
 * State changes of the blocks above the checkpoint, of one space, in memory. Only values after each block are kept: the value
 * before the first one is what the index holds.
 */
import { type Address, keyOf } from '../base/bytes.ts';
import type { Account, PrivacyMetadata } from '../state/account.ts';
import type { AccountWrite, WriteSet } from '../state/write-set.ts';

export interface Version<T> {
  readonly number: number;
  readonly value: T;
}

/** Ascending by number, at most one a block. */
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
  /** By keyOf(address). */
  readonly entries = new Map<string, RecentAccount>();
  /** Addresses that each block touched, to forget them without a search. */
  private readonly touched = new Map<number, readonly string[]>();

  /** Blocks come in ascending order. */
  apply(number: number, writes: WriteSet): void {
    this.touched.set(number, [...writes.accounts.keys()]);
    for (const [key, write] of writes.accounts) {
      let entry = this.entries.get(key);
      if (!entry) {
        entry = { address: write.address, accounts: [], metadata: [], storages: new Map() };
        this.entries.set(key, entry);
      }
      entry.accounts.push({ number, value: write.account });
      if (write.metadata) entry.metadata.push({ number, value: write.metadata });
      if (write.account && write.slots.size > 0) {
        addSlots(entry, number, write.account.born, write.slots);
      }
    }
  }

  get(address: Address): RecentAccount | undefined {
    return this.entries.get(keyOf(address));
  }

  /** The changes above `number`, as one write set. A storage that began above it is new. */
  latestWrites(number: number): WriteSet {
    const accounts = new Map<string, AccountWrite>();
    for (const [key, { address, accounts: versions, storages }] of this.entries) {
      const last = versions.at(-1);
      if (!last || last.number <= number) continue;
      const account = last.value;
      const slots = new Map<bigint, bigint>();
      for (const [slot, values] of (account && storages.get(account.born)) ?? []) {
        const value = values.at(-1)!;
        if (value.number > number) slots.set(slot, value.value);
      }
      const storageReset = account !== undefined && account.born > number;
      accounts.set(key, { address, account, storageReset, slots });
    }
    return { accounts, codes: [] };
  }

  /** Forgets blocks up to `number`: the index has them now. */
  dropUpTo(number: number): void {
    this.drop((block) => block <= number);
  }

  /** Forgets blocks above `number`: they were taken back. */
  dropAbove(number: number): void {
    this.drop((block) => block > number);
  }

  private drop(isGone: (number: number) => boolean): void {
    for (const [number, keys] of this.touched) {
      if (!isGone(number)) continue;
      this.touched.delete(number);
      for (const key of keys) {
        const entry = this.entries.get(key);
        if (entry && prune(entry, isGone)) this.entries.delete(key);
      }
    }
  }
}

/** The last version at or below `number`. */
export function versionAt<T>(versions: Versions<T>, number: number): Version<T> | undefined {
  for (let i = versions.length - 1; i >= 0; i--) {
    if (versions[i]!.number <= number) return versions[i];
  }
  return undefined;
}

function addSlots(
  entry: RecentAccount,
  number: number,
  born: number,
  slots: ReadonlyMap<bigint, bigint>,
): void {
  let storage = entry.storages.get(born);
  if (!storage) {
    storage = new Map();
    entry.storages.set(born, storage);
  }
  for (const [slot, value] of slots) {
    const versions = storage.get(slot);
    if (versions) versions.push({ number, value });
    else storage.set(slot, [{ number, value }]);
  }
}

/** True when nothing is left. */
function prune(entry: RecentAccount, isGone: (number: number) => boolean): boolean {
  keepOnly(entry.accounts, isGone);
  keepOnly(entry.metadata, isGone);
  for (const [born, storage] of entry.storages) {
    for (const [slot, versions] of storage) {
      keepOnly(versions, isGone);
      if (versions.length === 0) storage.delete(slot);
    }
    if (storage.size === 0) entry.storages.delete(born);
  }
  return entry.accounts.length === 0 && entry.metadata.length === 0 && entry.storages.size === 0;
}

function keepOnly<T>(versions: Versions<T>, isGone: (number: number) => boolean): void {
  let kept = 0;
  for (const version of versions) if (!isGone(version.number)) versions[kept++] = version;
  versions.length = kept;
}
