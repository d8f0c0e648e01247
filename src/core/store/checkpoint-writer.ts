/**
 * Writes checkpoints concurrently with appends, one at a time, each in one transaction, in slices;
 * and removes rewound blocks from the index.
 */
import type { Hash32 } from '../base/bytes.ts';
import { fromHex } from '../base/hex.ts';
import type { Clock, Kv, KvWriter } from '../base/ports.ts';
import type { Block } from '../chain/block.ts';
import { hashOfAddress, hashOfSlot } from '../state/key-hash.ts';
import type { StateTrie } from '../state/state-trie.ts';
import type { BlockIndex } from './block-index.ts';
import type { BlockLog } from './block-log.ts';
import type { ChainStoreParts } from './chain-store-parts.ts';
import { type CheckpointMark, writeMark } from './checkpoint.ts';
import { accountKey, metadataKey, pastEnd, pastKey, slotKey, TABLE } from './keys.ts';
import { comparePositions, type LogPosition } from './log-record.ts';
import type { PrunedBlocks, Pruning } from './pruning.ts';
import { RecentChanges } from './recent-changes.ts';
import type { Touched } from './reverse-writes.ts';
import { SerialQueue } from './serial-queue.ts';
import { type SpaceEntry, type Spaces, settle } from './spaces.ts';
import { writeNodes, writeState } from './state-rows.ts';

/** Steps between two points where the write may yield; the port decides by its clock. */
const SLICE_STEPS = 16;
/**
 * The same while nobody waits for answers, about 10 ms: an import does as much between two slices,
 * and with short ones it would reach the next checkpoint, and wait, before this one is written.
 */
const LONG_SLICE_STEPS = 512;

/**
 * Log that a crash leaves to replay: about a second of work if all transfers are between new
 * accounts.
 */
const CHECKPOINT_BYTES_DEFAULT = 4 * 1024 * 1024;
/**
 * Accounts and slots that it writes. Among millions, each of them is on pages of its own: lmdb
 * holds these until the commit, and takes longer for each one the more there are.
 */
const CHECKPOINT_KEYS = 32_768;
const CHECKPOINT_MS_DEFAULT = 5_000;
/** An append waits for a running checkpoint when more than this multiple is not yet written. */
const BACKLOG_MAX = 2;

export interface CheckpointParts {
  readonly kv: Kv;
  readonly log: BlockLog;
  readonly index: BlockIndex;
  readonly spaces: Spaces;
  readonly pruning: Pruning;
  /** Code above the checkpoint, by hash in hex without 0x. */
  readonly codes: Map<string, Uint8Array>;
  readonly clock: Clock;
  readonly limits: Pick<
    ChainStoreParts,
    'checkpointBytes' | 'checkpointMs' | 'hasClients' | 'onFault' | 'seals'
  >;
  readonly start: LogPosition;
}

/** What changes in one space during a rewind to an older block. */
export interface RewindPlan {
  readonly entry: SpaceEntry;
  readonly trie: StateTrie;
  readonly touched: ReadonlyMap<string, Touched>;
}

interface Captured {
  readonly pruned: PrunedBlocks | undefined;
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
  private lastAtMs: number;

  constructor(parts: CheckpointParts) {
    this.parts = parts;
    this.position = parts.start;
    this.applied = parts.start;
    this.lastAtMs = parts.clock.nowMs();
  }

  get isRunning(): boolean {
    return this.running > 0;
  }

  /** Brings the index up to the present state. */
  run(): Promise<void> {
    this.running++;
    return this.turn
      .run(() => this.write())
      .finally(() => {
        this.running--;
      });
  }

  runIfDue(nowMs: number): void {
    const { log, limits } = this.parts;
    if (this.isRunning) return;
    const isOld = nowMs - this.lastAtMs >= (limits.checkpointMs ?? CHECKPOINT_MS_DEFAULT);
    if (!isOld && !this.isBehind(log.end(), 1)) return;
    this.run().catch((error: unknown) => limits.onFault?.(error));
  }

  /**
   * Whether the log from the checkpoint to `end`, or what it changes in the public state, exceeds
   * `times` the normal amount.
   */
  isBehind(end: LogPosition, times: number): boolean {
    const { log, limits, spaces } = this.parts;
    const bytes = limits.checkpointBytes ?? CHECKPOINT_BYTES_DEFAULT;
    const { recent, writing } = spaces.open;
    const keys = recent.keys + (writing?.keys ?? 0);
    return log.bytesBetween(this.position, end) >= bytes * times || keys >= CHECKPOINT_KEYS * times;
  }

  /** Waits for the running checkpoint if too much log is not yet in the index. */
  async waitIfFarBehind(): Promise<void> {
    if (this.isRunning && this.isBehind(this.parts.log.end(), BACKLOG_MAX)) await this.idle();
  }

