/**
 * The chain on disk: the log is the truth, the index a function of it up to the checkpoint, memory holds what is above
 * (docs/storage.md). Opening replays write sets from the checkpoint and checks the last root; nothing is executed.
 */
import { equalBytes, type Hash32 } from '../base/bytes.ts';
import { fail } from '../base/errors.ts';
import { bareHex } from '../base/hex.ts';
import type { Block } from '../chain/block.ts';
import { blockHash } from '../chain/extra-data.ts';
import type { Header } from '../chain/header.ts';
import type { Receipt } from '../chain/receipt.ts';
import type { TransactionDialect } from '../chain/transaction.ts';
import type { SpaceResult } from '../execution/result.ts';
import type { Kv } from '../ports.ts';
import { EMPTY_PSI, type Psi } from '../privacy/inputs.ts';
import type { StateReader } from '../state/reader.ts';
import type { StateTrie } from '../state/state-trie.ts';
import type { WriteSet } from '../state/write-set.ts';
import { BlockIndex, type Place } from './block-index.ts';
import { BlockLog, type NewRecord, SEGMENT_BYTES_DEFAULT } from './block-log.ts';
import { CachedBlocks, privateKey } from './cached-blocks.ts';
import type { ChainStoreParts } from './chain-store-parts.ts';
import { readMark } from './checkpoint.ts';
import { CheckpointWriter } from './checkpoint-writer.ts';
import type {
  BlockToAppend,
  ChainReader,
  Durability,
  Head,
  PrivateRecord,
  Space,
  TransactionPlace,
} from './interface.ts';
import { PUBLIC_ID, TABLE } from './keys.ts';
import { type LogPosition, RECORD_KIND } from './log-record.ts';
import {
  decodeBlockOf,
  decodeHeaderOf,
  decodePrivateRecord,
  decodeReceiptsOf,
  decodeReplayedBlock,
  decodeRewindRecord,
  decodeWritesOf,
  encodeBlockRecord,
  encodePrivateRecord,
  encodeRewindRecord,
  type ReplayedBlock,
} from './record-bodies.ts';
import { reverseWrites, touchedBy } from './reverse-writes.ts';
import { SerialQueue } from './serial-queue.ts';
import { copiesForNew } from './space-copy.ts';
import { advance, leavesOf, type SpaceEntry, Spaces } from './spaces.ts';
import { StateAt } from './state-store.ts';
import { privateOutOfOrder, wrongIndex } from './store-errors.ts';

/** While replaying, memory is given back behind that many times as much. */
const REPLAY_MAX = 16;
/** Appends with durability `group` share one sync. */
const GROUP_BLOCKS = 64;
/** A header with the seals of some 20 validators; longer ones are read with their block. */
const HEADER_READ_BYTES = 4096;
/** Accounts and slots changed since the block of a proof: more would hold up everything else for too long. */
const PROOF_CHANGES_MAX = 200_000;

export type { ChainStoreParts };

export class ChainStore implements ChainReader {
  private readonly parts: ChainStoreParts;
  private readonly kv: Kv;
  private readonly log: BlockLog;
  private readonly index: BlockIndex;
  private readonly stateSpaces: Spaces;
  private readonly writer: CheckpointWriter;
  private readonly dialect: TransactionDialect;
  private readonly recentCodes = new Map<string, Uint8Array>();
  private readonly cached = new CachedBlocks();
  /** One write at a time. */
  private readonly turn = new SerialQueue();
  private current: Head | undefined;
  private unsyncedBlocks = 0;

  private constructor(parts: ChainStoreParts) {
    this.parts = parts;
    this.kv = parts.kv;
    this.dialect = parts.dialect ?? 'quorum';
    this.log = new BlockLog(parts.log, parts.segmentBytesMax ?? SEGMENT_BYTES_DEFAULT);
    this.index = new BlockIndex(parts.kv);
    const mark = readMark(parts.kv);
    this.stateSpaces = new Spaces(parts.kv, mark, parts.trieBytesMax);
    this.writer = new CheckpointWriter({
      limits: parts,
      kv: parts.kv,
      log: this.log,
      index: this.index,
      spaces: this.stateSpaces,
      codes: this.recentCodes,
      clock: parts.clock,
      start: mark?.position ?? { segment: 0, offset: 0 },
    });
  }

  /** Throws STORE_CORRUPT when log and index do not fit or a root is wrong; cuts a torn tail. */
  static async open(parts: ChainStoreParts): Promise<ChainStore> {
    const store = new ChainStore(parts);
    await store.replay();
    return store;
  }

