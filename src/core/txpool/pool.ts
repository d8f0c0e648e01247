/**
 * Transactions that wait for a block, by sender: executable ones (`pending`) and those after a
 * nonce gap (`queued`). Limits and texts as in GoQuorum (core/tx_pool). The current time is passed
 * in as `nowMs`.
 *
 *   add -> queued (after a gap) <-> pending (executable) -> in a block, replaced, dropped or expired
 *
 * Invariants (docs/internals/transaction-pool.md): the pending transactions of a sender have
 * consecutive nonces, starting at the account's nonce at the head; `pendingCount` is their number
 * over all senders; every change raises `version`. The pool is in memory only.
 */
import { type Address, keyOf } from '../base/bytes.ts';
import { Lru } from '../base/lru.ts';
import type { Transaction } from '../chain/transaction.ts';
import {
  type AdmissionContext,
  costOf,
  firstFault,
  type PoolHead,
  type PoolState,
  refused,
} from './admission.ts';
import { type ListCounts, PoolCounts } from './counts.ts';
import { PoolEntries } from './entries.ts';
import { cheapest, excess, POOL_LIMITS, type PoolLimits } from './limits.ts';
import { outbids } from './replacement.ts';
import { Selection, type SelectionOrder } from './select.ts';
import { type PoolEntry, type SenderContent, SenderQueue } from './sender-queue.ts';

/** Senders that are remembered as local after their transactions have left the pool. */
const LOCAL_SENDERS_MAX = 100_000;
/** Transactions that must not be accepted again, so that peers cannot bring them back. */
const BARRED_MAX = 4096;

export type { PoolLimits } from './limits.ts';
export type { SenderContent } from './sender-queue.ts';

export interface AddOptions {
  /** Received from a client of this node. */
  readonly isLocal?: boolean;
  readonly inner?: Transaction | undefined;
  readonly permissionFault?: AdmissionContext['permissionFault'];
}

export type PoolStatus = 'unknown' | 'queued' | 'pending';

export class TransactionPool {
  /** Raised by every change: derived data can be cached until it changes. */
  version = 0;
  readonly counts: PoolCounts = new PoolCounts();
  private limits: PoolLimits;
  private readonly hasBlobs: boolean;
  private head: PoolHead;
  private state: PoolState;
  private readonly entries = new PoolEntries();
  private readonly queues = new Map<string, SenderQueue>();
  private readonly localSenders = new Set<string>();
  /** Reasons for not accepting a transaction again, by hash. */
  private readonly barred = new Lru<string, string>(BARRED_MAX);
  private pendingCount = 0;
  private arrivals = 0;
  private promoted: Transaction[] = [];

  constructor(
    head: PoolHead,
    state: PoolState,
    options: { readonly limits?: Partial<PoolLimits>; readonly hasBlobs?: boolean } = {},
  ) {
    this.head = head;
    this.state = state;
    this.limits = { ...POOL_LIMITS, ...options.limits };
    const { hasLocals, locals } = this.limits;
    if (hasLocals) for (const address of locals) this.localSenders.add(keyOf(address));
    this.hasBlobs = options.hasBlobs ?? false;
  }

  get stats(): { readonly pending: number; readonly queued: number } {
    return { pending: this.pendingCount, queued: this.entries.size - this.pendingCount };
  }

  /** Sizes of all transactions, updated as they are added and removed. */
  get sizes(): Pick<PoolEntries, 'locals' | 'slots'> {
    return this.entries;
  }

  /** Accepts a transaction, or throws TXPOOL_… with GoQuorum's text. Returns the replaced one. */
  add(transaction: Transaction, nowMs: number, options: AddOptions = {}): Transaction | undefined {
    return this.counts.outcome(() => this.admit(transaction, nowMs, options));
  }

  private admit(
    transaction: Transaction,
    nowMs: number,
    options: AddOptions,
  ): Transaction | undefined {
    const { key } = transaction;
    if (this.entries.has(key)) throw refused('KNOWN', 'already known');
    const why = this.barred.get(key);
    if (why !== undefined) throw refused('BARRED', why);
    const fault = firstFault(transaction, this.contextOf(transaction, options));
    if (fault) throw refused(fault.name, fault.text);
    const senderKey = keyOf(transaction.sender);
    const isLocal =
      this.limits.hasLocals && (options.isLocal === true || this.localSenders.has(senderKey));
    this.makeRoom(transaction, isLocal);
    const queue = this.queueOf(transaction.sender, senderKey, nowMs);
    const old = queue.at(Number(transaction.nonce));
    const isBetter = !old || this.isBetter(transaction, old.transaction);
    if (old) this.countsOf(old)[isBetter ? 'replace' : 'discard']++;
    if (!isBetter) throw refused('REPLACE_UNDERPRICED', 'replacement transaction underpriced');
    if (isLocal && !queue.isLocal) {
      queue.isLocal = true;
      this.entries.becameLocal(queue);
      if (this.localSenders.size < LOCAL_SENDERS_MAX) this.localSenders.add(senderKey);
    }
    this.put(transaction, key, queue, old, nowMs);
    for (const entry of excess(queue, this.queues, this.limits, () => this.stats))
      this.drop(entry, 'rateLimit');
    return old?.transaction;
  }

