/** Writes checkpoints beside appends, one at a time, and takes blocks back out of the index. */
import type { Hash32 } from '../base/bytes.ts';
import { fromHex } from '../base/hex.ts';
import { keccak256 } from '../base/keccak.ts';
import type { Block } from '../chain/block.ts';
import type { Clock, Kv, KvWriter } from '../ports.ts';
import type { StateTrie } from '../state/state-trie.ts';
import type { BlockIndex } from './block-index.ts';
import type { BlockLog } from './block-log.ts';
import { type CheckpointMark, writeChanges, writeMark, writeNodes } from './checkpoint.ts';
import { accountKey, afterPrefix, metadataKey, pastKey, slotKey, TABLE } from './keys.ts';
import { comparePositions, type LogPosition } from './log-record.ts';
import type { Touched } from './reverse-writes.ts';
import { SerialQueue } from './serial-queue.ts';
import type { SpaceEntry, Spaces } from './spaces.ts';
import { slotHash } from './state-store.ts';

/** Nibbles of the account trie that stay in memory behind a checkpoint: 16^4 branches at most. */
const SETTLED_DEPTH_NIBBLES = 4;
/** Writes between two chances for the event loop. */
const SLICE_STEPS = 256;

export interface CheckpointParts {
  readonly kv: Kv;
  readonly log: BlockLog;
  readonly index: BlockIndex;
  readonly spaces: Spaces;
  /** By bare hex of the hash: code above the checkpoint. */
  readonly codes: Map<string, Uint8Array>;
  readonly clock: Clock;
  readonly start: LogPosition;
}

/** One space on its way back to an older block. */
export interface RewindPlan {
  readonly entry: SpaceEntry;
  readonly trie: StateTrie;
  readonly touched: ReadonlyMap<string, Touched>;
}

interface Captured {
  readonly mark: CheckpointMark;
  readonly spaces: readonly { entry: SpaceEntry; trie: StateTrie; cursor: number }[];
  readonly codes: readonly (readonly [string, Uint8Array])[];
}

export class CheckpointWriter {
  private readonly parts: CheckpointParts;
  private readonly turn = new SerialQueue();
  private running = 0;
  /** Where replay would start. */
  position: LogPosition;
  /** End of the last record that memory holds. */
  applied: LogPosition;
  lastAtMs: number;

  constructor(parts: CheckpointParts) {
    this.parts = parts;
    this.position = parts.start;
    this.applied = parts.start;
    this.lastAtMs = parts.clock.nowMs();
  }

  get isRunning(): boolean {
    return this.running > 0;
  }

  /** Brings the index to what is applied at this moment. */
  run(): Promise<void> {
    this.running++;
    return this.turn
      .run(() => this.write())
      .finally(() => {
        this.running--;
      });
  }

  /** Leads spaces back to block `to`; the index holds all of them when this begins. */
  rewind(plans: readonly RewindPlan[], to: number, blocks: Iterable<Block>): Promise<void> {
    return this.turn.run(async () => {
      const { kv, index, spaces } = this.parts;
      for (const { entry, trie } of plans) {
        trie.root();
        entry.cursor = to;
      }
      const tries = new Map(plans.map(({ entry, trie }) => [entry, trie]));
      const mark = this.mark((entry) => tries.get(entry) ?? entry.trie);
      const removed = [...blocks];
      await kv.commit(function* (writer) {
        for (const { entry, trie, touched } of plans) {
          yield* sliced(restoreRows(kv, writer, entry.id, touched, to));
          yield* sliced(writeNodes(writer, entry.id, trie, entry.written));
          for (let number = to + 1; number <= entry.checkpoint; number++) {
            index.removePlace(writer, number, entry.id);
          }
        }
        for (const block of removed) yield* sliced(index.remove(writer, block));
        writeMark(writer, mark);
      });
      for (const { entry, trie } of plans) {
        entry.checkpoint = to;
        entry.written = trie.settle(SETTLED_DEPTH_NIBBLES);
        entry.trie = entry.written;
      }
      this.position = mark.position;
      spaces.open.isSettled = true;
    });
  }

