/**
 * Entry point of transactions from clients and peers: decoded and recovered once, admitted to the
 * pool, journaled if local (before their hash is returned), and announced to peers. Peers'
 * transactions wait in a bounded queue and enter in slices.
 */
import { type Address, bytesOfKey, type Hash32, keyOf } from '../../../../core/base/bytes.ts';
import { fail } from '../../../../core/base/errors.ts';
import { bareHex } from '../../../../core/base/hex.ts';
import type { Clock, Log, PeerId, SpareRecovery, Timers } from '../../../../core/base/ports.ts';
import { decodeTransaction, type Transaction } from '../../../../core/chain/transaction.ts';
import { PUBLIC_SPACE } from '../../../../core/store/interface.ts';
import { journalFile } from '../../../../core/store/journal-segment.ts';
import type { TransactionJournal } from '../../../../core/store/transaction-journal.ts';
import type { PoolHead, PoolState } from '../../../../core/txpool/admission.ts';
import { Arrivals, type Slice } from '../../../../core/txpool/arrivals.ts';
import type { TransactionPool } from '../../../../core/txpool/pool.ts';
import type { Chain } from '../chain/chain.ts';
import type { Events } from '../chain/events.ts';
import type { StepObserver } from '../chain/step-observer.ts';
import type { BlockWork } from '../consensus/block-work.ts';
import { EarlyRecovery } from './early-recovery.ts';
import { Offers } from './offers.ts';

/** Recovered elsewhere at once, if possible, and then admitted: about 5 ms. */
const SLICE: Slice = { transactions: 64, bytes: 256 * 1024 };
/** After this time the rest of a slice waits for the next turn of the event loop. */
const TURN_MS = 2;
const ONE: Slice = { transactions: 1, bytes: 1 };
const EXPIRY_INTERVAL_MS = 60_000;

/** Permissioned networks: why a transaction is refused; undefined: it is allowed. */
export interface SendPermission {
  transactionFault(transaction: Pick<Transaction, 'sender' | 'to' | 'data'>): string | undefined;
  /** Why the account may not send through this node; undefined: it may. */
  originFault(sender: Address): string | undefined;
}

export interface IntakeParts {
  readonly chain: Chain;
  readonly pool: TransactionPool;
  readonly journal: TransactionJournal;
  readonly events: Events;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  readonly permissions?: SendPermission | undefined;
  readonly observer?: StepObserver | undefined;
  /** Recovers senders while it has time; absent: this thread recovers all. */
  readonly recovery?: SpareRecovery | undefined;
  /** While blocks need the thread, new transactions wait. */
  readonly blocks: Pick<BlockWork, 'calm'>;
  /** Development: resolves when the executable transactions are mined. */
  settled?(): Promise<void>;
  /** Fetches a private transaction's payload into the cache before the transaction is proposed. */
  readonly prefetch?: ((transactions: readonly Transaction[]) => void) | undefined;
}

export class TransactionIntake {
  private readonly parts: IntakeParts;
  private readonly arrivals = new Arrivals();
  private readonly recovery: EarlyRecovery;
  private isWorking = false;
  private readonly offers = new Offers();
  /** keyOf(hash) of the transactions in the journal. */
  private readonly local = new Set<string>();
  private readonly endings: (() => void)[] = [];

  constructor(parts: IntakeParts) {
    this.parts = parts;
    this.recovery = new EarlyRecovery(parts.recovery);
  }

  /** Restores journaled transactions, then follows the chain. */
  async start(): Promise<void> {
    const { chain, pool, events, clock, journal, timers, log } = this.parts;
    this.endings.push(
      events.on('committed', ({ block }) => {
        pool.reset(poolHead(chain), poolState(chain), block.transactions, clock.nowMs());
        this.arrivals.include(block.transactions);
        this.publish();
        this.offerAgain(block.header.number);
      }),
    );
    const entries = journal.entries();
    let restored = 0;
    for (const raw of entries) {
      try {
        const transaction = decodeTransaction(raw);
        this.admit(transaction, true);
        this.note(transaction);
        restored++;
      } catch (error) {
        log('debug', 'Journaled transaction no longer fits', { err: (error as Error).message });
      }
    }
    if (entries.length > 0)
      log('info', 'Restored local transactions', { restored, dropped: entries.length - restored });
    if (journal.damage.length > 0) await this.giveUpDamaged();
    this.publish();
    const expire = () => {
      pool.expire(clock.nowMs());
      void this.compactJournal();
      timer = timers.set(EXPIRY_INTERVAL_MS, expire);
    };
    let timer = timers.set(EXPIRY_INTERVAL_MS, expire);
    this.endings.push(() => timer.cancel());
  }