  /**
   * Transactions that became executable since the last call and are still in the pool; each once.
   */
  takePromoted(): readonly Transaction[] {
    const promoted = this.promoted;
    this.promoted = [];
    return promoted.filter(({ key }) => this.isPending(key));
  }

  /** New head. `mined`: transactions since the last one; undefined: after a rewind, check all. */
  reset(
    head: PoolHead,
    state: PoolState,
    mined: readonly Transaction[] | undefined,
    nowMs: number,
  ): void {
    const isTighter = head.gasLimit < this.head.gasLimit;
    this.head = head;
    this.state = state;
    const touched = mined && this.sendersOf(mined);
    for (const queue of [...(touched ?? this.queues.values())]) this.advance(queue, nowMs);
    for (const queue of [...this.queues.values()]) {
      if (isTighter || queue.hasCost) this.removeUnpayable(queue);
    }
    this.version++;
  }

  /** Drops queued transactions of remote senders that had no executable one for the lifetime. */
  expire(nowMs: number): void {
    for (const queue of [...this.queues.values()]) {
      if (queue.isLocal || nowMs - queue.beatMs <= this.limits.lifetimeMs) continue;
      for (const entry of [...queue.queued.values()]) this.drop(entry, 'eviction');
    }
  }

  /** The nonce that follows the sender's executable transactions. */
  nonceOf(address: Address): bigint {
    const queue = this.queues.get(keyOf(address));
    return queue ? BigInt(queue.nextNonce) : this.state.nonce(address);
  }

  /** An iteration over executable transactions, for a block builder; `senders`: only these keys. */
  select(baseFee = 0n, order: SelectionOrder = 'usual', senders?: Iterable<string>): Selection {
    const named = senders && [...senders].flatMap((key) => this.queues.get(key) ?? []);
    return new Selection(named ?? this.queues.values(), baseFee, order);
  }

  /** Executable transactions whose gas limits fit together, in the order for a block. */
  take(gasLimit: bigint, baseFee = 0n): Transaction[] {
    const selection = this.select(baseFee);
    const taken: Transaction[] = [];
    let left = gasLimit;
    for (;;) {
      const transaction = selection.next(left);
      if (!transaction) return taken;
      left -= transaction.gasLimit;
      taken.push(transaction);
    }
  }

  get(hash: Uint8Array): Transaction | undefined {
    return this.entries.get(keyOf(hash))?.transaction;
  }

  has(hash: Uint8Array): boolean {
    return this.hasKey(keyOf(hash));
  }

  hasKey(key: string): boolean {
    return this.entries.has(key);
  }

  status(hash: Uint8Array): PoolStatus {
    const key = keyOf(hash);
    if (!this.entries.has(key)) return 'unknown';
    return this.isPending(key) ? 'pending' : 'queued';
  }

  private isPending(key: string): boolean {
    const entry = this.entries.get(key);
    return entry?.queue.isPending(entry) === true;
  }

  /** Removes one, for example because it cannot be executed; its sender's later ones get queued. */
  remove(hash: Uint8Array): void {
    const entry = this.entries.get(keyOf(hash));
    if (entry) this.drop(entry);
  }

  /** Removes all transactions that are now refused, and returns their number. */
  removeWhere(isRefused: (transaction: Transaction) => boolean): number {
    const refused = [...this.entries.values()].filter(({ transaction }) => isRefused(transaction));
    for (const entry of refused) this.drop(entry);
    return refused.length;
  }

  /** Like `remove`, and the transaction is not accepted again; offers of it fail with `why`. */
  bar(hash: Uint8Array, why: string): void {
    this.barred.set(keyOf(hash), why);
    this.remove(hash);
  }

  content(): SenderContent[] {
    return [...this.queues.values()].map((queue) => queue.content());
  }

  contentFrom(address: Address): SenderContent {
    const queue = this.queues.get(keyOf(address));
    return queue?.content() ?? { address, pending: [], queued: [] };
  }

  /** Every transaction of local senders, in nonce order: they are restored after a restart. */
  locals(): Transaction[] {
    const queues = [...this.queues.values()].filter(({ isLocal }) => isLocal);
    const entries = queues.flatMap((queue) => [...queue.pending, ...queue.queuedInOrder()]);
    return entries.map(({ transaction }) => transaction);
  }

  /** In wei; remote transactions that pay less are dropped if gas has a price. */
  setPriceLimit(priceLimit: bigint): void {
    this.limits = { ...this.limits, priceLimit };
    if (!this.head.rules.isGasPriceEnabled) return;
    for (const entry of [...this.entries.values()])
      if (!entry.queue.isLocal && entry.transaction.maxPriorityFeePerGas < priceLimit)
        this.drop(entry);
  }

  /** Executable transactions in any order, to announce them to a new peer. */
  *pending(): Iterable<Transaction> {
    for (const queue of this.queues.values()) {
      for (const { transaction } of queue.pending) yield transaction;
    }
  }

