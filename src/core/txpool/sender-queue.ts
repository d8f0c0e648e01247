/**
 * Transactions of one sender: executable ones, consecutive from the account's nonce, and queued
 * ones after a gap.
 */
import type { Address } from '../base/bytes.ts';
import { assert } from '../base/errors.ts';
import type { Transaction } from '../chain/transaction.ts';

export interface PoolEntry {
  readonly transaction: Transaction;
  /** keyOf(hash). */
  readonly key: string;
  readonly nonce: number;
  /** Arrival number in the pool. */
  readonly arrival: number;
  /** gasPrice · gasLimit + value, in wei. */
  readonly cost: bigint;
  readonly queue: SenderQueue;
}

export interface SenderContent {
  readonly address: Address;
  readonly pending: readonly Transaction[];
  readonly queued: readonly Transaction[];
}

export class SenderQueue {
  readonly address: Address;
  /** keyOf(address). */
  readonly key: string;
  isLocal: boolean;
  /** Time when a transaction last became executable, or when the first one arrived. */
  beatMs: number;
  /** The account's balance at the head. */
  balance: bigint;
  /** With the nonces nonce, nonce + 1, … */
  pending: PoolEntry[] = [];
  readonly queued = new Map<number, PoolEntry>();
  private accountNonce: number;
  /** Upper bounds of cost and gas of all entries: they are enough for most checks. */
  private costCap = 0n;
  private gasCap = 0n;

  constructor(
    address: Address,
    key: string,
    account: { readonly nonce: number; readonly balance: bigint },
    nowMs: number,
    isLocal: boolean,
  ) {
    this.address = address;
    this.key = key;
    this.accountNonce = account.nonce;
    this.balance = account.balance;
    this.beatMs = nowMs;
    this.isLocal = isLocal;
  }

  /** Nonce of the account at the head. */
  get nonce(): number {
    return this.accountNonce;
  }

  /** The nonce that the next executable transaction must have. */
  get nextNonce(): number {
    return this.accountNonce + this.pending.length;
  }

  get size(): number {
    return this.pending.length + this.queued.size;
  }

  get hasCost(): boolean {
    return this.costCap > 0n;
  }

  at(nonce: number): PoolEntry | undefined {
    return this.pending[nonce - this.accountNonce] ?? this.queued.get(nonce);
  }

  isPending(entry: PoolEntry): boolean {
    return this.pending[entry.nonce - this.accountNonce] === entry;
  }

  /**
   * Inserts, replacing any transaction with the same nonce. The nonce must not be below the
   * account's.
   */
  put(entry: PoolEntry): void {
    const { cost, nonce, transaction } = entry;
    if (cost > this.costCap) this.costCap = cost;
    if (transaction.gasLimit > this.gasCap) this.gasCap = transaction.gasLimit;
    const index = nonce - this.accountNonce;
    assert(index >= 0, "a nonce in the pool is not below its account's");
    if (index < this.pending.length) this.pending[index] = entry;
    else this.queued.set(nonce, entry);
  }

  /** Promotes the transactions that have become executable, and returns them. */
  promote(): PoolEntry[] {
    const promoted: PoolEntry[] = [];
    if (this.queued.size === 0) return promoted;
    for (;;) {
      const entry = this.queued.get(this.nextNonce);
      if (!entry) return promoted;
      this.queued.delete(entry.nonce);
      this.pending.push(entry);
      promoted.push(entry);
    }
  }

  /** Removes one transaction; executable ones after it become queued. */
  remove(entry: PoolEntry): void {
    if (!this.isPending(entry)) {
      if (this.queued.get(entry.nonce) === entry) this.queued.delete(entry.nonce);
      return;
    }
    for (const later of this.pending.splice(entry.nonce - this.accountNonce).slice(1)) {
      this.queued.set(later.nonce, later);
    }
  }

  /**
   * Sets the account's nonce, and returns the transactions that are now too old; the rest stays in
   * order. Call promote() after it.
   */
  moveTo(nonce: number): PoolEntry[] {
    const gone: PoolEntry[] = [];
    if (nonce < this.accountNonce) {
      for (const entry of this.pending) this.queued.set(entry.nonce, entry);
      this.pending = [];
    } else if (nonce > this.accountNonce) {
      gone.push(...this.pending.splice(0, nonce - this.accountNonce));
      for (const entry of this.queued.values()) if (entry.nonce < nonce) gone.push(entry);
      for (const entry of gone) this.queued.delete(entry.nonce);
    }
    this.accountNonce = nonce;
    return gone;
  }

  /**
   * Removes transactions that the account cannot pay or that no block can hold; executable ones
   * after them become queued.
   */
  removeUnpayable(gasLimit: bigint): PoolEntry[] {
    if (this.costCap <= this.balance && this.gasCap <= gasLimit) return [];
    const isTooMuch = (entry: PoolEntry) =>
      entry.cost > this.balance || entry.transaction.gasLimit > gasLimit;
    const gone = [...this.pending, ...this.queued.values()].filter(isTooMuch);
    for (const entry of gone) this.remove(entry);
    if (this.balance < this.costCap) this.costCap = this.balance;
    if (gasLimit < this.gasCap) this.gasCap = gasLimit;
    return gone;
  }

  /** The transaction with the highest nonce: the first to be dropped when space is short. */
  last(): PoolEntry | undefined {
    return this.lastQueued() ?? this.pending.at(-1);
  }

  lastQueued(): PoolEntry | undefined {
    let last: PoolEntry | undefined;
    for (const entry of this.queued.values()) {
      if (!last || entry.nonce > last.nonce) last = entry;
    }
    return last;
  }

  queuedInOrder(): PoolEntry[] {
    return [...this.queued.values()].sort((a, b) => a.nonce - b.nonce);
  }

  content(): SenderContent {
    return {
      address: this.address,
      pending: this.pending.map(({ transaction }) => transaction),
      queued: this.queuedInOrder().map(({ transaction }) => transaction),
    };
  }
}
