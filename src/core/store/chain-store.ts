/**
 * The chain on disk: the log is authoritative, the index is derived from it up to the checkpoint,
 * and memory holds what is above (docs/storage.md). Opening replays write sets from the checkpoint
 * and checks the last root; nothing is executed.
 *
 *   append -> record in the log -> synced -> in memory, visible -> checkpoint -> in the index
 *   open:  index -> log above the checkpoint replayed into memory -> last root compared
 *
 * Invariants (docs/internals/chain-store.md): a block is visible only after its record is synced;
 * one change at a time; a record is complete, by its length and checksum, or absent.
 * Failures: a crash leaves at most a torn end of the log after the checkpoint, which is cut. A
 * damaged index is rebuilt from the log. Damage inside the log is refused with the file and the
 * byte, and nothing is cut.
 */
import { equalBytes, type Hash32 } from '../base/bytes.ts';
import { assert, fail } from '../base/errors.ts';
import type { Block } from '../chain/block.ts';
import type { SpaceResult } from '../execution/result.ts';
import { EMPTY_PSI, type Psi } from '../privacy/inputs.ts';
import type { StateTrie } from '../state/state-trie.ts';
import { EMPTY_WRITE_SET } from '../state/write-set.ts';
import {
  type BaseRecord,
  decodeBaseRecord,
  decodeStatePart,
  encodeBaseRecord,
  encodeStatePart,
  type StatePart,
} from './base-records.ts';
import { BaseWriter, type StateProgress } from './base-writer.ts';
import type { NewRecord, ScannedRecord } from './block-log.ts';
import type { ChainStoreParts } from './chain-store-parts.ts';
import { readMark } from './checkpoint.ts';
import { CheckpointWriter } from './checkpoint-writer.ts';
import { type CopiedBlock, changesOf, recordsOf } from './copied-block.ts';
import type { BlockToAppend, Durability } from './interface.ts';
import { endOf, type LogPosition, RECORD_HEADER_BYTES, RECORD_KIND } from './log-record.ts';
import { Pruning } from './pruning.ts';
import {
  decodeRewindRecord,
  encodeBlockRecord,
  encodePrivateRecord,
  encodeRewindRecord,
} from './record-bodies.ts';
import { touchedBy } from './reverse-writes.ts';
import { SerialQueue } from './serial-queue.ts';
import { copiesForNew } from './space-copy.ts';
import { advance, leavesOf, type SpaceEntry } from './spaces.ts';
import { StateAt } from './state-store.ts';
import { wrongIndex } from './store-errors.ts';
import { StoredChain } from './stored-chain.ts';
import { privateTriesAfter, trieAfter } from './tries-after.ts';
import { moveWaitingRows } from './waiting-rows.ts';

/** With durability `group`, at most so many blocks share one sync. */
const GROUP_BLOCKS = 64;

export type { ChainStoreParts };

export class ChainStore extends StoredChain {
  private readonly parts: ChainStoreParts;
  private readonly pruning: Pruning;
  private readonly writer: CheckpointWriter;
  /** One write at a time. */
  private readonly turn = new SerialQueue();
  private readonly baseWriter: BaseWriter;
  private unsyncedBlocks = 0;
  private readable: LogPosition;

  private constructor(parts: ChainStoreParts) {
    const mark = readMark(parts.kv);
    super(parts, mark);
    this.parts = parts;
    const { log, index, stateSpaces: spaces, recentCodes: codes } = this;
    const { kv, clock } = parts;
    this.pruning = new Pruning({ ...parts, spaces, index, log, folder: parts.log });
    this.writer = new CheckpointWriter({
      ...{ limits: parts, kv, log, index, spaces, codes, clock, pruning: this.pruning },
      start: mark?.position ?? { segment: 0, offset: 0 },
    });
    this.baseWriter = new BaseWriter({ kv: parts.kv, spaces: this.stateSpaces });
    this.readable = this.writer.position;
    this.beginAt(mark);
  }

  /** How far a replica may read: everything before it is durable and visible here. */
  get end(): LogPosition {
    return this.readable;
  }

