/** All accounts that nonces are kept for: who waits for a count, which are counted next, and which may be forgotten. */
import { NonceSequence } from './nonce-sequence.ts';

/** Accounts with transactions under way are counted so often. */
export const WATCH_MS = 1_000;
/** Accounts at rest beyond these are forgotten, the oldest first. */
const SEQUENCES_MAX = 100_000;
/** Counts that the node is asked for at a time. */
const COUNTS_MAX = 32;

/**
 * Invariants: an account with something held, with a request that waits, or with a count under way is never
 * forgotten; of each account at most one count is under way.
 */
export class NonceAccounts<Request> {
  private readonly all = new Map<string, NonceSequence>();
  /** Those that have something held, in the order of their next count. */
  private readonly active = new Set<NonceSequence>();
  /** Requests that wait for the account's count, in order. */
  private readonly waiting = new Map<NonceSequence, Request[]>();
  private counts = 0;

  /** Whether any transaction is under way. */
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

  find(nonceKey: string): NonceSequence | undefined {
    return this.all.get(nonceKey);
  }

  /** The account, known or new; undefined: there is no room. `isForced`: whatever the bound. */
  open(nonceKey: string, isForced = false): NonceSequence | undefined {
    const known = this.all.get(nonceKey);
    if (known) return known;
    if (this.all.size >= SEQUENCES_MAX && !isForced && !this.evict()) return undefined;
    const sequence = new NonceSequence(nonceKey);
    this.all.set(nonceKey, sequence);
    return sequence;
  }

  /** Something is held from now on. */
  activate(sequence: NonceSequence, nowMs: number): void {
    if (this.active.has(sequence)) return;
    this.active.add(sequence);
    sequence.countAtMs = nowMs + WATCH_MS;
  }

  /** Something has come to its end. */
  settleDown(sequence: NonceSequence): void {
    if (sequence.isIdle) this.active.delete(sequence);
  }

  isAwaited(sequence: NonceSequence): boolean {
    return this.waiting.has(sequence);
  }

  /** Until the next count of the account. */
  wait(sequence: NonceSequence, request: Request): void {
    const queue = this.waiting.get(sequence);
    if (queue) queue.push(request);
    else this.waiting.set(sequence, [request]);
  }

  /** Those that have waited, who wait no more. */
  takeWaiting(sequence: NonceSequence): readonly Request[] {
    const queue = this.waiting.get(sequence) ?? [];
    this.waiting.delete(sequence);
    return queue;
  }

  /** False: one is under way already. */
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

  /** Accounts that are to be counted now, each behind the others from then on. */
  *due(nowMs: number): Generator<NonceSequence> {
    for (const sequence of this.active) {
      if (this.counts >= COUNTS_MAX) return;
      if (sequence.countAtMs > nowMs || sequence.isCounting) continue;
      this.active.delete(sequence);
      this.active.add(sequence);
      yield sequence;
    }
  }

  /** The oldest account at rest. */
  private evict(): boolean {
    for (const [nonceKey, sequence] of this.all) {
      if (this.active.has(sequence) || this.waiting.has(sequence) || sequence.isCounting) continue;
      this.all.delete(nonceKey);
      return true;
    }
    return false;
  }
}