  stop(): void {
    for (const end of this.endings.splice(0)) end();
  }

  /**
   * Accepts a transaction from a client; it is durable when this resolves. Throws GoQuorum's text.
   */
  async submit(transaction: Transaction): Promise<Hash32> {
    this.checkOrigin(transaction.sender);
    this.admit(transaction, true);
    this.note(transaction);
    await this.parts.journal.add(transaction.raw);
    this.parts.events.emit('submitted', transaction);
    this.publish();
    await this.parts.settled?.();
    return transaction.hash;
  }

  /** Notes that the transaction was sent by a client of this node. */
  private note({ key }: Transaction): void {
    const { permissions, chain } = this.parts;
    this.local.add(key);
    if (permissions) this.offers.begin(key, chain.head().number);
  }

  /**
   * Offers transactions to peers again, which may have refused them before they knew of the
   * permission.
   */
  private offerAgain(number: number): void {
    const { pool, events } = this.parts;
    const isWaiting = (key: string) => pool.status(bytesOfKey(key)) === 'pending';
    const keys = this.offers.take(number, isWaiting);
    if (keys.length === 0) return;
    events.emit(
      'unmined',
      keys.map((key) => pool.get(bytesOfKey(key))!),
    );
  }

  /** Throws PERMISSION_DENIED when the account may not send through this node. */
  checkOrigin(sender: Address): void {
    const fault = this.parts.permissions?.originFault(sender);
    if (fault !== undefined) throw fail('PERMISSION_DENIED', fault);
  }

  /** Like `checkOrigin`; throws also when the account may not send this transaction at all. */
  checkPermission(transaction: Pick<Transaction, 'sender' | 'to' | 'data'>): void {
    this.checkOrigin(transaction.sender);
    const fault = this.parts.permissions?.transactionFault(transaction);
    if (fault !== undefined) throw fail('PERMISSION_DENIED', fault);
  }

  /** Permissions have changed: removes transactions that are no longer allowed from the pool. */
  sift(): void {
    const { pool, permissions, log } = this.parts;
    if (!permissions) return;
    const dropped = pool.removeWhere((each) => permissions.transactionFault(each) !== undefined);
    if (dropped > 0) log('info', 'Transactions left the pool: no permission any more', { dropped });
  }

  /**
   * Removes a transaction from the pool and the journal permanently. `why`: the error when it is
   * sent again.
   */
  async bar({ hash, key }: Transaction, why: string): Promise<void> {
    this.parts.pool.bar(hash, why);
    if (!this.local.delete(key)) return;
    // Otherwise a restart would restore the transaction.
    await this.parts.journal.compact(() => this.localTransactions());
  }

  /**
   * Transactions from a peer: the answer to a request, or gossip. Recovers their senders in slices.
   * Returns those for which the queue has no space.
   */
  receive(peer: PeerId, transactions: readonly Transaction[]): readonly Transaction[] {
    const refused = this.arrivals.add(peer, transactions);
    this.work();
    return refused;
  }

  /** A transaction that this node has received, and that no block contains; undefined: unknown. */
  known(hash: Hash32): Transaction | undefined {
    return this.parts.pool.get(hash) ?? this.arrivals.get(hash);
  }

  /**
   * Resolves when no block needs the thread, and the sender is known, or is to be recovered by
   * reading it; undefined: at once. Await it before the transaction is submitted, so that it is
   * recovered on a thread if one is free.
   */
  ready(transaction: Transaction): Promise<void> | undefined {
    const calm = this.parts.blocks.calm(transaction.raw.length);
    return calm ? calm.then(() => this.recovery.one(transaction)) : this.recovery.one(transaction);
  }

  private work(): void {
    if (this.isWorking || this.arrivals.isEmpty) return;
    this.isWorking = true;
    const calm = this.parts.blocks.calm(SLICE.bytes);
    if (calm) void calm.then(() => this.recoverSlice());
    else this.recoverSlice();
  }