  // --- writing ----------------------------------------------------------------------------------------------------

  /** The next block, from 0. One write, one sync; visible to readers afterwards. */
  append(next: BlockToAppend, durability: Durability = 'now'): Promise<void> {
    return this.turn.run(async () => {
      await this.writer.waitIfFarBehind();
      const trie = this.checkNext(next);
      const records: NewRecord[] = [{ kind: RECORD_KIND.block, body: encodeBlockRecord(next) }];
      const { number } = next.block.header;
      const spaces = next.spaces && this.withCopies(number, next.spaces);
      let tries: ReadonlyMap<Psi, StateTrie> = new Map();
      if (spaces) {
        tries = this.checkPrivate(number, spaces, number);
        records.push({ kind: RECORD_KIND.private, body: encodePrivateRecord({ number, spaces }) });
      }
      const [position, privatePosition] = this.log.append(records);
      const end = this.log.end();
      this.unsyncedBlocks++;
      if (durability === 'now' || this.unsyncedBlocks >= GROUP_BLOCKS) await this.syncLog();
      this.applyBlock(next, position!, trie);
      if (spaces) this.applyPrivate(number, spaces, privatePosition!, tries);
      this.writer.applied = end;
      this.cached.keep(next.block, next.receipts);
      this.writer.runIfDue(this.parts.clock.nowMs());
    });
  }

  /**
   * Results of all private states for one block with private work. States that are not named are done with the block too,
   * unless this runs again after a rewind of single states.
   */
  appendPrivate(number: number, results: ReadonlyMap<Psi, SpaceResult>): Promise<void> {
    return this.turn.run(async () => {
      const spaces = this.withCopies(number, results);
      const tries = this.checkPrivate(number, spaces, this.head()?.number ?? -1);
      const body = encodePrivateRecord({ number, spaces });
      const [position] = this.log.append([{ kind: RECORD_KIND.private, body }]);
      const end = this.log.end();
      await this.syncLog();
      this.applyPrivate(number, spaces, position!, tries);
      this.writer.applied = end;
      this.writer.runIfDue(this.parts.clock.nowMs());
    });
  }

  /** Takes back one private state, or with `all` the chain itself, to `to`. Durable when it resolves. */
  rewind(target: Psi | 'all', to: number): Promise<void> {
    return this.turn.run(async () => {
      const psi = target === 'all' ? undefined : target;
      const cursor = psi === undefined ? this.stateSpaces.open.cursor : this.cursorOf(psi);
      if (to < 0 || to > cursor) {
        throw fail('STORE_REWIND_INVALID', `cannot rewind from block ${cursor} to ${to}`);
      }
      await this.writer.run();
      const body = encodeRewindRecord({ psi, to });
      this.log.append([{ kind: RECORD_KIND.rewind, body }]);
      await this.syncLog();
      this.writer.applied = this.log.end();
      await this.applyRewind(psi, to);
    });
  }

  /** Makes group-durable blocks durable. */
  sync(): Promise<void> {
    return this.turn.run(() => this.syncLog());
  }

  /** Brings the index up to the head; runs beside appends. */
  checkpoint(): Promise<void> {
    return this.writer.run();
  }