  private contextOf(transaction: Transaction, options: AddOptions): AdmissionContext {
    const { limits, localSenders } = this;
    return {
      head: this.head,
      state: this.state,
      priceLimit: limits.priceLimit,
      gasMax: limits.gasMax,
      hasBlobs: this.hasBlobs,
      inner: options.inner,
      permissionFault: options.permissionFault,
      get isLocal() {
        return (
          limits.hasLocals &&
          (options.isLocal === true || localSenders.has(keyOf(transaction.sender)))
        );
      },
    };
  }

  private queueOf(address: Address, key: string, nowMs: number): SenderQueue {
    let queue = this.queues.get(key);
    if (!queue) {
      const account = {
        nonce: Number(this.state.nonce(address)),
        balance: this.state.balance(address),
      };
      queue = new SenderQueue(address, key, account, nowMs, this.localSenders.has(key));
      this.queues.set(key, queue);
    }
    return queue;
  }

  /** Whether `next` may replace `old`. */
  isBetter(next: Transaction, old: Transaction): boolean {
    return outbids(next, old, this.limits.priceBump);
  }

  private put(
    transaction: Transaction,
    key: string,
    queue: SenderQueue,
    old: PoolEntry | undefined,
    nowMs: number,
  ): void {
    const isReplacement = old !== undefined && queue.isPending(old);
    if (old) this.entries.delete(old);
    const entry: PoolEntry = {
      transaction,
      key,
      nonce: Number(transaction.nonce),
      arrival: this.arrivals++,
      cost: costOf(transaction),
      queue,
    };
    queue.put(entry);
    this.entries.add(entry);
    if (isReplacement) {
      this.promoted.push(transaction);
      queue.beatMs = nowMs;
    }
    this.promote(queue, nowMs);
    this.version++;
  }

  private promote(queue: SenderQueue, nowMs: number): void {
    const promoted = queue.promote();
    if (promoted.length === 0) return;
    queue.beatMs = nowMs;
    this.pendingCount += promoted.length;
    for (const { transaction } of promoted) this.promoted.push(transaction);
  }

  private sendersOf(mined: readonly Transaction[]): Set<SenderQueue> {
    const queues = new Set<SenderQueue>();
    for (const transaction of mined) {
      const queue =
        this.entries.get(transaction.key)?.queue ?? this.queues.get(keyOf(transaction.sender));
      if (queue) queues.add(queue);
    }
    return queues;
  }

  private advance(queue: SenderQueue, nowMs: number): void {
    const before = queue.pending.length;
    const gone = queue.moveTo(Number(this.state.nonce(queue.address)));
    for (const entry of gone) this.entries.delete(entry);
    this.pendingCount += queue.pending.length - before;
    this.promote(queue, nowMs);
    this.forgetEmpty(queue);
  }

  private removeUnpayable(queue: SenderQueue): void {
    queue.balance = this.state.balance(queue.address);
    const [before, end] = [queue.pending.length, queue.nextNonce];
    for (const entry of queue.removeUnpayable(this.head.gasLimit)) {
      this.entries.delete(entry);
      this.counts[entry.nonce < end ? 'pending' : 'queued'].noFunds++;
    }
    this.pendingCount += queue.pending.length - before;
    this.forgetEmpty(queue);
  }

  private drop(entry: PoolEntry, why?: 'rateLimit' | 'eviction'): void {
    const { queue } = entry;
    if (why) this.countsOf(entry)[why]++;
    const before = queue.pending.length;
    queue.remove(entry);
    this.entries.delete(entry);
    this.pendingCount += queue.pending.length - before;
    this.forgetEmpty(queue);
    this.version++;
  }

  private countsOf(entry: PoolEntry): ListCounts {
    return this.counts[entry.queue.isPending(entry) ? 'pending' : 'queued'];
  }

  private forgetEmpty(queue: SenderQueue): void {
    if (queue.size === 0) this.queues.delete(queue.key);
  }

  /**
   * Drops a transaction when the pool is full. A new remote one must pay more or, where gas has no
   * price, be executable while the dropped one is not.
   */
  private makeRoom(transaction: Transaction, isLocal: boolean): void {
    const { globalSlots, globalQueue, transactionsMax } = this.limits;
    const size = this.entries.size;
    if (size >= transactionsMax) throw refused('FULL', 'txpool is full');
    if (isLocal || size < globalSlots + globalQueue) return;
    const victim = cheapest(this.queues.values());
    if (this.head.rules.isGasPriceEnabled) {
      if (!victim || victim.transaction.maxPriorityFeePerGas >= transaction.maxPriorityFeePerGas) {
        throw refused('UNDERPRICED', 'transaction underpriced');
      }
    } else {
      const isExecutable = transaction.nonce <= this.nonceOf(transaction.sender);
      if (!victim || !isExecutable || victim.queue.isPending(victim)) {
        throw refused('FULL', 'txpool is full');
      }
    }
    this.counts.underpriced++;
    this.drop(victim);
  }
}
