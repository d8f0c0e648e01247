/**
 * All accounts with nonces: those that wait for a transaction count, those to count next, and those
 * that may be forgotten. To count an account is to request its transaction count from the node.
 */
import { NonceSequence } from './nonce-sequence.ts';

/** How often accounts with pending transactions are counted. */
export const WATCH_MS = 1_000;
/** Idle accounts beyond this number are forgotten, the oldest first. */
const SEQUENCES_MAX = 100_000;
/** Counts requested from the node at a time. */
const COUNTS_MAX = 32;

/**
 * Invariants: an account with a held transaction, a waiting request or a count in progress is never
 * forgotten; each account has at most one count in progress.
 */
export class NonceAccounts<Request> {
  private readonly all = new Map<string, NonceSequence>();
  /** Accounts with held transactions, in the order of their next count. */
  private readonly active = new Set<NonceSequence>();
  /** Requests that wait for the account's count, in order. */
  private readonly waiting = new Map<NonceSequence, Request[]>();
  private counts = 0;

  /** Whether any transaction is pending. */
  get isBusy(): boolean {
    return this.active.size > 0;
  }

  /** Transactions that are neither mined nor refused. */
  get heldCount(): number {
    let count = 0;
    for (const sequence of this.active)
      for (const { held } of sequence.slots.values()) count += held.length;
    return count;
  }

  /** The longest time for which an account has had none of its pending transactions mined. */
  stuckMs(nowMs: number): number {
    let longest = 0;
    for (const { progressMs } of this.active) longest = Math.max(longest, nowMs - progressMs);
    return longest;
  }

  find(nonceKey: string): NonceSequence | undefined {
    return this.all.get(nonceKey);
  }

  /** The account, known or new; undefined: there are too many. `isForced`: ignores the bound. */
  open(nonceKey: string, isForced = false): NonceSequence | undefined {
    const known = this.all.get(nonceKey);
    if (known) return known;
    if (this.all.size >= SEQUENCES_MAX && !isForced && !this.evict()) return undefined;
    const sequence = new NonceSequence(nonceKey);
    this.all.set(nonceKey, sequence);
    return sequence;
  }

  /** Call it when a transaction is now held. */
  activate(sequence: NonceSequence, nowMs: number): void {
    if (this.active.has(sequence)) return;
    this.active.add(sequence);
    sequence.progressMs = nowMs;
    sequence.countAtMs = nowMs + WATCH_MS;
  }

  /** Call it when a held transaction has ended. */
  settleDown(sequence: NonceSequence): void {
    if (sequence.isIdle) this.active.delete(sequence);
  }

  isAwaited(sequence: NonceSequence): boolean {
    return this.waiting.has(sequence);
  }

  /** Lets the request wait for the next count of the account. */
  wait(sequence: NonceSequence, request: Request): void {
    const queue = this.waiting.get(sequence);
    if (queue) queue.push(request);
    else this.waiting.set(sequence, [request]);
  }

  /** Removes and returns the waiting requests. */
  takeWaiting(sequence: NonceSequence): readonly Request[] {
    const queue = this.waiting.get(sequence) ?? [];
    this.waiting.delete(sequence);
    return queue;
  }

  /** Returns false if a count is already in progress. */
  beginCount(sequence: NonceSequence): boolean {
    if (sequence.isCounting) return false;
    sequence.isCounting = true;
    this.counts++;
    return true;
  }

  endCount(sequence: NonceSequence, nowMs: number): void {
    if (!sequence.isCounting) return;
    sequence.isCounting = false;
    sequence.countAtMs = nowMs + WATCH_MS;
    this.counts--;
  }

  /** Accounts to count now; each then moves to the end of the queue. */
  *due(nowMs: number): Generator<NonceSequence> {
    for (const sequence of this.active) {
      if (this.counts >= COUNTS_MAX) return;
      if (sequence.countAtMs > nowMs || sequence.isCounting) continue;
      this.active.delete(sequence);
      this.active.add(sequence);
      yield sequence;
    }
  }

  /** Forgets the oldest idle account; false: there is none. */
  private evict(): boolean {
    for (const [nonceKey, sequence] of this.all) {
      if (this.active.has(sequence) || this.waiting.has(sequence) || sequence.isCounting) continue;
      this.all.delete(nonceKey);
      return true;
    }
    return false;
  }
}
