/**
 * Some transactions of a block, with what their receipts need: a page of an account's history wants
 * one transaction of a block of thousands, and the others are not decoded for it.
 */
import { type RlpReader, readList } from '../base/rlp.ts';
import type { Block } from '../chain/block.ts';
import { blockHash } from '../chain/extra-data.ts';
import { readHeader } from '../chain/header.ts';
import { countStoredLogs, type Receipt, readStoredReceipt } from '../chain/receipt.ts';
import {
  readTransaction,
  type Transaction,
  type TransactionDialect,
} from '../chain/transaction.ts';

export interface BlockExcerpt {
  readonly block: Pick<Block, 'header' | 'hash'>;
  /** Those wanted that the block has, by index. */
  readonly transactions: ReadonlyMap<number, Transaction>;
  /** Public receipts of the same transactions. */
  readonly receipts: ReadonlyMap<number, Receipt>;
  /** Number of logs in the public receipt of each transaction before the last one wanted. */
  readonly logCounts: readonly number[];
}

/** `body`: of a record of the block log. `indexes` ascend. */
export function readExcerpt(
  body: Uint8Array,
  dialect: TransactionDialect,
  indexes: readonly number[],
): BlockExcerpt {
  const record = readList(body);
  record.skip();
  const list = record.enter();
  const header = readHeader(list);
  const read = (reader: RlpReader) => readTransaction(reader, dialect);
  const transactions = readSome(list.enter(), indexes, read, (reader) => reader.skip());
  const logCounts: number[] = [];
  const receipts = readSome(record.enter(), indexes, readStoredReceipt, (reader, index) => {
    logCounts[index] = countStoredLogs(reader);
  });
  for (const [index, { logs }] of receipts) logCounts[index] = logs.length;
  return { block: { header, hash: blockHash(header) }, transactions, receipts, logCounts };
}

/** The same of a block that is decoded already. */
export function excerptOf(
  block: Block,
  receipts: readonly Receipt[],
  indexes: readonly number[],
): BlockExcerpt {
  const known = indexes.filter((index) => index < block.transactions.length);
  return {
    block,
    transactions: new Map(known.map((index) => [index, block.transactions[index]!])),
    receipts: new Map(known.map((index) => [index, receipts[index]!])),
    logCounts: receipts.slice(0, (indexes.at(-1) ?? -1) + 1).map(({ logs }) => logs.length),
  };
}

/** Reads the items at `indexes`, and passes those between them to `pass`. */
function readSome<T>(
  items: RlpReader,
  indexes: readonly number[],
  read: (reader: RlpReader) => T,
  pass: (reader: RlpReader, index: number) => void,
): ReadonlyMap<number, T> {
  const found = new Map<number, T>();
  let at = 0;
  for (const index of indexes) {
    for (; at < index && !items.done; at++) pass(items, at);
    if (items.done) break;
    found.set(index, read(items));
    at++;
  }
  return found;
}