  /** For a timer, about every second: writes the checkpoint that is due while no block comes. */
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
    this.log.close();
    await this.kv.close();
  }

  // --- reading ----------------------------------------------------------------------------------------------------

  head(): Head | undefined {
    return this.current;
  }

  block(number: number): Block | undefined {
    const known = this.cached.blocks.get(number);
    if (known) return known;
    const body = this.blockBody(number);
    if (!body) return undefined;
    const block = decodeBlockOf(body, this.dialect);
    this.cached.blocks.set(number, block);
    return block;
  }

  header(number: number): Header | undefined {
    if (number === this.current?.number) return this.current.header;
    const known = this.cached.headers.get(number);
    if (known) return known;
    const header = this.readHeader(number) ?? this.block(number)?.header;
    if (header) this.cached.headers.set(number, header);
    return header;
  }

  hashOf(number: number): Hash32 | undefined {
    return this.isBlock(number) ? this.index.place(number)?.hash : undefined;
  }

  numberOf(hash: Hash32): number | undefined {
    return this.index.numberOf(hash);
  }

  blockByHash(hash: Hash32): Block | undefined {
    const number = this.index.numberOf(hash);
    return number === undefined ? undefined : this.block(number);
  }

  receipts(number: number): readonly Receipt[] | undefined {
    const known = this.cached.receipts.get(number);
    if (known) return known;
    const body = this.blockBody(number);
    if (!body) return undefined;
    const receipts = decodeReceiptsOf(body);
    this.cached.receipts.set(number, receipts);
    return receipts;
  }

  transactionByHash(hash: Hash32): TransactionPlace | undefined {
    return this.index.transaction(hash);
  }

  privateRecord(psi: Psi, number: number): PrivateRecord | undefined {
    const key = privateKey(psi, number);
    const known = this.cached.privateRecords.get(key);
    if (known) return known;
    const result = this.privateResult(psi, number);
    if (!result) return undefined;
    const { root, receipts, bloom } = result;
    const record = { root, receipts, bloom };
    this.cached.privateRecords.set(key, record);
    return record;
  }

  bloom(space: Space, number: number): Uint8Array | undefined {
    if (!this.isBlock(number)) return undefined;
    const id = space.kind === 'public' ? PUBLIC_ID : this.stateSpaces.get(space.psi)?.id;
    return id === undefined ? undefined : this.index.bloom(number, id);
  }

  writes(number: number): WriteSet | undefined {
    const body = this.blockBody(number);
    return body && decodeWritesOf(body);
  }

  stateAt(space: Space, number: number): StateReader {
    if (number > this.cursor(space) || number < 0) {
      throw fail(
        'STORE_STATE_UNAVAILABLE',
        space.kind === 'public'
          ? `state of block ${number} is not there: the head is ${this.cursor(space)}`
          : `private state is at block ${this.cursor(space)} of ${this.stateSpaces.open.cursor}: the private transaction manager does not answer`,
      );
    }
    return new StateAt(this.kv, this.entryOrEmpty(space), this, number);
  }

  cursor(space: Space): number {
    return space.kind === 'public' ? this.stateSpaces.open.cursor : this.cursorOf(space.psi);
  }

  spaces(): readonly Psi[] {
    return this.stateSpaces.psis();
  }

  code(hash: Hash32): Uint8Array | undefined {
    return this.recentCodes.get(bareHex(hash)) ?? this.kv.get(TABLE.code, hash);
  }

  trieAt(space: Space, number: number): StateTrie {
    const entry =
      space.kind === 'public'
        ? this.stateSpaces.open
        : (this.stateSpaces.get(space.psi) ?? this.stateSpaces.get(EMPTY_PSI));
    if (!entry) return this.stateSpaces.emptyTrie();
    const target = this.stateAt(space, number);
    if (number === entry.cursor) return entry.trie;
    const known = entry.versions.get(number);
    if (known) return known;
    const trie = entry.trie.update(this.writesBackTo(entry, number, target, PROOF_CHANGES_MAX));
    entry.versions.keepLedBack(number, trie);
    return trie;
  }

  // --- applying records -------------------------------------------------------------------------------------------

  private async replay(): Promise<void> {
    const mark = readMark(this.kv);
    if (mark) {
      const header = this.block(mark.number)?.header;
      if (!header || !equalBytes(this.index.place(mark.number)!.hash, mark.hash)) {
        throw wrongIndex(`it names block ${mark.number}, which the log does not hold`);
      }
      this.current = { number: mark.number, hash: mark.hash, header };
    }
    const roots = new Map<SpaceEntry, Hash32>();
    for (const { kind, body, position } of this.log.scan(this.writer.position)) {
      const end = { segment: position.segment, offset: position.offset + 9 + body.length };
      if (kind === RECORD_KIND.block) {
        const record = decodeReplayedBlock(body, this.dialect);
        this.checkOrder(record.block);
        this.applyBlock(record, position);
        roots.set(this.stateSpaces.open, record.block.header.stateRoot);
      } else if (kind === RECORD_KIND.private) {
        const { number, spaces } = decodePrivateRecord(body);
        this.checkPrivateOrder(number, spaces, this.stateSpaces.open.cursor);
        this.applyPrivate(number, spaces, position);
        for (const [psi, { root }] of spaces) roots.set(this.stateSpaces.get(psi)!, root);
      } else {
        const { psi, to } = decodeRewindRecord(body);
        this.rootReplayed(roots);
        await this.writer.run();
        this.writer.applied = end;
        await this.applyRewind(psi, to);
      }
      this.writer.applied = end;
      if (!this.writer.isBehind(end, REPLAY_MAX)) continue;
      this.rootReplayed(roots);
      await this.writer.run();
    }
    this.rootReplayed(roots);
  }

  /**
   * The tries after all that was replayed, in one step: each record's checksum vouches for the blocks between, and the last
   * root for the sum of them.
   */
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

  private checkOrder({ header }: Block): void {
    const { number, parentHash } = header;
    const head = this.current;
    const fits = head
      ? number === head.number + 1 && equalBytes(parentHash, head.hash)
      : number === 0;
    if (!fits) {
      throw fail(
        'STORE_BLOCK_OUT_OF_ORDER',
        `block ${number} does not follow the head${head ? ` (block ${head.number})` : ': the store is empty'}`,
      );
    }
  }

  /** Throws unless this is the next block and its root is right. Returns the trie after it. */
  private checkNext({ block, writes, trie }: BlockToAppend): StateTrie {
    this.checkOrder(block);
    const next = trie ?? this.stateSpaces.open.trie.update(writes);
    if (!equalBytes(next.root(), block.header.stateRoot)) {
      throw wrongIndex(`the state root of block ${block.header.number} is not its header's`);
    }
    return next;
  }

  /** Without `trie`, that is left to do. */
  private applyBlock(record: ReplayedBlock, position: LogPosition, trie?: StateTrie): void {
    const { block, writes, hasPrivateWork } = record;
    const { number } = block.header;
    const { open } = this.stateSpaces;
    this.index.addBlock(block, { ...position, hash: block.hash, hasPrivateWork });
    open.recent.apply(number, writes);
    if (trie) advance(open, number, trie, leavesOf(writes));
    else open.cursor = number;
    this.addCodes(writes);
    this.current = { number, hash: block.hash, header: block.header };
    this.skipQuietBlocks();
  }

  private checkPrivateOrder(
    number: number,
    spaces: ReadonlyMap<Psi, SpaceResult>,
    head: number,
  ): void {
    for (const psi of spaces.keys()) {
      const entry = this.stateSpaces.get(psi);
      if (entry && entry.cursor !== number - 1) throw privateOutOfOrder(entry.cursor, number);
    }
    const { baseCursor } = this.stateSpaces;
    if (number > head || number > baseCursor + 1) throw privateOutOfOrder(baseCursor, number);
  }

  /** Throws unless the block is the next one of each state and the roots are right. Returns the tries after it. */
  private checkPrivate(
    number: number,
    spaces: ReadonlyMap<Psi, SpaceResult>,
    head: number,
  ): ReadonlyMap<Psi, StateTrie> {
    this.checkPrivateOrder(number, spaces, head);
    const tries = new Map<Psi, StateTrie>();
    for (const [psi, result] of spaces) {
      const before = this.stateSpaces.get(psi)?.trie ?? this.stateSpaces.emptyTrie();
      const trie = before.update(result.writes);
      if (!equalBytes(trie.root(), result.root)) {
        throw wrongIndex(`the root of a private state at block ${number} is not its record's`);
      }
      tries.set(psi, trie);
    }
    return tries;
  }

  /** Without `tries`, they are left to do. */
  private applyPrivate(
    number: number,
    spaces: ReadonlyMap<Psi, SpaceResult>,
    position: LogPosition,
    tries?: ReadonlyMap<Psi, StateTrie>,
  ): void {
    const place: Place = {
      ...position,
      hash: this.index.place(number)!.hash,
      hasPrivateWork: true,
    };
    const isFirstRun = this.stateSpaces.baseCursor === number - 1;
    for (const [psi, result] of spaces) {
      const known = this.stateSpaces.get(psi);
      const entry = known ?? this.stateSpaces.add(psi, number - 1);
      entry.recent.apply(number, result.writes);
      if (tries) {
        // A new space reads its own nodes, which the trie from before it had a number cannot.
        const trie = known ? tries.get(psi)! : entry.trie.update(result.writes);
        trie.root();
        advance(entry, number, trie, leavesOf(result.writes));
      } else {
        entry.cursor = number;
      }
      this.addCodes(result.writes);
      this.index.addPrivate(number, entry.id, place, result.bloom);
    }
    if (isFirstRun) {
      this.stateSpaces.baseCursor = number;
      for (const entry of this.stateSpaces.privates()) {
        if (entry.cursor === number - 1) entry.cursor = number;
      }
    }
    this.skipQuietBlocks();
  }

  /** Everything up to `end` but the rewind itself is in the index already. */
  private async applyRewind(psi: Psi | undefined, to: number): Promise<void> {
    const entries = psi === undefined ? [...this.stateSpaces.all()] : [this.stateSpaces.get(psi)!];
    const plans = entries
      .filter((entry) => entry.cursor > to)
      .map((entry) => {
        const back = this.writesBackTo(entry, to, new StateAt(this.kv, entry, this, to));
        return { entry, trie: entry.trie.update(back), touched: this.touchedSince(entry, to) };
      });
    const removed: Block[] = [];
    if (psi === undefined) {
      for (let number = to + 1; number <= this.stateSpaces.open.cursor; number++) {
        removed.push(this.block(number)!);
      }
      const header = this.header(to)!;
      const trie = plans.find(({ entry }) => entry === this.stateSpaces.open)?.trie;
      if (trie && !equalBytes(trie.root(), header.stateRoot)) {
        throw wrongIndex(`the state led back to block ${to} has not its header's root`);
      }
      this.stateSpaces.baseCursor = Math.min(this.stateSpaces.baseCursor, to);
      this.current = { number: to, hash: this.hashOf(to)!, header };
    }
    await this.writer.rewind(plans, to, removed);
    this.cached.clear();
  }

  private addCodes(writes: WriteSet): void {
    for (const { hash, code } of writes.codes) this.recentCodes.set(bareHex(hash), code);
  }

  /** Private states are done with a block that has nothing for them. */
  private skipQuietBlocks(): void {
    const { stateSpaces } = this;
    stateSpaces.baseCursor = this.quietUpTo(stateSpaces.baseCursor);
    for (const entry of stateSpaces.privates()) entry.cursor = this.quietUpTo(entry.cursor);
  }

  private quietUpTo(cursor: number): number {
    let at = cursor;
    const head = this.stateSpaces.open.cursor;
    while (at < head && !this.index.place(at + 1)!.hasPrivateWork) at++;
    return at;
  }

  private withCopies(number: number, results: ReadonlyMap<Psi, SpaceResult>) {
    const { stateSpaces } = this;
    const empty = stateSpaces.get(EMPTY_PSI);
    const reader = empty && new StateAt(this.kv, empty, this, number - 1);
    return reader ? copiesForNew(results, (psi) => !stateSpaces.get(psi), reader) : results;
  }

  private writesBackTo(
    entry: SpaceEntry,
    to: number,
    target: StateReader,
    changesMax = Number.POSITIVE_INFINITY,
  ): WriteSet {
    const latest = new StateAt(this.kv, entry, this, entry.cursor);
    const touched = touchedBy(this.writeSetsSince(entry, to), changesMax);
    if (!touched) {
      throw fail(
        'STORE_PROOF_TOO_OLD',
        `proof at block ${to}: more than ${changesMax} accounts and slots have changed since. Ask for a later block, or ask a node whose head is nearer to it`,
      );
    }
    return reverseWrites(touched, latest, target);
  }

  private touchedSince(entry: SpaceEntry, to: number) {
    return touchedBy(this.writeSetsSince(entry, to))!;
  }

  private *writeSetsSince(entry: SpaceEntry, to: number): Generator<WriteSet> {
    for (let number = to + 1; number <= entry.cursor; number++) {
      const writes =
        entry.psi === undefined
          ? this.writes(number)
          : this.privateResult(entry.psi, number)?.writes;
      if (writes) yield writes;
    }
  }

  /** As it was appended, with what it changed; undefined where the space has nothing of its own. */
  privateResult(psi: Psi, number: number): SpaceResult | undefined {
    const entry = this.stateSpaces.get(psi);
    if (!entry || number > entry.cursor) return undefined;
    const place = this.index.place(number, entry.id);
    return place && decodePrivateRecord(this.log.read(place).body).spaces.get(psi);
  }

  private blockBody(number: number): Uint8Array | undefined {
    const place = this.isBlock(number) || !this.current ? this.index.place(number) : undefined;
    return place && this.log.read(place).body;
  }

  private isBlock(number: number): boolean {
    return this.current !== undefined && number >= 0 && number <= this.current.number;
  }

  private cursorOf(psi: Psi): number {
    return this.stateSpaces.get(psi)?.cursor ?? this.stateSpaces.baseCursor;
  }

  private entryOrEmpty(space: Space) {
    if (space.kind === 'public') return this.stateSpaces.open;
    return (
      this.stateSpaces.get(space.psi) ??
      this.stateSpaces.get(EMPTY_PSI) ??
      this.stateSpaces.nothing()
    );
  }

  private async syncLog(): Promise<void> {
    this.unsyncedBlocks = 0;
    await this.log.sync();
  }

  /** From the log; undefined unless its hash is the one that the index tells. */
  private readHeader(number: number): Header | undefined {
    const place = this.isBlock(number) ? this.index.place(number) : undefined;
    const header = place && decodeHeaderOf(this.log.readStart(place, HEADER_READ_BYTES));
    return header && equalBytes(blockHash(header), place.hash) ? header : undefined;
  }
}
