/**
 * Shares this thread between peers: together they get half of its time, in turns of a few
 * milliseconds; all of it while messages of consensus wait to be written. A peer with more work
 * continues in a later turn, after clients, timers and other peers; the peer that was served least
 * comes first.
 */
import { Turns } from '../../core/base/turns.ts';

/** Total time for all peers in one turn, in ms. */
const TURN_MS = 5;
/** Pause after a turn whose time was used up, in ms. */
const REST_MS = 5;

export class PeerTurns {
  private readonly nowMs: () => number;
  private readonly turns = new Turns<number>();
  private readonly waiting = new Map<number, () => void>();
  /** Places whose work is urgent. */
  private readonly urgent = new Set<number>();
  private lastPlace = 0;
  private spentMs = 0;
  private isNextSet = false;

  /** `nowMs` is the clock that measures the cost of work. */
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

  /** Calls `goOn` in a later turn; `isUrgent`: without a pause before it. */
  wait(place: number, goOn: () => void, isUrgent = false): void {
    this.waiting.set(place, goOn);
    if (isUrgent) this.urgent.add(place);
    this.turns.enter(place);
    this.setNext();
  }

  forget(place: number): void {
    this.waiting.delete(place);
    this.urgent.delete(place);
    this.turns.leave(place);
  }

  private setNext(): void {
    if (this.isNextSet) return;
    this.isNextSet = true;
    setImmediate(() => {
      if (this.mayGoOn || this.urgent.size > 0) this.next();
      else setTimeout(() => this.next(), REST_MS);
    });
  }

  private next(): void {
    this.isNextSet = false;
    this.spentMs = 0;
    for (const place of this.turns.order()) {
      if (!this.mayGoOn) break;
      const goOn = this.waiting.get(place);
      // The peer left during the turn of another peer: it was replaced, or disconnected because of
      // the bytes that it holds.
      if (!goOn) continue;
      this.forget(place);
      goOn();
    }
    if (this.waiting.size > 0) this.setNext();
  }
}
