/**
 * Puts the orders of a service on the ledger, each exactly once, through a signing proxy.
 *
 *   queued ──► sign ──► insert: order and transaction, durable ──► send ──► mined
 *     ▲                                                             │
 *     └──────────── lost: the nonce went to another ◄───────────────┴──► the same bytes again
 *
 * After the insert, the same bytes are sent again in every case until the ledger has them in a
 * block, or another transaction has used their nonce (settlement.ts). A crash before the insert has
 * sent nothing. Several instances may share a store: the one that inserts first has the nonce and
 * the order.
 */
import { fail, hasCode, unreachable } from '../base/errors.ts';
import type { Clock, Log, Timer, Timers } from '../base/ports.ts';
import { isOf, unknownEntries } from './adoption.ts';
import { checkSigned, readSigned } from './check-signed.ts';
import type {
  SentTransaction,
  SubmissionLedger,
  SubmissionStore,
  TransactionOrder,
  TransactionReceipt,
  UnknownEntry,
} from './ports.ts';
import { Settlement } from './settlement.ts';

/** Price of a replacement in percent of the previous price: pools do not accept less. */
const REPLACEMENT_PERCENT = 110n;
/** Most transactions waiting for a block at the same time. */
const LIVE_MAX = 256;

export interface SubmitterParts<T extends TransactionOrder> {
  readonly store: SubmissionStore<T>;
  readonly ledger: SubmissionLedger;
  readonly clock: Clock;
  /** A monotonic clock. */
  readonly steady: Clock;
  readonly timers: Timers;
  readonly log: Log;
  /** Account that pays, as 0x-hex in lower case. */
  readonly from: string;
  /** Milliseconds between polls of the ledger when there is no new order. */
  readonly lookMs: number;
}

export class Submitter<T extends TransactionOrder> {
  private readonly parts: SubmitterParts<T>;
  private readonly settlement = new Settlement();
  private timer: Timer | undefined;
  private working: Promise<void> | undefined;
  private isStopped = false;
  private complaint = '';
  private knowsLedger = false;
  private unknown: UnknownEntry[] | undefined;

  constructor(parts: SubmitterParts<T>) {
    this.parts = parts;
  }

  /** Polls now: there is a new order. */
  wake(): void {
    if (this.isStopped || this.working) return;
    this.timer?.cancel();
    this.working = this.look().finally(() => {
      this.working = undefined;
      const { timers, lookMs } = this.parts;
      if (!this.isStopped) this.timer = timers.set(lookMs, () => this.wake());
    });
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    this.timer?.cancel();
    await this.working;
  }

  /** Polls once. An error is logged once; the next poll tries again. */
  private async look(): Promise<void> {
    const { store, log } = this.parts;
    try {
      const live = await store.live(LIVE_MAX);
      const queued = live.length < LIVE_MAX ? await store.queued(LIVE_MAX - live.length) : [];
      if (live.length > 0 || queued.length > 0) await this.work(live, queued);
      this.complaint = '';
    } catch (error) {
      const { message } = error as Error;
      if (message !== this.complaint) log('error', 'Transactions wait', { err: message });
      this.complaint = message;
    }
  }

  private async work(live: readonly SentTransaction[], queued: readonly T[]): Promise<void> {
    await this.checkLedger();
    await this.settle(live);
    if (queued.length === 0) return;
    const unknown = await this.learn();
    for (const order of queued) {
      if (this.isStopped) return;
      if (!(await this.adopt(order, unknown))) await this.submit(order);
    }
  }

  /** Hashes and nonces in the store mean nothing on another ledger. */
  private async checkLedger(): Promise<void> {
    if (this.knowsLedger) return;
    const { ledger, store } = this.parts;
    const identity = await ledger.identity();
    const known = await store.bindLedger(identity);
    if (known !== identity) {
      throw fail(
        'SUBMISSION_LEDGER_OTHER',
        `the ledger (${identity}) is not the one that this store has sent to (${known})`,
      );
    }
    this.knowsLedger = true;
  }

  /** Once per start: transactions of the account on the ledger that the store does not know. */
  private async learn(): Promise<UnknownEntry[]> {
    if (this.unknown) return this.unknown;
    const { store, ledger, from, log } = this.parts;
    const isStopped = () => this.isStopped;
    const found = await unknownEntries({ store, ledger, from, isStopped });
    if (this.isStopped) return [];
    if (found.length > 0) {
      log('warn', 'The store is older than the ledger', { from, transactions: found.length });
      await store.keepUnknown(from, found);
    }
    this.unknown = [...(await store.unknown(from))];
    return this.unknown;
  }

  /** Returns true if the order is already on the ledger. */
  private async adopt(order: T, unknown: UnknownEntry[]): Promise<boolean> {
    const { store, from, log, clock } = this.parts;
    const at = unknown.findIndex((entry) => isOf(order, entry));
    if (at < 0) return false;
    const [{ nonce, hash }] = unknown.splice(at, 1) as [UnknownEntry];
    const id = `${order.name}:${from}:${nonce}`;
    // The signed bytes are not needed, since it is in a block.
    const known = { id, sender: from, nonce, raw: '0x', hash, updatedAt: clock.nowMs() };
    await store.insert(known, order);
    log('warn', 'It was on the ledger before the store was restored', { id, hash });
    return true;
  }

