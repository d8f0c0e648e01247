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

interface Arrival {
  readonly transaction: Transaction;
  readonly holding: Holding;
}

export class Arrivals {
  private readonly byKey = new Map<string, Arrival>();
  /** Also holds some that have left. */
  private order: Arrival[] = [];
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
      const arrival = { transaction, holding };
      this.held.set(peer, holding);
      this.byKey.set(key, arrival);
      this.order.push(arrival);
    }
    return [];
  }

  get(hash: Hash32): Transaction | undefined {
    return this.byKey.size === 0 ? undefined : this.byKey.get(keyOf(hash))?.transaction;
  }

  /** The first `countMax`, or fewer, which stay. */
  first(countMax: number): readonly Transaction[] {
    const first = this.order.slice(0, countMax).map(({ transaction }) => transaction);
    return first.filter(({ key }) => this.byKey.has(key));
  }

  /** Removes and returns the first `countMax`, or fewer. */
  take(countMax: number): readonly Transaction[] {
    const first = this.order.splice(0, countMax).filter((each) => this.leave(each));
    return first.map(({ transaction }) => transaction);
  }

  /** Removes the transactions of a new block, here and in future. */
  include(transactions: readonly Transaction[]): void {
    for (const { key } of transactions) {
      this.mined.set(key, true);
      const arrival = this.byKey.get(key);
      if (arrival) this.leave(arrival);
    }
  }

  /** Returns false if it has left before. */
  private leave({ transaction, holding }: Arrival): boolean {
    if (!this.byKey.delete(transaction.key)) return false;
    holding.give(bytesOf(transaction));
    if (holding.bytes === 0) this.held.delete(holding.source);
    if (this.isEmpty) this.order = [];
    return true;
  }
}

function bytesOf({ raw }: Transaction): number {
  return raw.length + OVERHEAD_BYTES;
}