  /**
   * Cuts a torn tail. Throws STORE_CORRUPT: the log is damaged; STORE_INDEX_UNFIT: log and index do
   * not match, or a root is wrong; STORE_INDEX_DAMAGED.
   */
  static async open(parts: ChainStoreParts): Promise<ChainStore> {
    const store = new ChainStore(parts);
    try {
      await store.replay();
      return store;
    } catch (error) {
      store.log.close();
      throw error;
    }
  }

  /** Appends the next block, from 0. One write, one sync; visible to readers afterwards. */
  append(next: BlockToAppend, durability: Durability = 'now'): Promise<void> {
    return this.turn.run(async () => {
      await this.writer.waitIfFarBehind();
      this.checkOrder(next.block);
      const trie = trieAfter(this.stateSpaces, next);
      const records: NewRecord[] = [{ kind: RECORD_KIND.block, body: encodeBlockRecord(next) }];
      const { number } = next.block.header;
      const spaces = next.spaces && this.withCopies(number, next.spaces);
      let tries: ReadonlyMap<Psi, StateTrie> = new Map();
      if (spaces) {
        this.checkPrivateOrder(number, spaces, number);
        tries = privateTriesAfter(this.stateSpaces, number, spaces);
        records.push({ kind: RECORD_KIND.private, body: encodePrivateRecord({ number, spaces }) });
      }
      const [position, privatePosition] = this.log.append(records);
      const end = this.log.end();
      this.unsyncedBlocks++;
      if (durability === 'now' || this.unsyncedBlocks >= GROUP_BLOCKS) await this.syncLog();
      this.applyBlock(next, position!, trie);
      if (spaces) this.applyPrivate(number, spaces, privatePosition!, tries);
      this.writer.applied = end;
      this.readable = end;
      if (!this.stateSpaces.isBare(number)) this.cached.keep(next.block, next.receipts);
      this.writer.runIfDue(this.parts.clock.nowMs());
    });
  }

  /**
   * Appends the results of all private states for one block with private work. States without a
   * result have also passed the block, unless this runs again after a rewind of single states.
   */
  appendPrivate(number: number, results: ReadonlyMap<Psi, SpaceResult>): Promise<void> {
    return this.turn.run(async () => {
      const spaces = this.withCopies(number, results);
      this.checkPrivateOrder(number, spaces, this.head()?.number ?? -1);
      const tries = privateTriesAfter(this.stateSpaces, number, spaces);
      const body = encodePrivateRecord({ number, spaces });
      const [position] = this.log.append([{ kind: RECORD_KIND.private, body }]);
      const end = this.log.end();
      await this.syncLog();
      this.applyPrivate(number, spaces, position!, tries);
      this.writer.applied = end;
      this.readable = end;
      this.writer.runIfDue(this.parts.clock.nowMs());
    });
  }

  /**
   * In an empty store: blocks up to `number` come first, their states follow. Until `finishBase`,
   * only blocks and state parts (`appendState`) may be written.
   */
  beginBase(number: number): Promise<void> {
    return this.turn.run(async () => {
      assert(this.current === undefined, 'a base begins in an empty store');
      const record = { number, isWhole: false, roots: new Map<Psi, Hash32>() };
      this.log.append([{ kind: RECORD_KIND.base, body: encodeBaseRecord(record) }]);
      await this.syncLog();
      this.stateSpaces.base = record;
      this.writer.applied = this.log.end();
    });
  }

  /** Appends blocks up to the base, whose caller has checked and encoded them. */
  appendCopied(blocks: readonly CopiedBlock[]): Promise<void> {
    return this.turn.run(async () => {
      await this.writer.waitIfFarBehind();
      let head = this.current;
      for (const { block } of blocks) {
        const { header, hash } = block;
        assert(this.stateSpaces.isBare(header.number), 'copied blocks are not above the base');
        this.checkOrder(block, head);
        head = { number: header.number, hash, header };
      }
      const positions = this.log.append(blocks.flatMap(recordsOf)).values();
      const place = () => positions.next().value!;
      for (const { block, private: own } of blocks) {
        const { number } = block.header;
        const isPrivate = own !== undefined;
        this.applyBlock({ block, writes: EMPTY_WRITE_SET, hasPrivateWork: isPrivate }, place());
        if (own) this.applyPrivate(number, changesOf(own), place());
        this.cached.headers.set(number, block.header);
      }
      this.writer.applied = this.log.end();
      // Nothing is announced before the base is complete, so a sync may wait for the next
      // checkpoint; but a segment begins only after one.
      if (this.log.isOverdue) await this.syncLog();
      this.readable = this.writer.applied;
      this.writer.runIfDue(this.parts.clock.nowMs());
    });
  }

