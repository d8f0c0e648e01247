/**
 * Keys and rows of the index of accounts (docs/internals/accounts.md). A row holds a run of
 * blocks of one account: for each block its distance to the previous one, the number of
 * transactions, and for each transaction its distance to the previous one and its CONCERN bits.
 */
import type { Address } from '../../base/bytes.ts';
import { bytesToNumber, putUint64 } from '../../base/quantity.ts';
import { RlpWriter, readList } from '../../base/rlp.ts';
import type { Psi } from '../../privacy/inputs.ts';
import { putVarint, VarintReader } from './varint.ts';

export const ACCOUNT_TABLE = {
  /** `state` -> AccountIndexState. */
  meta: 'meta',
  /** S | address | first block -> run of blocks. */
  places: 'places',
  /** S | address | block -> index of the transaction, creator. */
  creations: 'creations',
  /** Block -> senders of its transactions (block-senders.ts). */
  senders: 'senders',
} as const;
export const ACCOUNT_TABLES: readonly string[] = Object.values(ACCOUNT_TABLE);

/** Length of a key before the block number. */
const PREFIX_BYTES = 22;
const KEY_BYTES = 30;
/** Longer runs are split into several rows. */
const ROW_BYTES_MAX = 2_048;

/** The transactions of one block: index and CONCERN bits, alternating, ascending. */
export interface AccountBlock {
  readonly number: number;
  readonly places: readonly number[];
}

/** S | address | number. */
export function accountKey(space: number, address: Address, number: number): Uint8Array {
  const key = new Uint8Array(KEY_BYTES);
  key[0] = space >> 8;
  key[1] = space & 0xff;
  key.set(address, 2);
  putUint64(number, key, PREFIX_BYTES);
  return key;
}

/** Bounds of a range that includes every row. */
export const EVERY_KEY = [new Uint8Array(0), new Uint8Array(KEY_BYTES + 1).fill(0xff)] as const;

/** Key of the row of a block's senders. */
export function blockKey(number: number): Uint8Array {
  const key = new Uint8Array(KEY_BYTES - PREFIX_BYTES);
  putUint64(number, key, 0);
  return key;
}

export function blockOfKey(key: Uint8Array): number {
  return bytesToNumber(key);
}

export function spaceOfKey(key: Uint8Array): number {
  return (key[0]! << 8) | key[1]!;
}

export function numberOfKey(key: Uint8Array): number {
  return bytesToNumber(key.subarray(PREFIX_BYTES));
}

/** The key of another block of the same account. */
export function keyAt(key: Uint8Array, number: number): Uint8Array {
  const other = key.slice();
  putUint64(number, other, PREFIX_BYTES);
  return other;
}

/** Rows of consecutive runs, with the first block of each. */
export function* encodeRuns(
  blocks: readonly AccountBlock[],
): Generator<{ readonly first: number; readonly row: Uint8Array }> {
  let bytes: number[] = [];
  let first = blocks[0]!.number;
  let last = first;
  for (const { number, places } of blocks) {
    if (bytes.length > ROW_BYTES_MAX) {
      yield { first, row: Uint8Array.from(bytes) };
      bytes = [];
      first = number;
      last = number;
    }
    putVarint(bytes, number - last);
    putVarint(bytes, places.length / 2);
    let index = 0;
    for (let at = 0; at < places.length; at += 2) {
      putVarint(bytes, places[at]! - index);
      bytes.push(places[at + 1]!);
      index = places[at]!;
    }
    last = number;
  }
  yield { first, row: Uint8Array.from(bytes) };
}

/** Throws STORE_INDEX_DAMAGED. */
export function decodeRun(first: number, row: Uint8Array): AccountBlock[] {
  const blocks: AccountBlock[] = [];
  const reader = new VarintReader(row);
  for (let number = first; !reader.done; ) {
    number += reader.varint();
    const places: number[] = [];
    let index = 0;
    for (let count = reader.varint(); count > 0; count--) {
      index += reader.varint();
      places.push(index, reader.byte());
    }
    blocks.push({ number, places });
  }
  return blocks;
}

export interface AccountIndexState {
  /** Last block whose public entries are there; -1: none. */
  readonly cursor: number;
  /** Hash of that block. */
  readonly hash: Uint8Array;
  /** Internal calls are known from this block on. */
  readonly callsFrom: number;
  readonly spaces: readonly SpaceCursor[];
}

export interface SpaceCursor {
  readonly psi: Psi;
  readonly id: number;
  readonly cursor: number;
}

const VERSION = 1;
export const STATE_KEY: Uint8Array = new TextEncoder().encode('state');
const textEncoder = new TextEncoder();
const textDecoder = new TextDecoder();

export function encodeState({ cursor, hash, callsFrom, spaces }: AccountIndexState): Uint8Array {
  const row = new RlpWriter(128);
  row.list((list) => {
    list
      .number(VERSION)
      .number(cursor + 1)
      .string(hash)
      .number(callsFrom);
    for (const { psi, id, cursor: own } of spaces) {
      list.list((item) => {
        item
          .string(textEncoder.encode(psi))
          .number(id)
          .number(own + 1);
      });
    }
  });
  return row.finish();
}

/** Undefined: the row has another version. */
export function decodeState(row: Uint8Array): AccountIndexState | undefined {
  const list = readList(row);
  if (list.number() !== VERSION) return undefined;
  const cursor = list.number() - 1;
  const hash = list.string().slice();
  const callsFrom = list.number();
  const spaces: SpaceCursor[] = [];
  while (!list.done) {
    const item = list.enter();
    const psi = textDecoder.decode(item.string());
    spaces.push({ psi, id: item.number(), cursor: item.number() - 1 });
  }
  return { cursor, hash, callsFrom, spaces };
}
