/** Blocks and their RLP: [header, transactions, uncles] and, from Shanghai on, withdrawals. */
import type { Hash32 } from '../base/bytes.ts';
import { fromHex } from '../base/hex.ts';
import { keccak256 } from '../base/keccak.ts';
import { RlpReader, RlpWriter, readList } from '../base/rlp.ts';
import { deriveRoot } from './derive-root.ts';
import { blockHash } from './extra-data.ts';
import { decodeHeader, type Header, readHeader, writeHeader } from './header.ts';
import {
  readTransaction,
  type Transaction,
  type TransactionDialect,
  writeTransaction,
} from './transaction.ts';

export interface Withdrawal {
  readonly index: bigint;
  readonly validatorIndex: bigint;
  readonly address: Uint8Array;
  /** In gwei. */
  readonly amount: bigint;
}

export interface Block {
  readonly header: Header;
  /**
   * Block hash as the chain's consensus defines it: BFT omits the commit seals and the round
   * (extra-data.ts).
   */
  readonly hash: Uint8Array;
  readonly transactions: readonly Transaction[];
  readonly uncles: readonly Header[];
  readonly withdrawals?: readonly Withdrawal[] | undefined;
}

/** The part of a block that peers exchange separately from the header. */
export type BlockBody = Pick<Block, 'transactions' | 'uncles' | 'withdrawals'>;

/** unclesHash of a block without uncles: keccak256(rlp([])). */
export const EMPTY_UNCLES_HASH: Hash32 = fromHex(
  '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
);

/** `hash`: the header's, if it is known. */
export function blockOf(header: Header, body: BlockBody, hash = blockHash(header)): Block {
  const { transactions, uncles, withdrawals } = body;
  const block = { header, hash, transactions, uncles };
  return withdrawals === undefined ? block : { ...block, withdrawals };
}

export function writeBlock(writer: RlpWriter, block: Block): void {
  const start = writer.begin();
  writeHeader(writer, block.header);
  writeBodyItems(writer, block);
  writer.end(start);
}

export function encodeBlock(block: Block): Uint8Array {
  if (block instanceof EncodedBlock) return block.raw;
  const writer = new RlpWriter(1024 + bodySize(block));
  writeBlock(writer, block);
  return writer.finish();
}

/** Approximate length of its RLP, without encoding it. */
export function blockBytes(block: Block): number {
  return block instanceof EncodedBlock ? block.raw.length : bodySize(block);
}

/**
 * Reads one block item; transactions are views of the reader's buffer, the header is not: it often
 * outlives its block. `hash`: the block's, if it is known.
 */
export function readBlock(
  reader: RlpReader,
  dialect: TransactionDialect = 'quorum',
  hash?: Hash32,
): Block {
  const list = reader.enter();
  const header = decodeHeader(list.raw().slice());
  return blockOf(header, readBodyItems(list, dialect), hash);
}

export function decodeBlock(bytes: Uint8Array, dialect: TransactionDialect = 'quorum'): Block {
  const reader = new RlpReader(bytes);
  const block = readBlock(reader, dialect);
  reader.finish();
  return block;
}

/**
 * A block kept as its bytes: the header is read at once, the body only when it is needed (never by
 * consensus). Reading the body may throw RLP_INVALID and TX_….
 */
export class EncodedBlock implements Block {
  readonly header: Header;
  readonly hash: Hash32;
  /** The complete RLP item. */
  readonly raw: Uint8Array;
  readonly hasWithdrawals: boolean;
  private body: BlockBody | undefined;

  /** Throws RLP_INVALID unless the item is a header and two or three lists. */
  constructor(raw: Uint8Array) {
    const list = readList(raw);
    this.raw = raw;
    this.header = decodeHeader(list.raw().slice());
    this.hash = blockHash(this.header);
    list.enter();
    list.enter();
    this.hasWithdrawals = !list.done && !list.enter().done;
    list.finish();
  }

  get transactions(): readonly Transaction[] {
    return this.read().transactions;
  }

  get uncles(): readonly Header[] {
    return this.read().uncles;
  }

  get withdrawals(): readonly Withdrawal[] | undefined {
    return this.read().withdrawals;
  }

  private read(): BlockBody {
    if (this.body) return this.body;
    const list = readList(this.raw);
    list.raw();
    this.body = readBodyItems(list, 'quorum');
    return this.body;
  }
}

function writeBody(writer: RlpWriter, body: BlockBody): void {
  const start = writer.begin();
  writeBodyItems(writer, body);
  writer.end(start);
}

export function encodeBody(body: BlockBody): Uint8Array {
  const writer = new RlpWriter(64 + bodySize(body));
  writeBody(writer, body);
  return writer.finish();
}

/** Root of the transactions trie. */
export function transactionsRoot(transactions: readonly Transaction[]): Hash32 {
  return deriveRoot(transactions.map((transaction) => transaction.raw));
}

export function unclesHash(uncles: readonly Header[]): Hash32 {
  if (uncles.length === 0) return EMPTY_UNCLES_HASH;
  const writer = new RlpWriter(1024);
  writeUncles(writer, uncles);
  return keccak256(writer.finish());
}

export function withdrawalsRoot(withdrawals: readonly Withdrawal[]): Hash32 {
  return deriveRoot(
    withdrawals.map((withdrawal) => {
      const writer = new RlpWriter(64);
      writeWithdrawal(writer, withdrawal);
      return writer.finish();
    }),
  );
}

function bodySize(body: BlockBody): number {
  let size = 0;
  for (const transaction of body.transactions) size += transaction.raw.length + 4;
  return size;
}

function writeBodyItems(writer: RlpWriter, body: BlockBody): void {
  const transactions = writer.begin();
  for (const transaction of body.transactions) writeTransaction(writer, transaction);
  writer.end(transactions);
  writeUncles(writer, body.uncles);
  if (body.withdrawals === undefined) return;
  const withdrawals = writer.begin();
  for (const withdrawal of body.withdrawals) writeWithdrawal(writer, withdrawal);
  writer.end(withdrawals);
}

function readBodyItems(list: RlpReader, dialect: TransactionDialect): BlockBody {
  const transactions: Transaction[] = [];
  const transactionList = list.enter();
  while (!transactionList.done) transactions.push(readTransaction(transactionList, dialect));
  const uncles: Header[] = [];
  const uncleList = list.enter();
  while (!uncleList.done) uncles.push(readHeader(uncleList));
  if (list.done) return { transactions, uncles };
  const withdrawals: Withdrawal[] = [];
  const withdrawalList = list.enter();
  while (!withdrawalList.done) withdrawals.push(readWithdrawal(withdrawalList));
  list.finish();
  return { transactions, uncles, withdrawals };
}

function writeUncles(writer: RlpWriter, uncles: readonly Header[]): void {
  const start = writer.begin();
  for (const uncle of uncles) writeHeader(writer, uncle);
  writer.end(start);
}

function writeWithdrawal(writer: RlpWriter, withdrawal: Withdrawal): void {
  const start = writer.begin();
  writer
    .bigint(withdrawal.index)
    .bigint(withdrawal.validatorIndex)
    .string(withdrawal.address)
    .bigint(withdrawal.amount)
    .end(start);
}

function readWithdrawal(reader: RlpReader): Withdrawal {
  const list = reader.enter();
  const withdrawal = {
    index: list.bigint(8),
    validatorIndex: list.bigint(8),
    address: list.fixed(20),
    amount: list.bigint(8),
  };
  list.finish();
  return withdrawal;
}
