/**
 * The checkpoint: brings the index to a log position in one transaction, in slices. The table
 * `state` gets the value before each block, the last value, and the changed trie nodes.
 */
import { EMPTY_BYTES, type Hash32 } from '../base/bytes.ts';
import type { Kv, KvWriter } from '../base/ports.ts';
import { numberToUint64 } from '../base/quantity.ts';
import { RlpWriter, readList } from '../base/rlp.ts';
import type { Psi } from '../privacy/inputs.ts';
import { hashOfAddress, hashOfSlot } from '../state/key-hash.ts';
import type { StateTrie } from '../state/state-trie.ts';
import {
  accountKey,
  accountNodeKey,
  CHECKPOINT_KEY,
  HORIZON_KEY,
  metadataKey,
  pastKey,
  slotKey,
  storageNodeKey,
  TABLE,
  uint64At,
} from './keys.ts';
import type { LogPosition } from './log-record.ts';
import type { RecentAccount, Versions } from './recent-changes.ts';
import { encodeAccountRow, encodeMetadata, encodeSlotRow } from './rows.ts';
import type { SpaceState } from './state-store.ts';

interface SpaceMark {
  readonly psi: Psi;
  readonly id: number;
  readonly cursor: number;
  readonly root: Hash32;
}

/** For a chain that was copied without executing it: the first block with its states. */
export interface BaseState {
  readonly number: number;
  /** True: its states are there too. False: only blocks and receipts are there so far. */
  readonly isWhole: boolean;
}

/** The log position up to which the index is complete. */
export interface CheckpointMark {
  readonly number: number;
  readonly hash: Hash32;
  readonly root: Hash32;
  /** Replay starts here. */
  readonly position: LogPosition;
  /** Cursor of private states that do not exist yet. */
  readonly baseCursor: number;
  /** Undefined: the states of all blocks are there. */
  readonly base?: BaseState | undefined;
  /**
   * The oldest block whose states were not pruned: there are no values before blocks up to it.
   * Undefined: nothing was pruned.
   */
  readonly horizon?: number | undefined;
  readonly spaces: readonly SpaceMark[];
}

const textEncoder = new TextEncoder();
const textDecoder = new TextDecoder();

export function readMark(kv: Kv): CheckpointMark | undefined {
  const row = kv.get(TABLE.meta, CHECKPOINT_KEY);
  if (!row) return undefined;
  const list = readList(row);
  const number = list.number();
  const hash = list.fixed(32);
  const root = list.fixed(32);
  const position = { segment: list.number(), offset: list.number() };
  const baseCursor = list.number() - 1;
  const base =
    list.done || list.isList ? undefined : { number: list.number(), isWhole: list.boolean() };
  const spaces: SpaceMark[] = [];
  while (!list.done) {
    const item = list.enter();
    spaces.push({
      psi: textDecoder.decode(item.string()),
      id: item.number(),
      cursor: item.number() - 1,
      root: item.fixed(32),
    });
  }
  const pruned = kv.get(TABLE.meta, HORIZON_KEY);
  const horizon = pruned && uint64At(pruned, 0);
  return { number, hash, root, position, baseCursor, base, horizon, spaces };
}

export function writeMark(writer: KvWriter, mark: CheckpointMark): void {
  const row = new RlpWriter(256);
  row.list((list) => {
    list.number(mark.number).string(mark.hash).string(mark.root);
    list
      .number(mark.position.segment)
      .number(mark.position.offset)
      .number(mark.baseCursor + 1);
    if (mark.base) list.number(mark.base.number).boolean(mark.base.isWhole);
    for (const { psi, id, cursor, root } of mark.spaces) {
      list.list((item) => {
        item
          .string(textEncoder.encode(psi))
          .number(id)
          .number(cursor + 1)
          .string(root);
      });
    }
  });
  writer.put(TABLE.meta, CHECKPOINT_KEY, row.finish());
  if (mark.horizon !== undefined) {
    writer.put(TABLE.meta, HORIZON_KEY, numberToUint64(mark.horizon));
  }
}

/** Where rows are written. */
interface RowTarget {
  readonly kv: Kv;
  readonly writer: KvWriter;
  /** Values before blocks up to this one are not written; -1: all are. */
  readonly horizon: number;
}

/**
 * Writes the flat rows of one space for the changes that it is `writing`. Updates its decoded rows
 * to what the index will hold.
 */
export function* writeChanges(target: RowTarget, space: SpaceState): Generator<void> {
  for (const [addressKey, entry] of space.writing?.entries ?? []) {
    const addressHash = hashOfAddress(entry.address);
    writeAccountVersions(target, space, addressHash, addressKey, entry);
    for (const [born, storage] of entry.storages) {
      for (const [slot, versions] of storage) {
        const key = slotKey(space.id, addressHash, born, hashOfSlot(slot));
        const last = writeVersions(target, key, versions, (value) =>
          value === 0n ? undefined : encodeSlotRow(slot, value),
        );
        space.rows.setSlot(addressKey, born, slot, last!);
        yield;
      }
    }
    yield;
  }
}

function writeAccountVersions(
  target: RowTarget,
  { id, rows }: SpaceState,
  addressHash: Hash32,
  addressKey: string,
  entry: RecentAccount,
): void {
  const account = writeVersions(
    target,
    accountKey(id, addressHash),
    entry.accounts,
    (value) => value && encodeAccountRow(entry.address, value),
  );
  if (entry.accounts.length > 0) rows.setAccount(addressKey, account ?? null);
  writeVersions(target, metadataKey(id, addressHash), entry.metadata, encodeMetadata);
}

/** Writes all versions of one row. Returns the last value. */
function writeVersions<T>(
  { kv, writer, horizon }: RowTarget,
  key: Uint8Array,
  versions: Versions<T>,
  encode: (value: T) => Uint8Array | undefined,
): T | undefined {
  if (versions.length === 0) return undefined;
  let before = versions[0]!.number > horizon ? kv.get(TABLE.state, key) : undefined;
  for (const { number, value } of versions) {
    if (number > horizon) writer.put(TABLE.state, pastKey(key, number), before ?? EMPTY_BYTES);
    before = encode(value);
  }
  if (before) writer.put(TABLE.state, key, before);
  else writer.delete(TABLE.state, key);
  return versions.at(-1)!.value;
}

/** Node rows that turn the tries of `since` into those of `trie`. */
export function* writeNodes(
  writer: KvWriter,
  space: number,
  trie: StateTrie,
  since: StateTrie,
): Generator<void> {
  for (const change of trie.changedNodes(since)) {
    const key = change.storage
      ? storageNodeKey(space, change.storage.addressHash, change.storage.born, change.path)
      : accountNodeKey(space, change.path);
    if (change.rlp) writer.put(TABLE.state, key, change.rlp);
    else writer.delete(TABLE.state, key);
    yield;
  }
}
