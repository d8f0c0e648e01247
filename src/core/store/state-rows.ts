/**
 * The rows of the table `state` that a checkpoint writes for one space, in the order of their keys
 * (hash-order.ts): the value before each block, the last value, and the changed trie nodes.
 */
import { bytesOfKey, compareBytes, EMPTY_BYTES } from '../base/bytes.ts';
import type { Kv, KvWriter } from '../base/ports.ts';
import type { Account } from '../state/account.ts';
import { hashOfAddressKey, hashOfSlot } from '../state/key-hash.ts';
import type { StateTrie } from '../state/state-trie.ts';
import { inHashOrder } from './hash-order.ts';
import {
  accountKey,
  accountNodeKey,
  metadataKey,
  pastKey,
  slotKey,
  storageNodeKey,
  TABLE,
} from './keys.ts';
import type { Versions } from './recent-changes.ts';
import { encodeAccountRow, encodeMetadata, encodeSlotRow } from './rows.ts';
import type { SpaceState } from './state-store.ts';

interface Row {
  readonly key: Uint8Array;
  /** undefined: it is deleted. */
  readonly value: Uint8Array | undefined;
}

/** Where rows are written. */
interface RowTarget {
  readonly kv: Kv;
  readonly writer: KvWriter;
  /** Values before blocks up to this one are not written; -1: all are. */
  readonly horizon: number;
}

/**
 * Writes the changes that a space is `writing`, and what turns the nodes of `since` into those of
 * `trie`. Updates the space's decoded rows to what the index will hold.
 */
export function* writeState(
  target: RowTarget,
  space: SpaceState,
  trie: StateTrie,
  since: StateTrie,
): Generator<void> {
  for (const row of inKeyOrder(valueRows(target, space), nodeRows(space.id, trie, since))) {
    if (row) write(target.writer, row);
    yield;
  }
}

/** Writes only what turns the nodes of `since` into those of `trie`. */
export function* writeNodes(
  writer: KvWriter,
  space: number,
  trie: StateTrie,
  since: StateTrie,
): Generator<void> {
  for (const row of nodeRows(space, trie, since)) {
    write(writer, row);
    yield;
  }
}

function write(writer: KvWriter, { key, value }: Row): void {
  if (value) writer.put(TABLE.state, key, value);
  else writer.delete(TABLE.state, key);
}

/** undefined: a step without a row. */
function* inKeyOrder(
  values: Iterable<Row | undefined>,
  nodes: Iterator<Row>,
): Generator<Row | undefined> {
  let node = nodes.next();
  for (const row of values) {
    while (row && !node.done && compareBytes(node.value.key, row.key) < 0) {
      yield node.value;
      node = nodes.next();
    }
    yield row;
  }
  for (; !node.done; node = nodes.next()) yield node.value;
}

function* nodeRows(space: number, trie: StateTrie, since: StateTrie): Generator<Row> {
  for (const { storage, nodes } of trie.changedNodes(since)) {
    for (const { path, rlp } of nodes) {
      const key = storage
        ? storageNodeKey(space, storage.addressHash, storage.born, path)
        : accountNodeKey(space, path);
      yield { key, value: rlp };
    }
  }
}

function* valueRows(target: RowTarget, space: SpaceState): Generator<Row | undefined> {
  const { id, rows } = space;
  const changes = space.writing?.entries ?? [];
  const accounts = yield* inHashOrder(changes, ([key]) => hashOfAddressKey(key));
  for (const { hash, item } of accounts) {
    const [addressKey, entry] = item;
    const address = bytesOfKey(addressKey);
    const encode = (value: Account | undefined) => value && encodeAccountRow(address, value);
    const known = rows.account(addressKey);
    const before = known === undefined ? undefined : { value: known ?? undefined };
    const key = accountKey(id, hash);
    const last = yield* versionRows(target, key, entry.accounts, encode, before);
    if (entry.accounts.length > 0) rows.setAccount(addressKey, last ?? null);
  }
  for (const { hash, item } of accounts) {
    yield* versionRows(target, metadataKey(id, hash), item[1].metadata, encodeMetadata);
  }
  for (const { hash, item } of accounts) {
    const [addressKey, { storages }] = item;
    for (const [born, storage] of storages) {
      for (const slot of yield* inHashOrder(storage, ([number]) => hashOfSlot(number))) {
        const [number, versions] = slot.item;
        const key = slotKey(id, hash, born, slot.hash);
        const encode = (value: bigint) => (value === 0n ? undefined : encodeSlotRow(number, value));
        const known = rows.slot(addressKey, born, number);
        const before = known === undefined ? undefined : { value: known };
        const last = yield* versionRows(target, key, versions, encode, before);
        rows.setSlot(addressKey, born, number, last!);
      }
    }
  }
}

/**
 * All versions of one row, of which the last one is returned. `known`: the value that the index has
 * now; without it, the row is read.
 */
function* versionRows<T>(
  { kv, horizon }: RowTarget,
  key: Uint8Array,
  versions: Versions<T>,
  encode: (value: T) => Uint8Array | undefined,
  known?: { readonly value: T },
): Generator<Row, T | undefined> {
  if (versions.length === 0) return undefined;
  const isNeeded = versions[0]!.number > horizon;
  const stored = () => (known ? encode(known.value) : kv.get(TABLE.state, key));
  let before = isNeeded ? stored() : undefined;
  for (const { number, value } of versions) {
    if (number > horizon) yield { key: pastKey(key, number), value: before ?? EMPTY_BYTES };
    before = encode(value);
  }
  yield { key, value: before };
  return versions.at(-1)!.value;
}
