/** A whole state in memory: genesis, tests, and chains that are not stored. */
import { type Address, compareBytes, type Hash32, keyOf } from '../base/bytes.ts';
import { EMPTY_CODE_HASH, EMPTY_ROOT, keccak256 } from '../base/keccak.ts';
import type { Account, AccountEntry, PrivacyMetadata, StorageEntry } from './account.ts';
import { byHash, type Hashed } from './hashed-order.ts';
import { hashOfAddress, hashOfSlot } from './key-hash.ts';
import type { StateReader } from './reader.ts';
import { StateTrie } from './state-trie.ts';
import type { AccountWrite, WriteSet } from './write-set.ts';

/** One entry of a genesis file's `alloc`. */
export interface AllocEntry {
  readonly address: Address;
  readonly balance: bigint;
  readonly nonce?: bigint;
  readonly code?: Uint8Array;
  /** Slot to value; zero values count as absent. */
  readonly storage?: ReadonlyMap<bigint, bigint>;
}

/** The write set of block 0. Its storage roots are empty until a StateTrie has hashed it. */
export function writesOfAlloc(alloc: Iterable<AllocEntry>): WriteSet {
  const accounts = new Map<string, AccountWrite>();
  const codes: { hash: Hash32; code: Uint8Array }[] = [];
  for (const { address, balance, nonce = 0n, code, storage } of alloc) {
    const hasCode = code !== undefined && code.length > 0;
    const codeHash = hasCode ? keccak256(code) : EMPTY_CODE_HASH;
    if (hasCode) codes.push({ hash: codeHash, code });
    const account = { nonce, balance, codeHash, storageRoot: EMPTY_ROOT, born: 0 };
    const slots = new Map([...(storage ?? [])].filter(([, value]) => value !== 0n));
    accounts.set(keyOf(address), { address, account, storageReset: false, slots });
  }
  return { accounts, codes };
}

interface Held {
  address: Address;
  account: Account;
  slots: Map<bigint, bigint>;
  metadata: PrivacyMetadata | undefined;
}

export class MemoryReader implements StateReader {
  private readonly held = new Map<string, Held>();
  private readonly codes = new Map<string, Uint8Array>();
  private sorted: readonly Hashed<Held>[] | undefined;

  /** State and commitment of a genesis `alloc`. */
  static fromAlloc(alloc: Iterable<AllocEntry>): { reader: MemoryReader; trie: StateTrie } {
    const writes = writesOfAlloc(alloc);
    const trie = StateTrie.empty().update(writes);
    trie.root();
    const reader = new MemoryReader();
    reader.apply(writes);
    return { reader, trie };
  }

  /** Applies the changes of a block to this state. */
  apply(writes: WriteSet): void {
    for (const [key, write] of writes.accounts) this.applyAccount(key, write);
    for (const { hash, code } of writes.codes) this.codes.set(keyOf(hash), code);
    this.sorted = undefined;
  }

  account(address: Address): Account | undefined {
    return this.held.get(keyOf(address))?.account;
  }

  slot(address: Address, _account: Account, slot: bigint): bigint {
    return this.held.get(keyOf(address))?.slots.get(slot) ?? 0n;
  }

  code(codeHash: Hash32): Uint8Array {
    return this.codes.get(keyOf(codeHash)) ?? new Uint8Array(0);
  }

  metadata(address: Address): PrivacyMetadata | undefined {
    return this.held.get(keyOf(address))?.metadata;
  }

  *accounts(from: Hash32): Generator<AccountEntry> {
    this.sorted ??= [...this.held.values()]
      .map((entry) => ({ hash: hashOfAddress(entry.address), entry }))
      .sort(byHash);
    for (const { hash, entry } of this.sorted) {
      if (compareBytes(hash, from) >= 0) yield { address: entry.address, account: entry.account };
    }
  }

  *slots(address: Address, _account: Account, from: Hash32): Generator<StorageEntry> {
    const slots = this.held.get(keyOf(address))?.slots ?? new Map<bigint, bigint>();
    const sorted = [...slots]
      .map(([slot, value]) => ({ hash: hashOfSlot(slot), entry: { slot, value } }))
      .sort(byHash);
    for (const { hash, entry } of sorted) if (compareBytes(hash, from) >= 0) yield entry;
  }

  private applyAccount(key: string, write: AccountWrite): void {
    const { address, account, storageReset, slots } = write;
    if (account === undefined) {
      this.held.delete(key);
      return;
    }
    const before = this.held.get(key);
    const isFresh = before === undefined || storageReset;
    const kept = isFresh ? new Map<bigint, bigint>() : before.slots;
    for (const [slot, value] of slots) {
      if (value === 0n) kept.delete(slot);
      else kept.set(slot, value);
    }
    const metadata = write.metadata ?? (isFresh ? undefined : before.metadata);
    this.held.set(key, { address, account, slots: kept, metadata });
  }
}
