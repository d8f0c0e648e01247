/** Transactions of one sender: executable ones without a gap from the account's nonce on, and those that wait for a gap to close. */
import type { Address } from '../base/bytes.ts';
import type { Transaction } from '../chain/transaction.ts';

export interface PoolEntry {
  readonly transaction: Transaction;
  /** keyOf(hash). */
  readonly key: string;
  readonly nonce: number;
  /** Counts up with every transaction that the pool takes. */
  readonly arrival: number;
  /** gasPrice · gasLimit + value, in wei. */
  readonly cost: bigint;
  readonly queue: SenderQueue;
}

export class SenderQueue {
  readonly address: Address;
  /** keyOf(address). */
  readonly key: string;
  isLocal: boolean;
  /** When a transaction last became executable, or the first one came. */
  beatMs: number;
  /** Of the account at the head. */
  balance: bigint;
  /** Nonces nonce, nonce + 1, … */
  pending: PoolEntry[] = [];
  readonly queued = new Map<number, PoolEntry>();
  private accountNonce: number;
  /** Nothing in here costs, or uses gas, beyond these: most checks end at them. */
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

  /** Puts in, in the place of what has the same nonce. The nonce is not below the account's. */
  put(entry: PoolEntry): void {
    const { cost, nonce, transaction } = entry;
    if (cost > this.costCap) this.costCap = cost;
    if (transaction.gasLimit > this.gasCap) this.gasCap = transaction.gasLimit;
    const index = nonce - this.accountNonce;
    if (index < this.pending.length) this.pending[index] = entry;
    else this.queued.set(nonce, entry);
  }

  /** Moves over what has become executable, and returns it. */
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

  /** Takes one out; executable ones behind it wait from now on. */
  remove(entry: PoolEntry): void {
    if (!this.isPending(entry)) {
      if (this.queued.get(entry.nonce) === entry) this.queued.delete(entry.nonce);
      return;
    }
    for (const later of this.pending.splice(entry.nonce - this.accountNonce).slice(1)) {
      this.queued.set(later.nonce, later);
    }
  }

  /** The account's nonce is now this: returns what is too old, and keeps the rest in order. Call promote() after it. */
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

  /** Takes out what the account cannot pay or no block can hold; executable ones behind such a one wait. */
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

  /** The one with the highest nonce: the first to go when room is short. */
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
}