  /** Blocks up to the base become known by their hashes; `finishBase` does so too. */
  indexHashes(proceed: (part: number) => boolean | Promise<boolean>): Promise<boolean> {
    return this.turn.run(async () => {
      await this.writer.run();
      return moveWaitingRows(this.kv, proceed);
    });
  }

  /** Appends the next part of the states after the base, the head. Durable with `finishBase`. */
  appendState(part: StatePart): Promise<void> {
    return this.turn.run(async () => {
      if (!this.baseWriter.progress) await this.writer.run();
      const body = encodeStatePart(part);
      this.log.append([{ kind: RECORD_KIND.state, body }]);
      if (this.log.isOverdue) await this.syncLog();
      await this.baseWriter.add(part, body.length);
    });
  }

  /** How far `appendState` has come, in this and earlier runs. */
  get stateProgress(): StateProgress | undefined {
    return this.baseWriter.progress;
  }

  /** Ends the base; `roots`: of private states. Throws STORE_INDEX_UNFIT if a root is wrong. */
  finishBase(roots: ReadonlyMap<Psi, Hash32>): Promise<void> {
    return this.turn.run(async () => {
      const { number } = this.current!;
      if (!this.baseWriter.progress) await this.writer.run();
      const record = { number, isWhole: true, roots };
      this.log.append([{ kind: RECORD_KIND.base, body: encodeBaseRecord(record) }]);
      await this.syncLog();
      await this.applyBase(record, this.log.end());
      this.readable = this.writer.applied;
    });
  }

  /** Rewinds one private state, or (`all`) the chain, to block `to`. Durable when it resolves. */
  rewind(target: Psi | 'all', to: number): Promise<void> {
    return this.turn.run(async () => {
      const psi = target === 'all' ? undefined : target;
      const cursor =
        psi === undefined ? this.stateSpaces.open.cursor : this.stateSpaces.cursorOf(psi);
      this.stateSpaces.checkAge(to);
      if (to < 0 || to > cursor) {
        throw fail('STORE_REWIND_INVALID', `cannot rewind from block ${cursor} to ${to}`);
      }
      await this.pruning.rewinding(to, async () => {
        await this.parts.beforeRewind?.(target, to);
        await this.writer.run();
        const body = encodeRewindRecord({ psi, to });
        this.log.append([{ kind: RECORD_KIND.rewind, body }]);
        await this.syncLog();
        this.writer.applied = this.log.end();
        await this.applyRewind(psi, to);
        this.readable = this.writer.applied;
      });
    });
  }

  /** Makes group-durable blocks durable. */
  sync(): Promise<void> {
    return this.turn.run(() => this.syncLog());
  }

  /** Brings the index up to the head; runs concurrently with appends. */
  checkpoint(): Promise<void> {
    return this.writer.run();
  }

  /** For a timer, about every second: writes a due checkpoint when no block arrives. */
  maintain(nowMs: number): void {
    this.writer.runIfDue(nowMs);
  }

  /** Bytes of log that a crash now would replay. */
  replayBytes(): number {
    return this.log.bytesBetween(this.writer.position, this.log.end());
  }

  async close(): Promise<void> {
    await this.sync();
    if (this.current) await this.writer.run();
    await this.parts.seals?.writeNow(this.kv);
    this.log.close();
    await this.kv.close();
  }