  private async settle(live: readonly SentTransaction[]): Promise<void> {
    const { ledger, steady } = this.parts;
    this.settlement.keep(new Set(live.map(({ id }) => id)));
    const counts = new Map<string, number>();
    for (const transaction of live) {
      const { sender, hash } = transaction;
      // Requested first: a nonce below it is spent, so a receipt that is then missing will never
      // exist.
      const count = counts.get(sender) ?? (await ledger.transactionCount(sender, 'latest'));
      counts.set(sender, count);
      const found = await this.receiptOf(transaction);
      const sighting = { count, hasReceipt: found !== undefined };
      const fate = this.settlement.fateOf(transaction, sighting, steady.nowMs());
      await this.carryOut(fate, { ...transaction, hash: found?.hash ?? hash }, found?.receipt);
    }
  }

  /** The receipt of the transaction, or of an earlier version that it replaced. */
  private async receiptOf({
    hash,
    earlier = [],
  }: SentTransaction): Promise<{ hash: string; receipt: TransactionReceipt } | undefined> {
    for (const each of [hash, ...earlier]) {
      const receipt = await this.parts.ledger.receipt(each);
      if (receipt) return { hash: each, receipt };
    }
    return undefined;
  }

  private async carryOut(
    fate: ReturnType<Settlement['fateOf']>,
    transaction: SentTransaction,
    receipt: TransactionReceipt | undefined,
  ): Promise<void> {
    const { store, clock, log } = this.parts;
    switch (fate) {
      case 'mined':
        await store.mined(transaction, receipt!, clock.nowMs());
        this.report(transaction, receipt!);
        return;
      case 'lost':
        await store.lost(transaction, clock.nowMs());
        log('warn', 'Somebody else sends from the account', { lost: transaction.hash });
        return;
      case 'sendAgain':
        return this.send(await this.dearer(transaction));
      case 'wait':
        return;
      default:
        unreachable(fate);
    }
  }

  /**
   * The same transaction at the current price, if this has risen enough for pools to accept a
   * replacement.
   */
  private async dearer(transaction: SentTransaction): Promise<SentTransaction> {
    const { store, ledger, clock, log } = this.parts;
    if (!store.replace) return transaction;
    const gasPrice = await ledger.gasPrice();
    const sent = readSigned(transaction.raw);
    if (BigInt(gasPrice) * 100n < sent.gasPrice * REPLACEMENT_PERCENT || BigInt(gasPrice) === 0n) {
      return transaction;
    }
    const { sender: from, nonce, earlier = [] } = transaction;
    const { to, value, data, gas } = sent;
    const asked = { to, value, data, gas, from, nonce, gasPrice };
    const raw = await ledger.sign(asked);
    const hash = checkSigned(raw, asked);
    if (hash === transaction.hash) return transaction;
    const next = {
      ...{ ...transaction, raw, hash, updatedAt: clock.nowMs() },
      earlier: [transaction.hash, ...earlier],
    };
    if (!(await store.replace(transaction, next))) return transaction;
    log('info', 'A transaction is sent for more: the price of gas has risen', {
      ...{ id: transaction.id, hash },
    });
    return next;
  }

  private report({ id }: SentTransaction, receipt: TransactionReceipt): void {
    const fields = { id, block: Number(receipt.blockNumber) };
    if (receipt.status === '0x1') this.parts.log('info', 'In a block', fields);
    else this.parts.log('error', 'Reverted', fields);
  }

  private async submit(order: T): Promise<void> {
    const { store, ledger, from, clock } = this.parts;
    const { name, to, value, data, gas } = order;
    const nonce = await this.nextNonce();
    const asked = { to, value, data, gas, from, nonce, gasPrice: await ledger.gasPrice() };
    const raw = await ledger.sign(asked);
    const hash = checkSigned(raw, asked);
    const id = `${name}:${from}:${nonce}`;
    const transaction = { id, sender: from, nonce, raw, hash, updatedAt: clock.nowMs() };
    if (await store.insert(transaction, order)) await this.send(transaction);
  }

  /** The ledger may refuse it for a temporary reason, such as a low balance: it is retried. */
  private async send({ id, raw }: SentTransaction): Promise<void> {
    const { store, ledger, clock, log } = this.parts;
    await store.touched(id, clock.nowMs());
    try {
      await ledger.send(raw);
    } catch (error) {
      if (!hasCode(error, 'LEDGER_REFUSED')) throw error;
      log('warn', 'The ledger does not accept a transaction yet', { id, err: error.message });
    }
  }

  private async nextNonce(): Promise<number> {
    const { store, ledger, from } = this.parts;
    const ours = (await store.highestNonce(from)) ?? -1;
    return Math.max(ours + 1, await ledger.transactionCount(from, 'pending'));
  }
}
