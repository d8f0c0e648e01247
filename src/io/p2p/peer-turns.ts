/**
 * Shares this thread between peers: together they have half of it, in turns of a few milliseconds.
 * A peer with more work continues in a later turn, the least served first, after clients, timers
 * and other peers.
 */
import { Turns } from '../../core/base/turns.ts';

/** Time for all peers in one turn. */
const TURN_MS = 5;
/** A turn that was used up is followed by a pause. */
const REST_MS = 5;

export class PeerTurns {
  private readonly nowMs: () => number;
  private readonly turns = new Turns<number>();
  private readonly waiting = new Map<number, () => void>();
  private lastPlace = 0;
  private spentMs = 0;
  private isNextSet = false;

  /** `nowMs`: what work costs is measured with it. */
  constructor(nowMs: () => number = () => performance.now()) {
    this.nowMs = nowMs;
  }

  /** Registers a peer; returns its number. */
  newPlace(): number {
    return ++this.lastPlace;
  }

  /** Whether this turn has time left. */
  get mayGoOn(): boolean {
    return this.spentMs < TURN_MS;
  }

  /**
   * Does a piece of work for a peer. `charge` gets the time that it took, in ms, even if it throws.
   */
  run<T>(place: number, work: () => T, charge: (ms: number) => void): T {
    const begunMs = this.nowMs();
    try {
      return work();
    } finally {
      const ms = this.nowMs() - begunMs;
      this.turns.charge(place, ms);
      this.spentMs += ms;
      this.setNext();
      charge(ms);
    }
  }

  /** Calls `goOn` in a later turn. */
  wait(place: number, goOn: () => void): void {
    this.waiting.set(place, goOn);
    this.turns.enter(place);
    this.setNext();
  }

  forget(place: number): void {
    this.waiting.delete(place);
    this.turns.leave(place);
  }

  private setNext(): void {
    if (this.isNextSet) return;
    this.isNextSet = true;
    setImmediate(() => {
      if (this.mayGoOn) this.next();
      else setTimeout(() => this.next(), REST_MS);
    });
  }

  private next(): void {
    this.isNextSet = false;
    this.spentMs = 0;
    for (const place of this.turns.order()) {
      if (!this.mayGoOn) break;
      const goOn = this.waiting.get(place);
      // It left during the turn of another peer: replaced, or disconnected for the bytes that it
      // holds.
      if (!goOn) continue;
      this.forget(place);
      goOn();
    }
    if (this.waiting.size > 0) this.setNext();
  }
}
