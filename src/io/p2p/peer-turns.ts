/**
 * Shares this thread between peers: they all together have half of it, in turns of a few
 * milliseconds. Who has more to say continues in a later turn, the least served first, when
 * clients, timers and other peers had theirs.
 */
import { Turns } from '../../core/base/turns.ts';

/** Of all peers, in one turn. */
const TURN_MS = 5;
/** A turn that was spent to its end is followed by a rest. */
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

  /** A number for a peer that takes part. */
  newPlace(): number {
    return ++this.lastPlace;
  }

  /** Whether this turn has time left. */
  get mayGoOn(): boolean {
    return this.spentMs < TURN_MS;
  }

  /**
   * Does a piece of work for a peer. `charge` is told what it took, in ms, even where it throws.
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
      // It left in the turn of another: a peer that is replaced or cut off for the bytes it holds.
      if (!goOn) continue;
      this.forget(place);
      goOn();
    }
    if (this.waiting.size > 0) this.setNext();
  }
}
