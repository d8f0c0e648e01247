/**
 * Geth's journal of local transactions (`transactions.rlp`): one RLP item per transaction,
 * including mined ones (GoQuorum 24.4.1 core/tx_journal.go). It is read in pieces.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import { RlpReader } from '../../core/base/rlp.ts';
import { readTransaction, type Transaction } from '../../core/chain/transaction.ts';

const PIECE_BYTES = 4 * 1024 * 1024;

export interface JournalEnd {
  /**
   * Position of the first byte that is not part of a complete transaction; undefined: everything
   * was read.
   */
  readonly damagedAt: number | undefined;
}

/**
 * Transactions in the order in which they were sent. As in geth, reading ends at the first torn or
 * damaged item, because items after it cannot be found.
 */
export function* journaledTransactions(path: string): Generator<Transaction, JournalEnd> {
  const file = openSync(path, 'r');
  try {
    let held: Uint8Array = new Uint8Array(0);
    let start = 0;
    for (;;) {
      const piece = Buffer.alloc(PIECE_BYTES);
      const length = readSync(file, piece, 0, PIECE_BYTES, start + held.length);
      held = Buffer.concat([held, piece.subarray(0, length)]);
      const reader = new RlpReader(held);
      for (let next = nextIn(reader); next; next = nextIn(reader)) yield next;
      start += reader.at;
      held = held.subarray(reader.at);
      // No transaction is longer than a piece: an item that does not end within a piece is damaged.
      const isEnd = length < PIECE_BYTES || held.length > PIECE_BYTES;
      if (isEnd) return { damagedAt: held.length > 0 ? start : undefined };
    }
  } finally {
    closeSync(file);
  }
}

/**
 * The next transaction; undefined: the rest is not a complete one, and the reader stays before it.
 */
function nextIn(reader: RlpReader): Transaction | undefined {
  const { at } = reader;
  if (reader.done) return undefined;
  try {
    return readTransaction(reader);
  } catch {
    reader.at = at;
    return undefined;
  }
}