  /** Resolves when all started work has ended, successfully or not. */
  private idle(): Promise<void> {
    return this.turn.run(async () => {});
  }

  /** Rewinds spaces to block `to`; the index must hold all of them at the start. */
  rewind(plans: readonly RewindPlan[], to: number, blocks: Iterable<Block>): Promise<void> {
    return this.turn.run(async () => {
      const { kv, index } = this.parts;
      for (const { entry, trie } of plans) {
        trie.root();
        entry.cursor = to;
        entry.rows.suspend();
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
        entry.rows.resume();
        entry.versions.clear();
        entry.trie = trie;
        settle(entry, trie, to);
      }
      this.position = mark.position;
    });
  }

  private async write(): Promise<void> {
    if (comparePositions(this.applied, this.position) === 0) return;
    const { kv, log, index, limits, pruning } = this.parts;
    const { mark, pruned, spaces, codes } = this.capture();
    const sliceSteps = limits.hasClients === false ? LONG_SLICE_STEPS : SLICE_STEPS;
    try {
      await log.sync();
      await kv.commit(function* (writer) {
        for (const { entry, trie } of spaces) {
          const target = { kv, writer, horizon: mark.horizon ?? -1 };
          yield* sliced(writeState(target, entry, trie, entry.written), sliceSteps);
        }
        yield* sliced(index.write(writer), sliceSteps);
        for (const [hash, code] of codes) writer.put(TABLE.code, fromHex(hash), code);
        if (pruned) yield* sliced(pruning.write(writer, pruned));
        limits.seals?.write(writer);
        writeMark(writer, mark);
      });
    } catch (error) {
      pruning.end(undefined);
      index.thaw();
      for (const { entry } of spaces) thaw(entry);
      throw error;
    }
    for (const { entry, trie, cursor } of spaces) {
      entry.checkpoint = cursor;
      entry.writing = undefined;
      settle(entry, trie, cursor);
    }
    pruning.end(pruned);
    index.drop();
    for (const [hash] of codes) this.parts.codes.delete(hash);
    this.position = mark.position;
    this.lastAtMs = this.parts.clock.nowMs();
  }

  private capture(): Captured {
    const { spaces, codes, log, pruning } = this.parts;
    const pruned = pruning.begin(log.bytesBetween(this.position, this.applied));
    const all = Array.from(spaces.all(), (entry) => ({
      entry,
      trie: entry.trie,
      cursor: entry.cursor,
    }));
    const mark = this.mark((entry) => entry.trie);
    this.parts.index.freeze();
    for (const entry of spaces.all()) {
      entry.writing = entry.recent;
      entry.recent = new RecentChanges();
    }
    return { mark, pruned, spaces: all, codes: [...codes] };
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
      base: spaces.base,
      horizon: spaces.horizon.number,
      spaces: Array.from(spaces.privates(), (entry) => ({
        psi: entry.psi!,
        id: entry.id,
        cursor: entry.cursor,
        root: trieOf(entry).root(),
      })),
    };
  }
}

/** Nothing was written: the frozen part becomes recent again. */
function thaw(entry: SpaceEntry): void {
  // These have values already that the index does not have.
  entry.rows.clear();
  if (!entry.writing) return;
  entry.writing.absorb(entry.recent);
  entry.recent = entry.writing;
  entry.writing = undefined;
}

function* restoreRows(
  kv: Kv,
  writer: KvWriter,
  space: number,
  touched: ReadonlyMap<string, Touched>,
  to: number,
): Generator<void> {
  for (const { address, slots } of touched.values()) {
    const addressHash: Hash32 = hashOfAddress(address);
    restoreRow(kv, writer, accountKey(space, addressHash), to);
    restoreRow(kv, writer, metadataKey(space, addressHash), to);
    for (const [born, numbers] of slots) {
      for (const slot of numbers) {
        restoreRow(kv, writer, slotKey(space, addressHash, born, hashOfSlot(slot)), to);
        yield;
      }
    }
    yield;
  }
}

/** The value at block `to` is the value before the first later change. */
function restoreRow(kv: Kv, writer: KvWriter, key: Uint8Array, to: number): void {
  let isFirst = true;
  for (const [past, value] of kv.range(TABLE.state, pastKey(key, to + 1), pastEnd(key))) {
    if (isFirst && value.length > 0) writer.put(TABLE.state, key, value);
    else if (isFirst) writer.delete(TABLE.state, key);
    isFirst = false;
    writer.delete(TABLE.state, past);
  }
}

function* sliced(steps: Iterable<unknown>, sliceSteps = SLICE_STEPS): Generator<void> {
  let count = 0;
  for (const _ of steps) if (++count % sliceSteps === 0) yield;
}
