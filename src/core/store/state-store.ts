/**
 * State of one space at any block: memory above the checkpoint, the index below it
 * (docs/storage.md, "Reading key k at block N"). A reader stays correct while checkpoints are
 * written: each read looks up what changed after its block.
 */
import type { Address, Hash32 } from '../base/bytes.ts';
import { bytesOfKey, compareBytes, EMPTY_BYTES, equalBytes, keyOf } from '../base/bytes.ts';
import { fail } from '../base/errors.ts';
import { EMPTY_CODE_HASH, EMPTY_ROOT } from '../base/keccak.ts';
import type { Kv } from '../base/ports.ts';
import type { Account, AccountEntry, PrivacyMetadata, StorageEntry } from '../state/account.ts';
import { hashOfAddress, hashOfSlot } from '../state/key-hash.ts';
import type { StateReader } from '../state/reader.ts';
import type { DecodedRows } from './decoded-rows.ts';
import {
  accountKey,
  accountsRegion,
  metadataKey,
  pastEnd,
  pastKey,
  slotKey,
  storageRegion,
  TABLE,
} from './keys.ts';
import { type RecentChanges, type Version, type Versions, versionAt } from './recent-changes.ts';
import {
  decodeAccount,
  decodeAccountRow,
  decodeMetadata,
  decodeSlot,
  decodeSlotRow,
} from './rows.ts';
import { statePruned } from './store-errors.ts';
import { storedHashes } from './stored-hashes.ts';

/** The oldest block whose states were not pruned; undefined: nothing was. */
export interface Horizon {
  number: number | undefined;
}

/**
 * What readers of one space share. `checkpoint` is the last block of this space that the index
 * holds.
 */
export interface SpaceState {
  readonly id: number;
  /** Changes of blocks that are not yet in a checkpoint. */
  recent: RecentChanges;
  /** Older changes, which a checkpoint is writing. */
  writing: RecentChanges | undefined;
  readonly rows: DecodedRows;
  checkpoint: number;
  /** One for all spaces. A checkpoint moves it before the rows below it disappear. */
  readonly horizon: Horizon;
}

export interface CodeSource {
  code(hash: Hash32): Uint8Array | undefined;
}

export class StateAt implements StateReader {
  private readonly kv: Kv;
  private readonly space: SpaceState;
  private readonly codes: CodeSource;
  readonly number: number;

  constructor(kv: Kv, space: SpaceState, codes: CodeSource, number: number) {
    this.kv = kv;
    this.space = space;
    this.codes = codes;
    this.number = number;
  }

  account(address: Address): Account | undefined {
    const { space } = this;
    const addressKey = keyOf(address);
    const newer = space.recent.entries.get(addressKey)?.accounts;
    const older = space.writing?.entries.get(addressKey)?.accounts;
    const found = this.recentAt(newer, older);
    if (found) return found.value;
    const isChanged = hasVersions(newer) || hasVersions(older);
    const key = () => accountKey(space.id, hashOfAddress(address));
    const past = this.past(key, isChanged);
    if (past) return past.length === 0 ? undefined : decodeAccount(past);
    const known = isChanged ? undefined : space.rows.account(addressKey);
    if (known !== undefined) return known ?? undefined;
    const row = this.kv.view(TABLE.state, key());
    const account = row && detached(decodeAccount(row));
    if (!isChanged) space.rows.setAccount(addressKey, account ?? null);
    return account;
  }

  slot(address: Address, account: Account, slot: bigint): bigint {
    const { space } = this;
    const { born } = account;
    const addressKey = keyOf(address);
    const newer = space.recent.entries.get(addressKey)?.storages.get(born)?.get(slot);
    const older = space.writing?.entries.get(addressKey)?.storages.get(born)?.get(slot);
    const found = this.recentAt(newer, older);
    if (found) return found.value;
    if (equalBytes(account.storageRoot, EMPTY_ROOT)) return 0n;
    const isChanged = hasVersions(newer) || hasVersions(older);
    const key = () => slotKey(space.id, hashOfAddress(address), born, hashOfSlot(slot));
    const past = this.past(key, isChanged);
    if (past) return past.length === 0 ? 0n : decodeSlot(past);
    const known = isChanged ? undefined : space.rows.slot(addressKey, born, slot);
    if (known !== undefined) return known;
    const row = this.kv.view(TABLE.state, key());
    const value = row ? decodeSlot(row) : 0n;
    if (!isChanged) space.rows.setSlot(addressKey, born, slot, value);
    return value;
  }

  /** Throws STORE_CODE_MISSING: an account names code that the store lacks. */
  code(codeHash: Hash32): Uint8Array {
    if (equalBytes(codeHash, EMPTY_CODE_HASH)) return EMPTY_BYTES;
    const code = this.codes.code(codeHash);
    if (!code) {
      throw fail(
        'STORE_CODE_MISSING',
        'code of a contract is missing from the index: rebuild it with "quorate db reindex"',
      );
    }
    return code;
  }

  metadata(address: Address): PrivacyMetadata | undefined {
    const newer = this.space.recent.get(address)?.metadata;
    const older = this.space.writing?.get(address)?.metadata;
    const found = this.recentAt(newer, older);
    if (found) return found.value;
    const isChanged = hasVersions(newer) || hasVersions(older);
    const row = this.row(metadataKey(this.space.id, hashOfAddress(address)), isChanged);
    return row && decodeMetadata(row);
  }

