/**
 * Applies a write set to the tries, in slices: each storage trie in turn, then the accounts that
 * hold their roots.
 */
import { compareBytes, equalBytes, type Hash32, keyOf } from '../base/bytes.ts';
import { EMPTY_ROOT } from '../base/keccak.ts';
import { encodeAccountLeaf, encodeSlotLeaf } from './account-codec.ts';
import { hashOfAddress, hashOfSlot } from './key-hash.ts';
import type { LeafBudget, Trie, TrieChange } from './trie.ts';
import type { AccountWrite, WriteSet } from './write-set.ts';

export interface StorageTrie {
  readonly addressHash: Hash32;
  readonly born: number;
  readonly trie: Trie;
  /** False: it has changed since it was loaded or settled. */
  readonly isStored: boolean;
}

/** Leaves sorted at a time. They are applied in sorted runs, so that two runs share few nodes. */
const BATCH_LEAVES = 4096;

interface Current {
  readonly write: AccountWrite;
  readonly addressHash: Hash32;
  readonly slots: Iterator<readonly [bigint, bigint]>;
  /** Sorted changes; those before `at` are already applied. */
  batch: readonly TrieChange[];
  at: number;
  /** undefined: the storage does not change. */
  storage: StorageTrie | undefined;
}

export class StateTrieUpdate {
  /** Storage tries by keyOf(addressHash); undefined: the storage has ended. */
  readonly storages = new Map<string, StorageTrie | undefined>();
  private readonly writes: Iterator<AccountWrite>;
  private readonly storageBefore: (addressHash: Hash32, write: AccountWrite) => StorageTrie;
  private current: Current | undefined;
  private changes: TrieChange[] = [];

  /** `storageBefore`: the storage trie that the slots of a write change. */
  constructor(
    writes: WriteSet,
    storageBefore: (addressHash: Hash32, write: AccountWrite) => StorageTrie,
  ) {
    this.writes = writes.accounts.values();
    this.storageBefore = storageBefore;
  }

  /**
   * Returns the account trie so far, and whether it is complete; applying a leaf costs as much of
   * the budget as hashing one.
   */
  advance(accounts: Trie, budget: LeafBudget): { accounts: Trie; isDone: boolean } {
    let updated = accounts;
    while (budget.leaves > 0) {
      this.current ??= this.next();
      if (this.current === undefined) return { accounts: this.flushed(updated), isDone: true };
      if (!this.advanceStorage(this.current, budget)) break;
      this.changes.push(accountChange(this.current));
      budget.leaves--;
      this.current = undefined;
      if (this.changes.length >= BATCH_LEAVES) updated = this.flushed(updated);
    }
    return { accounts: this.flushed(updated), isDone: false };
  }

  private next(): Current | undefined {
    const step = this.writes.next();
    if (step.done) return undefined;
    const write = step.value;
    const { account, slots, storageReset } = write;
    const addressHash = hashOfAddress(write.address);
    const isChanged = account !== undefined && slots.size > 0;
    if (!isChanged && (account === undefined || storageReset)) {
      this.storages.set(keyOf(addressHash), undefined);
    }
    const storage = isChanged ? this.storageBefore(addressHash, write) : undefined;
    return { write, addressHash, slots: slots.entries(), batch: [], at: 0, storage };
  }

  /** Returns false if the budget is spent before this storage is applied and hashed. */
  private advanceStorage(current: Current, budget: LeafBudget): boolean {
    if (current.storage === undefined) return true;
    while (budget.leaves > 0) {
      if (current.at === current.batch.length) {
        current.batch = takeSlots(current.slots, BATCH_LEAVES);
        current.at = 0;
      }
      const run = current.batch.slice(current.at, current.at + budget.leaves);
      if (run.length === 0) break;
      current.at += run.length;
      budget.leaves -= run.length;
      const trie: Trie = current.storage.trie.update(run);
      if (trie !== current.storage.trie) {
        current.storage = { ...current.storage, trie, isStored: false };
      }
    }
    if (budget.leaves <= 0) return false;
    if (current.storage.trie.seal(budget) === undefined) return false;
    this.storages.set(keyOf(current.addressHash), current.storage);
    return true;
  }

  private flushed(accounts: Trie): Trie {
    if (this.changes.length === 0) return accounts;
    const changes = this.changes.sort(byKey);
    this.changes = [];
    return accounts.update(changes);
  }
}

function takeSlots(slots: Iterator<readonly [bigint, bigint]>, most: number): TrieChange[] {
  const changes: TrieChange[] = [];
  while (changes.length < most) {
    const step = slots.next();
    if (step.done) break;
    const [slot, value] = step.value;
    changes.push([hashOfSlot(slot), value === 0n ? undefined : encodeSlotLeaf(value)]);
  }
  return changes.sort(byKey);
}

function byKey(a: TrieChange, b: TrieChange): number {
  return compareBytes(a[0], b[0]);
}

/** The change of the account's leaf; fills the storage root into the write. */
function accountChange({ write, addressHash, storage }: Current): TrieChange {
  const { account, storageReset } = write;
  if (account === undefined) return [addressHash, undefined];
  const storageRoot = storage?.trie.root() ?? (storageReset ? EMPTY_ROOT : account.storageRoot);
  if (!equalBytes(storageRoot, account.storageRoot)) write.account = { ...account, storageRoot };
  return [addressHash, encodeAccountLeaf({ ...account, storageRoot })];
}
