/**
 * State of one space at any block: memory above the checkpoint, the index below it (docs/storage.md, "Reading key k at block N").
 * A reader stays right while checkpoints are written beside it: each read asks what changed after its block.
 */
import type { Address, Hash32 } from '../base/bytes.ts';
import { compareBytes, EMPTY_BYTES, equalBytes } from '../base/bytes.ts';
import { fail } from '../base/errors.ts';
import { EMPTY_CODE_HASH, EMPTY_ROOT, keccak256 } from '../base/keccak.ts';
import { bigIntToFixed } from '../base/quantity.ts';
import type { Kv } from '../ports.ts';
import type { Account, AccountEntry, PrivacyMetadata, StorageEntry } from '../state/account.ts';
import type { StateReader } from '../state/reader.ts';
import { accountKey, afterPrefix, metadataKey, pastKey, slotKey, TABLE } from './keys.ts';
import { type RecentChanges, type Versions, versionAt } from './recent-changes.ts';
import { decodeAccountRow, decodeMetadata, decodeSlotRow } from './rows.ts';

/** Keys read at a time while walking a table, so that no cursor stays open between two steps of a consumer. */
const WALK_KEYS = 256;

export function slotHash(slot: bigint): Hash32 {
  return keccak256(bigIntToFixed(slot, 32));
}

/** What readers of one space share. `checkpoint` is the last block of this space that the index holds. */
export interface SpaceState {
  readonly id: number;
  readonly recent: RecentChanges;
  checkpoint: number;
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
    const versions = this.space.recent.get(address)?.accounts;
    const found = versions && versionAt(versions, this.number);
    if (found) return found.value;
    const row = this.row(accountKey(this.space.id, keccak256(address)), versions);
    return row && decodeAccountRow(row).account;
  }

  slot(address: Address, account: Account, slot: bigint): bigint {
    const versions = this.space.recent.get(address)?.storages.get(account.born)?.get(slot);
    const found = versions && versionAt(versions, this.number);
    if (found) return found.value;
    if (equalBytes(account.storageRoot, EMPTY_ROOT)) return 0n;
    const key = slotKey(this.space.id, keccak256(address), account.born, slotHash(slot));
    const row = this.row(key, versions);
    return row ? decodeSlotRow(row).value : 0n;
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
    const versions = this.space.recent.get(address)?.metadata;
    const found = versions && versionAt(versions, this.number);
    if (found) return found.value;
    const row = this.row(metadataKey(this.space.id, keccak256(address)), versions);
    return row && decodeMetadata(row);
  }

  *accounts(from: Hash32): Iterable<AccountEntry> {
    const prefix = accountKey(this.space.id, from).subarray(0, 3);
    const recent = Array.from(this.space.recent.entries.values(), ({ address }) => address);
    for (const key of this.walk(prefix, from, sortedFrom(recent, keccak256, from))) {
      const entry = this.accountOfKey(key);
      if (entry) yield entry;
    }
  }

  *slots(address: Address, account: Account, from: Hash32): Iterable<StorageEntry> {
    if (equalBytes(account.storageRoot, EMPTY_ROOT)) return;
    const addressHash = keccak256(address);
    const prefix = slotKey(this.space.id, addressHash, account.born, from).subarray(0, 43);
    const recent = this.space.recent.get(address)?.storages.get(account.born)?.keys() ?? [];
    for (const walked of this.walk(prefix, from, sortedFrom(recent, slotHash, from))) {
      const { hash, preImage } = walked;
      const versions =
        preImage === undefined
          ? undefined
          : this.space.recent.get(address)?.storages.get(account.born)?.get(preImage);
      const found = versions && versionAt(versions, this.number);
      if (found) {
        if (found.value !== 0n) yield { slot: preImage!, value: found.value };
        continue;
      }
      const row = this.row(slotKey(this.space.id, addressHash, account.born, hash), versions);
      if (row) yield decodeSlotRow(row);
    }
  }

  private accountOfKey({ hash, preImage }: Walked<Address>): AccountEntry | undefined {
    const versions = preImage && this.space.recent.get(preImage)?.accounts;
    const found = versions && versionAt(versions, this.number);
    if (found) return found.value && { address: preImage, account: found.value };
    const row = this.row(accountKey(this.space.id, hash), versions);
    return row && decodeAccountRow(row);
  }

  /** The index's row at this block; `versions` are changes above the checkpoint, all of them after this block. */
  private row<T>(key: Uint8Array, versions: Versions<T> | undefined): Uint8Array | undefined {
    if (this.number < this.space.checkpoint || (versions && versions.length > 0)) {
      const past = firstOf(
        this.kv.range(TABLE.past, pastKey(key, this.number + 1), afterPrefix(key)),
      );
      if (past) return past[1].length === 0 ? undefined : past[1];
    }
    return this.kv.get(TABLE.head, key);
  }

  /** Hashes at or behind `from` under `prefix` that exist at any block, in order, each once. */
  private *walk<P>(
    prefix: Uint8Array,
    from: Hash32,
    recent: readonly Walked<P>[],
  ): Iterable<Walked<P>> {
    const heads = this.keys(TABLE.head, prefix, from);
    const pasts = this.keys(TABLE.past, prefix, from);
    let head = heads.next();
    let past = pasts.next();
    let at = 0;
    for (;;) {
      const candidates = [
        head.done ? undefined : head.value,
        past.done ? undefined : past.value,
        recent[at]?.hash,
      ];
      const least = leastOf(candidates);
      if (!least) return;
      const fromRecent = recent[at] && equalBytes(recent[at]!.hash, least) ? recent[at] : undefined;
      yield fromRecent ?? { hash: least, preImage: undefined };
      if (fromRecent) at++;
      if (!head.done && equalBytes(head.value, least)) head = heads.next();
      if (!past.done && equalBytes(past.value, least)) past = pasts.next();
    }
  }

  /** Distinct hashes behind `prefix` in a table; rows of one hash are skipped over. */
  private *keys(table: string, prefix: Uint8Array, from: Hash32): Generator<Hash32, void> {
    const end = afterPrefix(prefix);
    const length = prefix.length + 32;
    let start: Uint8Array = new Uint8Array(length);
    start.set(prefix);
    start.set(from, prefix.length);
    for (;;) {
      const found: Hash32[] = [];
      let rows = 0;
      for (const [key] of this.kv.range(table, start, end)) {
        rows++;
        start = key;
        const hash = key.slice(prefix.length, length);
        const last = found.at(-1);
        if (!last || !equalBytes(last, hash)) found.push(hash);
        if (rows >= WALK_KEYS) break;
      }
      yield* found;
      if (rows < WALK_KEYS) return;
      start = afterPrefix(start.subarray(0, length));
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

function leastOf(hashes: readonly (Hash32 | undefined)[]): Hash32 | undefined {
  let least: Hash32 | undefined;
  for (const hash of hashes) {
    if (hash && (!least || compareBytes(hash, least) < 0)) least = hash;
  }
  return least;
}

function firstOf<T>(items: Iterable<T>): T | undefined {
  for (const item of items) return item;
  return undefined;
}
