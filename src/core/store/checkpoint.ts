/**
 * The checkpoint: brings the index to a log position in one transaction, in slices. `past` gets the value before each block,
 * `head` the last one, `nodes` what changed in the tries.
 */
import { EMPTY_BYTES, type Hash32 } from '../base/bytes.ts';
import { keccak256 } from '../base/keccak.ts';
import { RlpWriter, readList } from '../base/rlp.ts';
import type { Kv, KvWriter } from '../ports.ts';
import type { Psi } from '../privacy/inputs.ts';
import type { StateTrie } from '../state/state-trie.ts';
import {
  accountKey,
  accountNodeKey,
  CHECKPOINT_KEY,
  metadataKey,
  pastKey,
  slotKey,
  storageNodeKey,
  TABLE,
} from './keys.ts';
import type { LogPosition } from './log-record.ts';
import type { RecentAccount, RecentChanges, Versions } from './recent-changes.ts';
import { encodeAccountRow, encodeMetadata, encodeSlotRow } from './rows.ts';
import { slotHash } from './state-store.ts';

interface SpaceMark {
  readonly psi: Psi;
  readonly id: number;
  readonly cursor: number;
  readonly root: Hash32;
}

/** What the index is a function of: the log up to `position`. */
export interface CheckpointMark {
  readonly number: number;
  readonly hash: Hash32;
  readonly root: Hash32;
  /** Replay starts here. */
  readonly position: LogPosition;
  /** Cursor of private states that do not exist yet. */
  readonly baseCursor: number;
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
  return { number, hash, root, position, baseCursor, spaces };
}

export function writeMark(writer: KvWriter, mark: CheckpointMark): void {
  const row = new RlpWriter(256);
  row.list((list) => {
    list.number(mark.number).string(mark.hash).string(mark.root);
    list
      .number(mark.position.segment)
      .number(mark.position.offset)
      .number(mark.baseCursor + 1);
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
}

/** Flat rows of one space for the changes at blocks up to `upTo`. */
export function* writeChanges(
  kv: Kv,
  writer: KvWriter,
  space: number,
  recent: RecentChanges,
  upTo: number,
): Generator<void> {
  for (const entry of recent.entries.values()) {
    const addressHash = keccak256(entry.address);
    writeAccountVersions(kv, writer, space, addressHash, entry, upTo);
    for (const [born, storage] of entry.storages) {
      for (const [slot, versions] of storage) {
        const key = slotKey(space, addressHash, born, slotHash(slot));
        writeVersions(kv, writer, key, versions, upTo, (value) =>
          value === 0n ? undefined : encodeSlotRow(slot, value),
        );
        yield;
      }
    }
    yield;
  }
}

function writeAccountVersions(
  kv: Kv,
  writer: KvWriter,
  space: number,
  addressHash: Hash32,
  entry: RecentAccount,
  upTo: number,
): void {
  writeVersions(
    kv,
    writer,
    accountKey(space, addressHash),
    entry.accounts,
    upTo,
    (account) => account && encodeAccountRow(entry.address, account),
  );
  writeVersions(kv, writer, metadataKey(space, addressHash), entry.metadata, upTo, encodeMetadata);
}

function writeVersions<T>(
  kv: Kv,
  writer: KvWriter,
  key: Uint8Array,
  versions: Versions<T>,
  upTo: number,
  encode: (value: T) => Uint8Array | undefined,
): void {
  if (versions.length === 0 || versions[0]!.number > upTo) return;
  let before = kv.get(TABLE.head, key);
  for (const { number, value } of versions) {
    if (number > upTo) break;
    writer.put(TABLE.past, pastKey(key, number), before ?? EMPTY_BYTES);
    before = encode(value);
  }
  if (before) writer.put(TABLE.head, key, before);
  else writer.delete(TABLE.head, key);
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
    if (change.rlp) writer.put(TABLE.nodes, key, change.rlp);
    else writer.delete(TABLE.nodes, key);
    yield;
  }
}
