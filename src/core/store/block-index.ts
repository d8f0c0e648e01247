/** Where blocks, transactions and private records stand in the log: memory above the checkpoint, the index below it. */
import { type Hash32, keyOf } from '../base/bytes.ts';
import { Lru } from '../base/lru.ts';
import { numberToUint64 } from '../base/quantity.ts';
import { RlpWriter, readList } from '../base/rlp.ts';
import type { Block } from '../chain/block.ts';
import { EMPTY_BLOOM } from '../chain/bloom.ts';
import type { Kv, KvWriter } from '../ports.ts';
import type { TransactionPlace } from './interface.ts';
import { numberKey, PUBLIC_ID, TABLE, uint64At } from './keys.ts';
import type { LogPosition } from './log-record.ts';

const PLACES_CACHED_MAX = 4096;

export interface Place extends LogPosition {
  /** Of the block; for a private record too. */
  readonly hash: Hash32;
  readonly hasPrivateWork: boolean;
}

interface RecentBlock {
  readonly block: Block;
  /** By space id. */
  readonly places: Map<number, Place>;
  readonly blooms: Map<number, Uint8Array>;
}

export class BlockIndex {
  private readonly kv: Kv;
  private readonly recent = new Map<number, RecentBlock>();
  private readonly numbers = new Map<string, number>();
  private readonly transactions = new Map<string, TransactionPlace>();
  /** Private records that came after the checkpoint of their block. */
  private readonly late = new Map<
    string,
    { number: number; space: number; place: Place; bloom: Uint8Array }
  >();
  private readonly cached = new Lru<number, Place>(PLACES_CACHED_MAX);

  constructor(kv: Kv) {
    this.kv = kv;
  }

  addBlock(block: Block, place: Place): void {
    const { number } = block.header;
    this.recent.set(number, {
      block,
      places: new Map([[PUBLIC_ID, place]]),
      blooms: new Map([[PUBLIC_ID, block.header.bloom]]),
    });
    this.numbers.set(keyOf(block.hash), number);
    block.transactions.forEach((transaction, index) => {
      this.transactions.set(keyOf(transaction.hash), { block: number, index });
    });
  }

  addPrivate(number: number, space: number, place: Place, bloom: Uint8Array): void {
    const block = this.recent.get(number);
    if (block) {
      block.places.set(space, place);
      block.blooms.set(space, bloom);
    }
    this.late.set(`${number}|${space}`, { number, space, place, bloom });
  }

  place(number: number, space: number = PUBLIC_ID): Place | undefined {
    const recent = this.recent.get(number);
    if (recent && space === PUBLIC_ID) return recent.places.get(space);
    if (space !== PUBLIC_ID) {
      const late = this.late.get(`${number}|${space}`);
      if (late) return late.place;
      const row = this.kv.get(TABLE.places, numberKey(number, space));
      return row && decodePlace(row);
    }
    const known = this.cached.get(number);
    if (known) return known;
    const row = this.kv.get(TABLE.places, numberKey(number, space));
    const place = row && decodePlace(row);
    if (place) this.cached.set(number, place);
    return place;
  }

  numberOf(hash: Hash32): number | undefined {
    const recent = this.numbers.get(keyOf(hash));
    if (recent !== undefined) return recent;
    const row = this.kv.get(TABLE.numbers, hash);
    return row && uint64At(row, 0);
  }

  transaction(hash: Hash32): TransactionPlace | undefined {
    const recent = this.transactions.get(keyOf(hash));
    if (recent) return recent;
    const row = this.kv.get(TABLE.transactions, hash);
    return row && { block: uint64At(row, 0), index: uint64At(row, 8) };
  }

  /** Zero bloom where none is stored. */
  bloom(number: number, space: number): Uint8Array {
    const recent =
      this.recent.get(number)?.blooms.get(space) ?? this.late.get(`${number}|${space}`)?.bloom;
    return recent ?? this.kv.get(TABLE.blooms, numberKey(number, space)) ?? EMPTY_BLOOM;
  }

  /** Rows of all blocks up to `head` and of the private records that `isDone` tells of. */
  *write(writer: KvWriter, head: number, isDone: (number: number, space: number) => boolean) {
    for (const [number, { block, places }] of this.recent) {
      if (number > head) continue;
      const at = numberToUint64(number);
      writer.put(TABLE.numbers, block.hash, at);
      putPlace(writer, number, PUBLIC_ID, places.get(PUBLIC_ID)!, block.header.bloom);
      for (const [index, transaction] of block.transactions.entries()) {
        const row = new Uint8Array(16);
        row.set(at);
        row.set(numberToUint64(index), 8);
        writer.put(TABLE.transactions, transaction.hash, row);
        yield;
      }
    }
    for (const { number, space, place, bloom } of this.late.values()) {
      if (isDone(number, space)) putPlace(writer, number, space, place, bloom);
      yield;
    }
  }

  /** Forgets what a checkpoint has written. */
  drop(head: number, isDone: (number: number, space: number) => boolean): void {
    for (const [number, { block }] of this.recent) {
      if (number > head) continue;
      this.recent.delete(number);
      this.numbers.delete(keyOf(block.hash));
      for (const { hash } of block.transactions) this.transactions.delete(keyOf(hash));
    }
    for (const [key, { number, space }] of this.late) {
      if (isDone(number, space)) this.late.delete(key);
    }
  }

  /** Takes one written block out again. */
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
