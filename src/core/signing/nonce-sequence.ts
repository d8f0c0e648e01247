/**
 * The nonces of one account (or of one account in one privacy group): which are free, which are
 * taken, what was signed for each.
 */
import { assert } from '../base/errors.ts';
import { dueMs, type Held, newHeld, type SignedSend } from './nonce-held.ts';

/** All transactions at one nonce: several if a client replaced its transaction. */
export interface Slot {
  readonly nonce: number;
  readonly held: Held[];
  /** Number of requests that are being signed for this nonce. */
  signing: number;
}

/** How far above the account's count unused nonces are searched for. */
const HOLES_MAX = 10_000;

export class NonceSequence {
  readonly key: string;
  readonly slots = new Map<number, Slot>();
  /** Unused nonces below `next`, lowest first. */
  private readonly free: number[] = [];
  /** Nonces used by transactions that are not ours. */
  private readonly foreign = new Set<number>();
  private next = 0;
  latest = 0;
  isCounted = false;
  countedMs = Number.NEGATIVE_INFINITY;
  countAtMs = Number.POSITIVE_INFINITY;
  /** A count was requested and not yet answered. */
  isCounting = false;
  holeSinceMs = Number.POSITIVE_INFINITY;
  /** When its first transaction was held, or when one was last mined. */
  progressMs = 0;

  constructor(key: string) {
    this.key = key;
  }

  get isIdle(): boolean {
    return this.slots.size === 0;
  }

  /** The nonce for the next request. */
  peek(): number {
    if (this.free.length > 0) return this.free[0]!;
    let nonce = this.next;
    while (this.slots.has(nonce)) nonce++;
    return nonce;
  }

  /** Takes the next nonce. */
  take(): number {
    const nonce = this.peek();
    this.reserve(nonce);
    return nonce;
  }

  /** Takes this nonce, for a request that specifies it. */
  reserve(nonce: number): void {
    const at = this.free.indexOf(nonce);
    if (at >= 0) this.free.splice(at, 1);
    else if (nonce === this.next) this.next++;
    const slot = this.slots.get(nonce) ?? { nonce, held: [], signing: 0 };
    slot.signing++;
    this.slots.set(nonce, slot);
  }

  /** Keeps what was signed for the nonce. */
  hold(slot: Slot, held: Held): void {
    this.checkOwn(held.send);
    assert(held.send.nonce === slot.nonce, 'what is signed has the nonce that was given out');
    slot.held.push(held);
  }

  /** Checks a transaction that was signed, or restored at a restart. */
  private checkOwn({ nonceKey, nonce, hash }: SignedSend): void {
    assert(nonceKey === this.key, 'a signed transaction is of this sequence');
    const slot = this.slots.get(nonce);
    const isNew = !slot?.held.some(({ send }) => send.hash === hash);
    assert(isNew, 'the same bytes are held once');
  }

  /** Releases the nonce, unless another transaction uses it. */
  release(nonce: number): void {
    const slot = this.slots.get(nonce);
    if (!slot || slot.signing > 0 || slot.held.length > 0) return;
    this.slots.delete(nonce);
    if (!this.isCounted || nonce >= this.next || nonce < this.latest || this.foreign.has(nonce))
      return;
    if (nonce === this.next - 1) {
      this.next--;
      while (this.free.at(-1) === this.next - 1 && this.next > 0) {
        this.free.pop();
        this.next--;
      }
    } else {
      this.addFree(nonce);
    }
  }

  /** Another wallet's transaction uses the nonce: it is not given out again. */
  occupied(nonce: number): void {
    this.foreign.add(nonce);
    this.next = Math.max(this.next, nonce + 1);
  }

  /** Takes the node's counts: `latest`: mined; `pending`: with consecutive pending transactions. */
  counted(latest: number | undefined, pending: number, nowMs: number): void {
    this.isCounted = true;
    this.countedMs = nowMs;
    if (latest !== undefined && latest > this.latest) this.progressMs = nowMs;
    if (latest !== undefined) this.latest = latest;
    const floor = Math.max(pending, this.latest);
    for (const nonce of this.foreign) if (nonce < floor) this.foreign.delete(nonce);
    this.next = this.isIdle && this.foreign.size === 0 ? floor : Math.max(this.next, floor);
    while (this.free.length > 0 && (this.free[0]! < floor || this.isIdle)) this.free.shift();
    this.findHoles(floor);
    if (!this.hasHole(floor)) this.holeSinceMs = Number.POSITIVE_INFINITY;
    else if (this.holeSinceMs === Number.POSITIVE_INFINITY) this.holeSinceMs = nowMs;
  }

  /** Whether one of our transactions waits for a lower nonce that is unused. */
  private hasHole(floor: number): boolean {
    if (this.peek() !== floor) return false;
    for (const nonce of this.slots.keys()) if (nonce > floor) return true;
    return false;
  }

  /** Finds nonces that the node lacks and that were not used here. */
  private findHoles(floor: number): void {
    const end = Math.min(this.next, floor + HOLES_MAX);
    const known = new Set(this.free);
    for (let nonce = floor; nonce < end; nonce++) {
      if (!this.slots.has(nonce) && !known.has(nonce) && !this.foreign.has(nonce))
        this.addFree(nonce);
    }
  }

  private addFree(nonce: number): void {
    let at = this.free.length;
    while (at > 0 && this.free[at - 1]! > nonce) at--;
    if (this.free[at - 1] !== nonce) this.free.splice(at, 0, nonce);
  }

  /** Restores a transaction that was signed before a restart. */
  restore(send: SignedSend, isAccepted: boolean): void {
    this.checkOwn(send);
    const slot = this.slots.get(send.nonce) ?? { nonce: send.nonce, held: [], signing: 0 };
    this.slots.set(send.nonce, slot);
    slot.held.push({ ...newHeld(send), isAccepted, isUnclear: true, sends: 1 });
  }

  /**
   * Transactions from `floor` on that the node lacks although it had `graceMs` to accept them;
   * lowest nonces first.
   */
  lost(floor: number, graceMs: number, nowMs: number): readonly Held[] {
    const lost: Held[] = [];
    for (const { nonce, held: all } of this.slots.values()) {
      const held = all.at(-1);
      if (nonce < floor || !held || held.isSending || held.requests.length > 0) continue;
      if (nowMs - held.sentMs >= graceMs && nowMs >= dueMs(held)) lost.push(held);
    }
    return lost.sort((a, b) => a.send.nonce - b.send.nonce);
  }
}
