/**
 * Read side of a stored chain: blocks from the log, found by the index; state from the index and,
 * above its checkpoint, from memory. `ChainStore` writes; `ChainReplica` follows in another thread.
 */
import { equalBytes, type Hash32, keyOf } from '../base/bytes.ts';
import { bareHex } from '../base/hex.ts';
import type { Kv } from '../base/ports.ts';
import type { Block } from '../chain/block.ts';
import { blockHash } from '../chain/extra-data.ts';
import type { Header } from '../chain/header.ts';
import type { Receipt } from '../chain/receipt.ts';
import type { TransactionDialect } from '../chain/transaction.ts';
import type { SpaceResult } from '../execution/result.ts';
import { EMPTY_PSI, type Psi } from '../privacy/inputs.ts';
import type { StateReader } from '../state/reader.ts';
import type { StateTrie } from '../state/state-trie.ts';
import type { WriteSet } from '../state/write-set.ts';
import { type BlockExcerpt, excerptOf, readExcerpt } from './block-excerpt.ts';
import { BlockIndex, type IndexedBlock, type Place } from './block-index.ts';
import { BlockLog, type ScannedRecord, SEGMENT_BYTES_DEFAULT } from './block-log.ts';
import { CachedBlocks, privateKey } from './cached-blocks.ts';
import type { StoredChainParts } from './chain-store-parts.ts';
import type { BaseState, CheckpointMark } from './checkpoint.ts';
import type { ChainReader, Head, PrivateRecord, Space, TransactionPlace } from './interface.ts';
import { PUBLIC_ID, TABLE } from './keys.ts';
import { type LogPosition, RECORD_KIND } from './log-record.ts';
import {
  type AppliedBlock,
  decodeBlockOf,
  decodeHeaderOf,
  decodePrivateRecord,
  decodeReceiptsOf,
  decodeReplayedBlock,
  decodeWritesOf,
} from './record-bodies.ts';
import { reverseWrites, touchedBy } from './reverse-writes.ts';
import { advance, leavesOf, type SpaceEntry, Spaces, type TrieMemory } from './spaces.ts';
import { StateAt } from './state-store.ts';
import { blockOutOfOrder, privateOutOfOrder, proofTooOld, wrongIndex } from './store-errors.ts';

/** Enough for a header with the seals of 20 validators; longer ones are read with their block. */
const HEADER_READ_BYTES = 4096;
/** Proofs at blocks since which more accounts and slots have changed would take too long. */
const PROOF_CHANGES_MAX = 200_000;

const NO_ROOTS: ReadonlyMap<SpaceEntry, Hash32> = new Map();

export class StoredChain implements ChainReader {
  protected readonly kv: Kv;
  protected readonly log: BlockLog;
  protected readonly dialect: TransactionDialect;
  protected readonly cached: CachedBlocks;
  private readonly trieMemory: TrieMemory | undefined;
  private readonly onDamage: StoredChainParts['onDamage'];
  protected index: BlockIndex;
  protected stateSpaces: Spaces;
  /** Code above the checkpoint, by hash in hex without 0x. */
  protected readonly recentCodes = new Map<string, Uint8Array>();
  protected current: Head | undefined;

  protected constructor(parts: StoredChainParts, mark: CheckpointMark | undefined) {
    this.kv = parts.kv;
    this.dialect = parts.dialect ?? 'quorum';
    this.trieMemory = parts.trieMemory;
    this.onDamage = parts.onDamage;
    this.log = new BlockLog(parts.log, parts.segmentBytesMax ?? SEGMENT_BYTES_DEFAULT);
    this.cached = new CachedBlocks(parts.cached);
    this.index = new BlockIndex(parts.kv, parts.onDamage);
    this.stateSpaces = new Spaces(parts.kv, mark, parts.trieMemory);
  }

  isAtHand(number: number): boolean {
    return this.cached.blocks.has(number) && this.cached.receipts.has(number);
  }

  head(): Head | undefined {
    return this.current;
  }