  private recoverSlice(): void {
    const recovered = this.recovery.many(this.arrivals.first(SLICE));
    if (recovered) void recovered.then(() => this.admitSlice());
    else this.admitSlice();
  }

  /** In turns: a sender that was not recovered elsewhere is recovered here. */
  private admitSlice(slice = SLICE): void {
    this.parts.timers.yield(() => {
      const { clock } = this.parts;
      const endMs = clock.nowMs() + TURN_MS;
      let { transactions, bytes } = slice;
      const isDone = () => transactions <= 0 || bytes <= 0 || this.arrivals.isEmpty;
      while (!isDone()) {
        for (const each of this.arrivals.take(ONE)) {
          this.admitRemote(each);
          transactions--;
          bytes -= each.raw.length;
        }
        if (clock.nowMs() >= endMs) break;
      }
      this.publish();
      if (!isDone()) return this.admitSlice({ transactions, bytes });
      this.isWorking = false;
      this.work();
    });
  }

  private admitRemote(transaction: Transaction): void {
    if (this.parts.pool.hasKey(transaction.key)) return;
    try {
      this.admit(transaction, false);
    } catch (error) {
      this.parts.log('trace', 'Transaction of a peer refused', { err: (error as Error).message });
    }
  }

  private admit(transaction: Transaction, isLocal: boolean): void {
    const { pool, clock, chain, permissions } = this.parts;
    const permissionFault =
      permissions && ((each: Transaction) => permissions.transactionFault(each));
    try {
      pool.add(transaction, clock.nowMs(), { isLocal, permissionFault });
    } catch (error) {
      // Its nonce is already used: the index is queried only in this case, because it is slower
      // than the pool.
      const isMined = chain.store.transactionByHash(transaction.hash) !== undefined;
      throw isMined ? fail('TXPOOL_KNOWN', 'already known') : error;
    }
    this.parts.observer?.admitted(transaction, isLocal);
    this.parts.log('debug', 'Transaction admitted', { hash: bareHex(transaction.hash) });
  }

  private publish(): void {
    const promoted = this.parts.pool.takePromoted();
    if (promoted.length === 0) return;
    this.parts.prefetch?.(promoted);
    this.parts.events.emit('pending', promoted);
  }

  /**
   * Logs each place where journal entries were lost; later ones were kept. Then rewrites the
   * journal without the damaged parts.
   */
  private async giveUpDamaged(): Promise<void> {
    const { journal, log } = this.parts;
    for (const { segment, from, to, isEnd } of journal.damage) {
      const message = isEnd
        ? 'The end of the transaction journal is torn or damaged'
        : 'The transaction journal is damaged: a transaction of this node may have to be sent again';
      log('warn', message, { file: journalFile(segment), byte: from, bytes: to - from });
    }
    await journal.compact(() => this.localTransactions());
  }

  /** Drops mined or removed transactions from the journal, when worthwhile. */
  private async compactJournal(): Promise<void> {
    const { journal } = this.parts;
    if (!journal.isCompactionDue()) return;
    await journal.compact(() => this.localTransactions());
  }

  private *localTransactions(): Iterable<Uint8Array> {
    for (const hash of this.local) {
      const transaction = this.parts.pool.get(bytesOfKey(hash));
      if (transaction) yield transaction.raw;
      else this.local.delete(hash);
    }
  }
}

export function poolHead(chain: Chain): PoolHead {
  const { header, number } = chain.head();
  return {
    number,
    gasLimit: header.gasLimit,
    rules: chain.rulesOf(header),
    nextRules: chain.rulesOf({ number: number + 1, timestamp: header.timestamp }),
  };
}

/** Accounts at the head, each read once. */
export function poolState(chain: Chain): PoolState {
  const reader = chain.store.stateAt(PUBLIC_SPACE, chain.head().number);
  const known = new Map<string, ReturnType<typeof reader.account>>();
  const account = (address: Address) => {
    const key = keyOf(address);
    if (!known.has(key)) known.set(key, reader.account(address));
    return known.get(key);
  };
  return {
    nonce: (address) => account(address)?.nonce ?? 0n,
    balance: (address) => account(address)?.balance ?? 0n,
  };
}
