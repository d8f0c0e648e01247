/**
 * Transactions from peers that wait until their signatures are verified, in order of arrival.
 * Blocks find them here by hash, so that each sender is recovered once, whichever comes first;
 * those that are in a block leave, and do not come back.
 */
import { type ByteBounds, ByteBudget, type Holding } from '../base/byte-budget.ts';
import { type Hash32, keyOf } from '../base/bytes.ts';
import { Lru } from '../base/lru.ts';
import type { PeerId } from '../base/ports.ts';
import type { Transaction } from '../chain/transaction.ts';

/**
 * Maximum size of waiting transactions; further ones are refused, and requested again later.
 */
const WAITING: ByteBounds = { all: 64 * 1024 * 1024, ofSource: 16 * 1024 * 1024 };
/** Overhead of a waiting transaction beyond its bytes. */
const OVERHEAD_BYTES = 1024;
/** Transactions of recent blocks, which peers may still send. */
const MINED_MAX = 16_384;

/** Bounds of what is taken at once; one transaction always is. */
export interface Slice {
  readonly transactions: number;
  readonly bytes: number;
}

interface Arrival {
  readonly transaction: Transaction;
  readonly holding: Holding;
}

export class Arrivals {
  /** In order of arrival. */
  private readonly byKey = new Map<string, Arrival>();
  private readonly mined = new Lru<string, true>(MINED_MAX);
  private readonly room = new ByteBudget(WAITING);
  private readonly held = new Map<PeerId, Holding>();

  get isEmpty(): boolean {
    return this.byKey.size === 0;
  }

  /** Adds transactions of a peer; returns those for which there is no space. */
  add(peer: PeerId, transactions: readonly Transaction[]): readonly Transaction[] {
    const holding = this.held.get(peer) ?? this.room.open(peer);
    for (const [index, transaction] of transactions.entries()) {
      const { key } = transaction;
      if (this.byKey.has(key) || this.mined.has(key)) continue;
      if (!holding.take(bytesOf(transaction))) return transactions.slice(index);
      this.held.set(peer, holding);
      this.byKey.set(key, { transaction, holding });
    }
    return [];
  }

  get(hash: Hash32): Transaction | undefined {
    return this.byKey.size === 0 ? undefined : this.byKey.get(keyOf(hash))?.transaction;
  }

  /** The first ones, which stay. */
  first(slice: Slice): readonly Transaction[] {
    const first: Transaction[] = [];
    let bytes = 0;
    for (const { transaction } of this.byKey.values()) {
      if (first.length === slice.transactions || bytes >= slice.bytes) break;
      first.push(transaction);
      bytes += transaction.raw.length;
    }
    return first;
  }

  /** Removes and returns the first ones. */
  take(slice: Slice): readonly Transaction[] {
    const first = this.first(slice);
    for (const { key } of first) this.leave(key);
    return first;
  }

  /** Removes the transactions of a new block, here and in future. */
  include(transactions: readonly Transaction[]): void {
    for (const { key } of transactions) {
      this.mined.set(key, true);
      this.leave(key);
    }
  }

  private leave(key: string): void {
    const arrival = this.byKey.get(key);
    if (!arrival) return;
    this.byKey.delete(key);
    const { transaction, holding } = arrival;
    holding.give(bytesOf(transaction));
    if (holding.bytes === 0) this.held.delete(holding.source);
  }
}

function bytesOf({ raw }: Transaction): number {
  return raw.length + OVERHEAD_BYTES;
}
