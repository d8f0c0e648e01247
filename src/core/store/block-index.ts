/**
 * Positions of blocks, transactions and private records in the log: in memory above the checkpoint,
 * in the index below it.
 */
import { type Hash32, keyOf } from '../base/bytes.ts';
import type { QuorateError } from '../base/errors.ts';
import { Lru } from '../base/lru.ts';
import type { Kv, KvWriter } from '../base/ports.ts';
import { numberToUint64, putUint64 } from '../base/quantity.ts';
import { RlpWriter, readList } from '../base/rlp.ts';
import type { Block } from '../chain/block.ts';
import { EMPTY_BLOOM } from '../chain/bloom.ts';
import type { Transaction } from '../chain/transaction.ts';
import { SortedRows } from './hash-order.ts';
import type { TransactionPlace } from './interface.ts';
import { numberKey, PUBLIC_ID, TABLE, uint64At } from './keys.ts';
import type { LogPosition } from './log-record.ts';
import { indexDamaged } from './store-errors.ts';
import { WaitingRows } from './waiting-rows.ts';

const PLACES_CACHED_MAX = 4096;

export interface Place extends LogPosition {
  /** The block's hash; for a private record, that of its block. */
  readonly hash: Hash32;
  readonly hasPrivateWork: boolean;
}

/** The parts of a block that the index names. */
export type IndexedBlock = Pick<Block, 'header' | 'hash'> & {
  readonly transactions: readonly Pick<Transaction, 'hash'>[];
};

/** Without the block itself: many accumulate until the next checkpoint, and they are large. */
interface RecentBlock {
  readonly place: Place;
  readonly bloom: Uint8Array;
  readonly transactions: readonly Hash32[];
  /** Its rows of hashes are written in the end, together; until then nothing looks them up. */
  readonly isWaiting: boolean;
}

interface RecentRecord {
  readonly number: number;
  readonly space: number;
  readonly place: Place;
  readonly bloom: Uint8Array;
}

/** The entries that one checkpoint writes; dropped together afterwards. */
class Generation {
  readonly blocks = new Map<number, RecentBlock>();
  readonly numbers = new Map<string, number>();
  readonly transactions = new Map<string, TransactionPlace>();
  /** Private records by block number and space. */
  readonly records = new Map<string, RecentRecord>();

  absorb(later: Generation): void {
    for (const [number, block] of later.blocks) this.blocks.set(number, block);
    for (const [hash, number] of later.numbers) this.numbers.set(hash, number);
    for (const [hash, place] of later.transactions) this.transactions.set(hash, place);
    for (const [key, record] of later.records) this.records.set(key, record);
  }
}

export class BlockIndex {
  private readonly kv: Kv;
  private readonly onDamage: ((error: QuorateError) => void) | undefined;
  private recent = new Generation();
  /** The older generation, which a checkpoint is writing. */
  private writing: Generation | undefined;
  private readonly cached = new Lru<number, Place>(PLACES_CACHED_MAX);

  constructor(kv: Kv, onDamage?: (error: QuorateError) => void) {
    this.kv = kv;
    this.onDamage = onDamage;
  }

  /** `isWaiting`: it is found by its number only, until `moveWaitingRows`. */
  addBlock(block: IndexedBlock, place: Place, isWaiting = false): void {
    const { blocks, numbers, transactions } = this.recent;
    const { number } = block.header;
    const hashes = block.transactions.map(({ hash }) => hash);
    blocks.set(number, { place, bloom: block.header.bloom, transactions: hashes, isWaiting });
    if (isWaiting) return;
    numbers.set(keyOf(block.hash), number);
    for (const [index, hash] of hashes.entries()) {
      transactions.set(keyOf(hash), { block: number, index });
    }
  }

  addPrivate(number: number, space: number, place: Place, bloom: Uint8Array): void {
    this.recent.records.set(recordKey(number, space), { number, space, place, bloom });
  }

  place(number: number, space: number = PUBLIC_ID): Place | undefined {
    const { recent, writing, cached } = this;
    if (space !== PUBLIC_ID) {
      const record = this.record(number, space);
      return record ? record.place : this.stored(number, space);
    }
    const block = recent.blocks.get(number) ?? writing?.blocks.get(number);
    if (block) return block.place;
    const known = cached.get(number);
    if (known) return known;
    const place = this.stored(number, space);
    if (place) cached.set(number, place);
    return place;
  }

  /** The place of a block up to the head, which must exist. Throws STORE_INDEX_DAMAGED. */
  placeOf(number: number): Place {
    const place = this.place(number);
    if (place) return place;
    const error = indexDamaged(`the position of block ${number} is missing`);
    this.onDamage?.(error);
    throw error;
  }