  private async write(): Promise<void> {
    if (comparePositions(this.applied, this.position) === 0) return;
    const { kv, log, index } = this.parts;
    const { mark, spaces, codes } = this.capture();
    await log.sync();
    const cursors = new Map(spaces.map(({ entry, cursor }) => [entry.id, cursor]));
    const isDone = (number: number, space: number) => number <= (cursors.get(space) ?? -1);
    await kv.commit(function* (writer) {
      for (const { entry, trie, cursor } of spaces) {
        yield* sliced(writeChanges(kv, writer, entry.id, entry.recent, cursor));
        yield* sliced(writeNodes(writer, entry.id, trie, entry.written));
      }
      yield* sliced(index.write(writer, mark.number, isDone));
      for (const [hash, code] of codes) writer.put(TABLE.code, fromHex(hash), code);
      writeMark(writer, mark);
    });
    for (const { entry, trie, cursor } of spaces) settle(entry, trie, cursor);
    index.drop(mark.number, isDone);
    for (const [hash] of codes) this.parts.codes.delete(hash);
    this.position = mark.position;
    this.lastAtMs = this.parts.clock.nowMs();
  }

  private capture(): Captured {
    const { spaces, codes } = this.parts;
    const all = Array.from(spaces.all(), (entry) => ({
      entry,
      trie: entry.trie,
      cursor: entry.cursor,
    }));
    return { mark: this.mark((entry) => entry.trie), spaces: all, codes: [...codes] };
  }

  private mark(trieOf: (entry: SpaceEntry) => StateTrie): CheckpointMark {
    const { spaces, index } = this.parts;
    const number = spaces.open.cursor;
    return {
      number,
      hash: index.place(number)!.hash,
      root: trieOf(spaces.open).root(),
      position: this.applied,
      baseCursor: spaces.baseCursor,
      spaces: Array.from(spaces.privates(), (entry) => ({
        psi: entry.psi!,
        id: entry.id,
        cursor: entry.cursor,
        root: trieOf(entry).root(),
      })),
    };
  }
}

/** The index holds `trie` now: memory keeps its top, and what came since. */
function settle(entry: SpaceEntry, trie: StateTrie, cursor: number): void {
  entry.recent.dropUpTo(cursor);
  entry.checkpoint = cursor;
  entry.written = trie.settle(SETTLED_DEPTH_NIBBLES);
  entry.trie =
    entry.trie === trie ? entry.written : entry.written.update(entry.recent.latestWrites(cursor));
  entry.trie.root();
  entry.isSettled = true;
}

function* restoreRows(
  kv: Kv,
  writer: KvWriter,
  space: number,
  touched: ReadonlyMap<string, Touched>,
  to: number,
): Generator<void> {
  for (const { address, slots } of touched.values()) {
    const addressHash: Hash32 = keccak256(address);
    restoreRow(kv, writer, accountKey(space, addressHash), to);
    restoreRow(kv, writer, metadataKey(space, addressHash), to);
    for (const [born, numbers] of slots) {
      for (const slot of numbers) {
        restoreRow(kv, writer, slotKey(space, addressHash, born, slotHash(slot)), to);
        yield;
      }
    }
    yield;
  }
}

/** The value at block `to` is the one before the first later change. */
function restoreRow(kv: Kv, writer: KvWriter, key: Uint8Array, to: number): void {
  let isFirst = true;
  for (const [past, value] of kv.range(TABLE.past, pastKey(key, to + 1), afterPrefix(key))) {
    if (isFirst && value.length > 0) writer.put(TABLE.head, key, value);
    else if (isFirst) writer.delete(TABLE.head, key);
    isFirst = false;
    writer.delete(TABLE.past, past);
  }
}

function* sliced(steps: Iterable<unknown>): Generator<void> {
  let count = 0;
  for (const _ of steps) if (++count % SLICE_STEPS === 0) yield;
}