  block(number: number): Block | undefined {
    const known = this.cached.blocks.get(number);
    if (known) return known;
    const place = this.placeOfBlock(number);
    if (!place) return undefined;
    const block = decodeBlockOf(this.log.read(place).body, this.dialect, place.hash);
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
    return this.isBlock(number) ? this.index.placeOf(number).hash : undefined;
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

  excerpt(number: number, indexes: readonly number[]): BlockExcerpt | undefined {
    const { blocks, receipts } = this.cached;
    if (this.isAtHand(number))
      return excerptOf(blocks.get(number)!, receipts.get(number)!, indexes);
    const body = this.blockBody(number);
    return body && readExcerpt(body, this.dialect, indexes);
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
    this.stateSpaces.checkState(space, number);
    return new StateAt(this.kv, this.entryOrEmpty(space), this, number);
  }

  /** For a chain that was copied without executing it: the first block with its states. */
  get base(): BaseState | undefined {
    return this.stateSpaces.base;
  }

  /** Whether states of older blocks were pruned. */
  get isPruned(): boolean {
    return this.stateSpaces.horizon.number !== undefined;
  }

  get firstState(): number {
    return this.stateSpaces.firstState;
  }

  cursor(space: Space): number {
    return this.stateSpaces.cursor(space);
  }

  spaces(): readonly Psi[] {
    return this.stateSpaces.psis();
  }

  code(hash: Hash32): Uint8Array | undefined {
    const { codes } = this.cached;
    const key = keyOf(hash);
    const known = codes.get(key);
    if (known) return known;
    const code = this.recentCodes.get(bareHex(hash)) ?? this.kv.get(TABLE.code, hash);
    if (code) codes.set(key, code);
    return code;
  }

  trieAt(space: Space, number: number): StateTrie {
    const entry =
      space.kind === 'public'
        ? this.stateSpaces.open
        : (this.stateSpaces.get(space.psi) ?? this.stateSpaces.get(EMPTY_PSI));
    if (!entry) return this.stateSpaces.emptyTrie();
    const target = this.stateAt(space, number);
    if (number === entry.cursor) return this.latestTrie(entry);
    const known = entry.versions.get(number);
    if (known) return known;
    const back = this.writesBackTo(entry, number, target, PROOF_CHANGES_MAX);
    const trie = this.latestTrie(entry).update(back);
    entry.versions.keepLedBack(number, trie);
    return trie;
  }

  /** Whether private states move past the block only with a private record. */
  hasPrivateWork(number: number): boolean {
    return this.isBlock(number) && this.index.placeOf(number).hasPrivateWork;
  }

  /** The result as appended, with its changes; undefined: the space has no data of its own. */
  privateResult(psi: Psi, number: number): SpaceResult | undefined {
    const entry = this.stateSpaces.get(psi);
    if (!entry || number > entry.cursor) return undefined;
    const place = this.index.place(number, entry.id);
    return place && decodePrivateRecord(this.log.read(place).body).spaces.get(psi);
  }

  /** The trie after the last block of the space. */
  protected latestTrie(entry: SpaceEntry): StateTrie {
    return entry.trie;
  }

  /** Starts again from the index at `mark`. Throws STORE_CORRUPT if the log lacks its block. */
  protected restart(mark: CheckpointMark | undefined): void {
    this.index = new BlockIndex(this.kv, this.onDamage);
    this.stateSpaces = new Spaces(this.kv, mark, this.trieMemory);
    this.recentCodes.clear();
    this.cached.clear();
    this.current = undefined;
    this.beginAt(mark);
  }

  /** Makes the block of `mark` the head. */
  protected beginAt(mark: CheckpointMark | undefined): void {
    if (!mark) return;
    const header = this.block(mark.number)?.header;
    if (!header || !equalBytes(this.index.place(mark.number)!.hash, mark.hash)) {
      throw wrongIndex(`it names block ${mark.number}, which is not in the log`);
    }
    this.current = { number: mark.number, hash: mark.hash, header };
  }

  protected checkOrder({ header }: IndexedBlock, head = this.current): void {
    const { number, parentHash } = header;
    const fits = head
      ? number === head.number + 1 && equalBytes(parentHash, head.hash)
      : number === 0;
    if (!fits) throw blockOutOfOrder(number, head?.number);
  }

  /** Applies a record (not a rewind) without tries. Returns the roots that they must have. */
  protected replayRecord(record: ScannedRecord): ReadonlyMap<SpaceEntry, Hash32> {
    const { kind, body, position } = record;
    if (kind === RECORD_KIND.block) {
      const replayed = decodeReplayedBlock(body, this.dialect);
      this.checkOrder(replayed.block);
      this.applyBlock(replayed, position);
      const { number, stateRoot } = replayed.block.header;
      return this.stateSpaces.isBare(number)
        ? NO_ROOTS
        : new Map([[this.stateSpaces.open, stateRoot]]);
    }
    const { number, spaces } = decodePrivateRecord(body);
    this.checkPrivateOrder(number, spaces, this.stateSpaces.open.cursor);
    this.applyPrivate(number, spaces, position);
    if (this.stateSpaces.isBare(number)) return NO_ROOTS;
    return new Map([...spaces].map(([psi, { root }]) => [this.stateSpaces.get(psi)!, root]));
  }

  /** Without `trie`, the trie is computed later. */
  protected applyBlock(record: AppliedBlock, position: LogPosition, trie?: StateTrie): void {
    const { block, writes, hasPrivateWork } = record;
    const { number } = block.header;
    const { open } = this.stateSpaces;
    const place = { ...position, hash: block.hash, hasPrivateWork };
    this.index.addBlock(block, place, this.stateSpaces.isBare(number));
    open.recent.apply(number, writes);
    if (trie) advance(open, number, trie, leavesOf(writes));
    else open.cursor = number;
    this.addCodes(writes);
    this.current = { number, hash: block.hash, header: block.header };
    this.skipQuietBlocks();
  }

  protected checkPrivateOrder(
    number: number,
    spaces: ReadonlyMap<Psi, unknown>,
    head: number,
  ): void {
    for (const psi of spaces.keys()) {
      const entry = this.stateSpaces.get(psi);
      if (entry && entry.cursor !== number - 1) throw privateOutOfOrder(entry.cursor, number);
    }
    const { baseCursor } = this.stateSpaces;
    if (number > head || number > baseCursor + 1) throw privateOutOfOrder(baseCursor, number);
  }

  /** Without `tries`, the tries are computed later. */
  protected applyPrivate(
    number: number,
    spaces: ReadonlyMap<Psi, Pick<SpaceResult, 'writes' | 'bloom'>>,
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
        // A trie made before a new space had its number could not read the nodes of that space.
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

  protected writesBackTo(
    entry: SpaceEntry,
    to: number,
    target: StateReader,
    changesMax = Number.POSITIVE_INFINITY,
  ): WriteSet {
    const latest = new StateAt(this.kv, entry, this, entry.cursor);
    const touched = touchedBy(this.writeSetsSince(entry, to), changesMax);
    if (!touched) throw proofTooOld(to, changesMax);
    return reverseWrites(touched, latest, target);
  }

  protected *writeSetsSince(entry: SpaceEntry, to: number): Generator<WriteSet> {
    for (let number = to + 1; number <= entry.cursor; number++) {
      const writes =
        entry.psi === undefined
          ? this.writes(number)
          : this.privateResult(entry.psi, number)?.writes;
      if (writes) yield writes;
    }
  }

  protected isBlock(number: number): boolean {
    return this.current !== undefined && number >= 0 && number <= this.current.number;
  }

  private addCodes(writes: WriteSet): void {
    for (const { hash, code } of writes.codes) this.recentCodes.set(bareHex(hash), code);
  }

  private skipQuietBlocks(): void {
    this.stateSpaces.skipQuiet((number) => !this.index.place(number)!.hasPrivateWork);
  }

  private blockBody(number: number): Uint8Array | undefined {
    const place = this.placeOfBlock(number);
    return place && this.log.read(place).body;
  }

  private placeOfBlock(number: number): Place | undefined {
    if (!this.current) return this.index.place(number);
    return this.isBlock(number) ? this.index.placeOf(number) : undefined;
  }

  private entryOrEmpty(space: Space) {
    if (space.kind === 'public') return this.stateSpaces.open;
    return (
      this.stateSpaces.get(space.psi) ??
      this.stateSpaces.get(EMPTY_PSI) ??
      this.stateSpaces.nothing()
    );
  }

  /** The header as read from the log; undefined unless its hash matches the index. */
  private readHeader(number: number): Header | undefined {
    const place = this.isBlock(number) ? this.index.placeOf(number) : undefined;
    const header = place && decodeHeaderOf(this.log.readStart(place, HEADER_READ_BYTES));
    return header && equalBytes(blockHash(header), place.hash) ? header : undefined;
  }
}