  numberOf(hash: Hash32): number | undefined {
    const key = keyOf(hash);
    const recent = this.recent.numbers.get(key) ?? this.writing?.numbers.get(key);
    if (recent !== undefined) return recent;
    const row = this.kv.get(TABLE.numbers, hash);
    return row && uint64At(row, 0);
  }

  transaction(hash: Hash32): TransactionPlace | undefined {
    const key = keyOf(hash);
    const recent = this.recent.transactions.get(key) ?? this.writing?.transactions.get(key);
    if (recent) return recent;
    const row = this.kv.get(TABLE.transactions, hash);
    return row && { block: uint64At(row, 0), index: uint64At(row, 8) };
  }

  /** Zero bloom where none is stored. */
  bloom(number: number, space: number): Uint8Array {
    const { recent, writing } = this;
    const known =
      space === PUBLIC_ID
        ? (recent.blocks.get(number) ?? writing?.blocks.get(number))?.bloom
        : this.record(number, space)?.bloom;
    return known ?? this.kv.get(TABLE.blooms, numberKey(number, space)) ?? EMPTY_BLOOM;
  }

  /** Hands everything so far to the checkpoint that now begins. */
  freeze(): void {
    this.writing = this.recent;
    this.recent = new Generation();
  }

  /** The checkpoint was written. */
  drop(): void {
    this.writing = undefined;
  }

  /** The checkpoint failed. */
  thaw(): void {
    if (!this.writing) return;
    this.writing.absorb(this.recent);
    this.recent = this.writing;
    this.writing = undefined;
  }

  /**
   * Blocks up to `number`, and private records up to the `cursors` of their spaces, are in the
   * index.
   */
  dropUpTo(number: number, cursors: ReadonlyMap<number, number>): void {
    const { blocks, numbers, transactions, records } = this.recent;
    for (const [at, { place, transactions: hashes }] of blocks) {
      if (at > number) continue;
      blocks.delete(at);
      numbers.delete(keyOf(place.hash));
      for (const hash of hashes) transactions.delete(keyOf(hash));
    }
    for (const [key, record] of records) {
      if (record.number <= (cursors.get(record.space) ?? -1)) records.delete(key);
    }
  }

  /** Writes the rows of the frozen generation. */
  *write(writer: KvWriter): Generator<void> {
    if (!this.writing) return;
    const waiting = new WaitingRows();
    const sorted = new SortedRows();
    const [first = 0] = this.writing.blocks.keys();
    for (const [number, { place, bloom, transactions, isWaiting }] of this.writing.blocks) {
      const rows = isWaiting ? waiting : sorted;
      const at = numberToUint64(number);
      rows.put(TABLE.numbers, place.hash, at);
      putPlace(writer, number, PUBLIC_ID, place, bloom);
      for (const [index, hash] of transactions.entries()) {
        const row = new Uint8Array(16);
        row.set(at);
        putUint64(index, row, 8);
        rows.put(TABLE.transactions, hash, row);
        yield;
      }
    }
    yield* waiting.write(writer, first);
    yield* sorted.write(writer);
    for (const { number, space, place, bloom } of this.writing.records.values()) {
      putPlace(writer, number, space, place, bloom);
      yield;
    }
  }

  /** Removes the rows of one block. */
  *remove(writer: KvWriter, block: Block) {
    this.cached.delete(block.header.number);
    writer.delete(TABLE.numbers, block.hash);
    this.removePlace(writer, block.header.number, PUBLIC_ID);
    for (const { hash } of block.transactions) {
      writer.delete(TABLE.transactions, hash);
      yield;
    }
  }

  removePlace(writer: KvWriter, number: number, space: number): void {
    writer.delete(TABLE.places, numberKey(number, space));
    writer.delete(TABLE.blooms, numberKey(number, space));
  }

  private record(number: number, space: number): RecentRecord | undefined {
    const key = recordKey(number, space);
    return this.recent.records.get(key) ?? this.writing?.records.get(key);
  }

  private stored(number: number, space: number): Place | undefined {
    const row = this.kv.get(TABLE.places, numberKey(number, space));
    return row && decodePlace(row);
  }
}

function recordKey(number: number, space: number): string {
  return `${number}|${space}`;
}

function putPlace(
  writer: KvWriter,
  number: number,
  space: number,
  place: Place,
  bloom: Uint8Array,
): void {
  const row = new RlpWriter(64);
  row.list((list) => {
    list
      .number(place.segment)
      .number(place.offset)
      .string(place.hash)
      .boolean(place.hasPrivateWork);
  });
  writer.put(TABLE.places, numberKey(number, space), row.finish());
  if (bloom.some((byte) => byte !== 0)) writer.put(TABLE.blooms, numberKey(number, space), bloom);
}

function decodePlace(row: Uint8Array): Place {
  const list = readList(row);
  return {
    segment: list.number(),
    offset: list.number(),
    hash: list.fixed(32),
    hasPrivateWork: list.boolean(),
  };
}