  *accounts(from: Hash32): Iterable<AccountEntry> {
    const { recent, writing } = this.space;
    const region = accountsRegion(this.space.id);
    const changed = new Set(writing?.entries.keys());
    for (const key of recent.entries.keys()) changed.add(key);
    const addresses = Array.from(changed, bytesOfKey);
    for (const walked of this.walk(region, from, sortedFrom(addresses, hashOfAddress, from))) {
      const entry = this.accountOfKey(walked);
      if (entry) yield entry;
    }
  }

  *slots(address: Address, account: Account, from: Hash32): Iterable<StorageEntry> {
    if (equalBytes(account.storageRoot, EMPTY_ROOT)) return;
    const { space } = this;
    const { born } = account;
    const addressHash = hashOfAddress(address);
    const region = storageRegion(space.id, addressHash, born);
    const changed = new Set(space.writing?.get(address)?.storages.get(born)?.keys());
    for (const slot of space.recent.get(address)?.storages.get(born)?.keys() ?? []) {
      changed.add(slot);
    }
    for (const walked of this.walk(region, from, sortedFrom(changed, hashOfSlot, from))) {
      const { hash, preImage } = walked;
      if (preImage !== undefined) {
        const value = this.slot(address, account, preImage);
        if (value !== 0n) yield { slot: preImage, value };
        continue;
      }
      const row = this.row(slotKey(space.id, addressHash, born, hash), false);
      if (row) yield decodeSlotRow(row);
    }
  }

  private accountOfKey({ hash, preImage }: Walked<Address>): AccountEntry | undefined {
    if (preImage) {
      const account = this.account(preImage);
      return account && { address: preImage, account };
    }
    const row = this.row(accountKey(this.space.id, hash), false);
    return row && decodeAccountRow(row);
  }

  private recentAt<T>(
    newer: Versions<T> | undefined,
    older: Versions<T> | undefined,
  ): Version<T> | undefined {
    this.checkKept();
    return (newer && versionAt(newer, this.number)) ?? (older && versionAt(older, this.number));
  }

  /** Throws STORE_STATE_PRUNED: its block has become too old since the reader was made. */
  private checkKept(): void {
    const { number } = this.space.horizon;
    if (number !== undefined && this.number < number) throw statePruned(this.number, number);
  }

  /**
   * The index's row at this block; `isChanged`: a block above the checkpoint, and after this one,
   * changed it.
   */
  private row(key: Uint8Array, isChanged: boolean): Uint8Array | undefined {
    const past = this.past(() => key, isChanged);
    if (past) return past.length === 0 ? undefined : past;
    return this.kv.get(TABLE.state, key);
  }

  /**
   * The row as it was before the first change after this block; empty: the row did not exist.
   * undefined: it is the one in `head`.
   */
  private past(key: () => Uint8Array, isChanged: boolean): Uint8Array | undefined {
    if (this.number >= this.space.checkpoint && !isChanged) return undefined;
    const headKey = key();
    const rows = this.kv.range(TABLE.state, pastKey(headKey, this.number + 1), pastEnd(headKey));
    return firstOf(rows)?.[1];
  }

  /** Hashes at or after `from` in a region that exist at any block, in order, each once. */
  private *walk<P>(
    region: Uint8Array,
    from: Hash32,
    recent: readonly Walked<P>[],
  ): Iterable<Walked<P>> {
    const stored = storedHashes(this.kv, region, from);
    let next = stored.next();
    let at = 0;
    for (;;) {
      const changed = recent[at];
      const order = orderOf(next, changed);
      if (order === undefined) return;
      yield order < 0 ? { hash: next.value!, preImage: undefined } : changed!;
      if (order >= 0) at++;
      if (order > 0) continue;
      this.checkKept();
      next = stored.next();
    }
  }
}

interface Walked<P> {
  readonly hash: Hash32;
  readonly preImage: P | undefined;
}

function sortedFrom<P>(preImages: Iterable<P>, hashOf: (preImage: P) => Hash32, from: Hash32) {
  const walked: Walked<P>[] = [];
  for (const preImage of preImages) {
    const hash = hashOf(preImage);
    if (compareBytes(hash, from) >= 0) walked.push({ hash, preImage });
  }
  return walked.sort((a, b) => compareBytes(a.hash, b.hash));
}

/** Below 0: the stored one comes first; 0: both are the same. undefined: there is none. */
function orderOf<P>(
  stored: IteratorResult<Hash32, void>,
  changed: Walked<P> | undefined,
): number | undefined {
  if (stored.done) return changed && 1;
  return changed ? compareBytes(stored.value, changed.hash) : -1;
}

/** With bytes of its own. */
function detached(account: Account): Account {
  const { codeHash, storageRoot } = account;
  return {
    ...account,
    codeHash: codeHash === EMPTY_CODE_HASH ? codeHash : codeHash.slice(),
    storageRoot: storageRoot === EMPTY_ROOT ? storageRoot : storageRoot.slice(),
  };
}

function hasVersions(versions: readonly unknown[] | undefined): boolean {
  return versions !== undefined && versions.length > 0;
}

function firstOf<T>(items: Iterable<T>): T | undefined {
  for (const item of items) return item;
  return undefined;
}