  private async replay(): Promise<void> {
    const roots = new Map<SpaceEntry, Hash32>();
    const total = this.replayBytes();
    let done = 0;
    this.pruning.foresee(this.writer.position);
    for (const record of this.log.scan(this.writer.position)) {
      const end = endOf(record);
      done += RECORD_HEADER_BYTES + record.body.length;
      if (record.kind === RECORD_KIND.state) {
        // The checkpoint stays before the first state record until all states are there.
        if (!this.baseWriter.progress) await this.rootAndWrite(roots);
        await this.baseWriter.add(decodeStatePart(record.body), record.body.length);
        this.parts.onReplay?.(done, total);
        continue;
      }
      if (record.kind === RECORD_KIND.rewind) {
        const { psi, to } = decodeRewindRecord(record.body);
        await this.rootAndWrite(roots);
        this.writer.applied = end;
        await this.applyRewind(psi, to);
        this.pruning.passRewind();
      } else if (record.kind === RECORD_KIND.base) {
        await this.replayBase(record, roots);
      } else {
        for (const [entry, root] of this.replayRecord(record)) roots.set(entry, root);
      }
      this.writer.applied = end;
      this.parts.onReplay?.(done, total);
      // Not later, though fewer checkpoints are faster: with twice as much, lmdb has more changed
      // pages than it allows, and long lists of free ones, which slow down later commits.
      if (this.writer.isBehind(end, 1)) await this.rootAndWrite(roots);
    }
    this.rootReplayed(roots);
    this.readable = this.writer.applied;
  }

  private async rootAndWrite(roots: Map<SpaceEntry, Hash32>): Promise<void> {
    this.rootReplayed(roots);
    await this.writer.run();
  }

  private async replayBase(record: ScannedRecord, roots: Map<SpaceEntry, Hash32>): Promise<void> {
    const base = decodeBaseRecord(record.body);
    if (!base.isWhole) {
      this.stateSpaces.base = base;
      return;
    }
    if (!this.baseWriter.progress) await this.rootAndWrite(roots);
    await this.applyBase(base, endOf(record));
  }

  /** Everything before `end` is in the index, or waits to be written to it. */
  private async applyBase({ roots }: BaseRecord, end: LogPosition): Promise<void> {
    await this.baseWriter.finish(this.current!, roots, end);
    this.writer.position = end;
    this.writer.applied = end;
  }

  /** Computes tries after the replay; records have checksums, so only the last root is compared. */
  private rootReplayed(roots: Map<SpaceEntry, Hash32>): void {
    for (const [entry, root] of roots) {
      const writes = entry.recent.latestWrites(entry.checkpoint);
      const trie = entry.trie.update(writes);
      if (!equalBytes(trie.root(), root)) {
        throw wrongIndex(
          `the ${entry.psi === undefined ? 'state root' : 'root of a private state'} after block ${entry.cursor} is not the one in the log`,
        );
      }
      advance(entry, entry.cursor, trie, leavesOf(writes));
    }
    roots.clear();
  }

  /** The index must already hold everything before the rewind record. */
  private async applyRewind(psi: Psi | undefined, to: number): Promise<void> {
    const entries = psi === undefined ? [...this.stateSpaces.all()] : [this.stateSpaces.get(psi)!];
    const plans = entries
      .filter((entry) => entry.cursor > to)
      .map((entry) => {
        const back = this.writesBackTo(entry, to, new StateAt(this.kv, entry, this, to));
        const touched = touchedBy(this.writeSetsSince(entry, to))!;
        return { entry, trie: entry.trie.update(back), touched };
      });
    const removed: Block[] = [];
    if (psi === undefined) {
      for (let number = to + 1; number <= this.stateSpaces.open.cursor; number++) {
        removed.push(this.block(number)!);
      }
      const header = this.header(to)!;
      const trie = plans.find(({ entry }) => entry === this.stateSpaces.open)?.trie;
      if (trie && !equalBytes(trie.root(), header.stateRoot)) {
        throw wrongIndex(
          `after the rewind to block ${to} the state does not have the root in its header`,
        );
      }
      this.stateSpaces.baseCursor = Math.min(this.stateSpaces.baseCursor, to);
      this.current = { number: to, hash: this.hashOf(to)!, header };
    }
    await this.writer.rewind(plans, to, removed);
    this.cached.clear();
  }

  private withCopies(number: number, results: ReadonlyMap<Psi, SpaceResult>) {
    const { stateSpaces } = this;
    if (stateSpaces.isBare(number)) return results;
    const empty = stateSpaces.get(EMPTY_PSI);
    const reader = empty && new StateAt(this.kv, empty, this, number - 1);
    return reader ? copiesForNew(results, (psi) => !stateSpaces.get(psi), reader) : results;
  }

  private async syncLog(): Promise<void> {
    this.unsyncedBlocks = 0;
    await this.log.sync();
  }
}
