/**
 * Nonces of all accounts that this proxy signs for. A state machine: requests, signatures, answers of the node, counts and ticks in;
 * what to sign, send, count and tell out. Clock, node and disk are outside. What it holds to (docs/signer.md, "Nonces"):
 * one request gets at most one transaction that may be mined; bytes whose fate is unknown are sent again as they are; a nonce is
 * handed to other contents only after the node has refused what stood there.
 */
import type { Machine } from '../base/machine.ts';
import { type Held, Lane, type SignedSend, type Slot } from './nonce-lane.ts';
import type { NonceEffect, NonceInput, Settled } from './nonce-messages.ts';

export interface NonceSettings {
  /** Fill a nonce that holds up others by a transfer of nothing to the account itself. */
  readonly fillsGaps: boolean;
}

/** As many new nonces as one request may try (EthSigner: 10 retries). */
const NONCE_TRIES_MAX = 11;
/** An account at rest is counted anew before it sends: somebody else may have used its key. */
const REST_MS = 1_000;
/** Accounts with transactions under way are counted so often. */
const WATCH_MS = 1_000;
/** The node gets so much time before what it seems to have lost is sent again. */
const GRACE_MS = 2_000;
const AGAIN_MS_MAX = 60_000;
/** For a client that waits: 50, 100, 200, 400 ms. */
const QUICK_TRIES = 4;
const QUICK_MS = 50;
const FILL_AFTER_MS = 3_000;
/** Requests that wait for a nonce or an answer. */
const REQUESTS_MAX = 100_000;
/** Transactions of one account without an end. */
const HELD_MAX = 100_000;
const LANES_MAX = 100_000;
const COUNTS_MAX = 32;
/** Sent again in one go, lowest nonces first. */
const RESENDS_MAX = 256;

interface Request {
  readonly id: number;
  readonly lane: Lane;
  readonly kind: 'send' | 'ask' | 'fill';
  /** The client's own choice. */
  readonly wanted: number | undefined;
  /** Being signed. */
  nonce: number | undefined;
  tries: number;
}

export class NonceManager implements Machine<NonceInput, NonceEffect> {
  private readonly settings: NonceSettings;
  private readonly lanes = new Map<string, Lane>();
  /** Those that have something held, in the order of their next count. */
  private readonly active = new Set<Lane>();
  private readonly requests = new Map<number, Request>();
  /** By lane, in order. */
  private readonly waiting = new Map<Lane, Request[]>();
  /** Due to be sent again by themselves. */
  private readonly again = new Set<Held>();
  private out: NonceEffect[] = [];
  private nowMs = 0;
  private counts = 0;
  private fills = 0;

  constructor(settings: NonceSettings) {
    this.settings = settings;
  }

  /** Transactions that are neither mined nor refused. */
  get heldCount(): number {
    let count = 0;
    for (const lane of this.active)
      for (const { held } of lane.slots.values()) count += held.length;
    return count;
  }

  /** Whether time matters: something is under way. */
  get isBusy(): boolean {
    return this.active.size > 0 || this.again.size > 0;
  }

  get requestCount(): number {
    return this.requests.size;
  }

  step(input: NonceInput, nowMs: number): readonly NonceEffect[] {
    this.nowMs = nowMs;
    this.out = [];
    this.take(input);
    return this.out;
  }

  private take(input: NonceInput): void {
    if (input.kind === 'wanted') this.wanted(input.id, input.lane, input.nonce);
    else if (input.kind === 'signed') this.signed(input.id, input.send);
    else if (input.kind === 'answered') this.answered(input);
    else if (input.kind === 'tick') this.tick();
    else if (input.kind === 'counted') this.counted(input.lane, input.latest, input.pending);
    else if (input.kind === 'countFailed') this.countFailed(input.lane, input.answer);
    else if (input.kind === 'asked') this.asked(input.id, input.lane);
    else if (input.kind === 'abandoned') this.abandoned(input.id);
    else if (input.kind === 'found') this.found(input.held, input.isKnown, input.answer);
    else this.restored(input.sends);
  }

  // --- requests ---------------------------------------------------------------------------------------------------

  private wanted(id: number, name: string, nonce: number | undefined): void {
    const lane = this.laneOf(name);
    if (!lane || this.requests.size >= REQUESTS_MAX || lane.slots.size >= HELD_MAX) {
      this.emit({ kind: 'settle', id, end: { kind: 'full' } });
      return;
    }
    const request: Request = { id, lane, kind: 'send', wanted: nonce, nonce: undefined, tries: 0 };
    this.requests.set(id, request);
    if (nonce === undefined) this.enqueue(request);
    else this.begin(request, nonce, false);
  }

  private asked(id: number, name: string): void {
    const lane = this.laneOf(name);
    if (lane)
      this.enqueue({ id, lane, kind: 'ask', wanted: undefined, nonce: undefined, tries: 0 });
    else this.emit({ kind: 'settle', id, end: { kind: 'full' } });
  }

  /** Served at once where the account's count is known and fresh. */
  private enqueue(request: Request): void {
    const { lane } = request;
    const queue = this.waiting.get(lane);
    if (queue) {
      queue.push(request);
    } else if (lane.isCounted && !(lane.isIdle && this.nowMs - lane.countedMs > REST_MS)) {
      this.serve(request);
    } else {
      this.waiting.set(lane, [request]);
      this.count(lane, false);
    }
  }

  private serve(request: Request): void {
    const { lane, id } = request;
    if (request.kind === 'ask')
      this.emit({ kind: 'settle', id, end: { kind: 'next', nonce: lane.peek() } });
    else this.begin(request, lane.take(), true);
  }

  private begin(request: Request, nonce: number, isTaken: boolean): void {
    const { lane, id } = request;
    if (!isTaken) lane.reserve(nonce);
    request.nonce = nonce;
    this.activate(lane);
    this.emit({ kind: 'sign', id, lane: lane.name, nonce, isFill: request.kind === 'fill' });
  }

  private signed(id: number, send: SignedSend): void {
    const request = this.requests.get(id);
    const slot = request?.nonce === undefined ? undefined : request.lane.slots.get(request.nonce);
    if (!request || !slot) return;
    slot.signing--;
    request.nonce = undefined;
    // The very same transaction: signatures are deterministic.
    const same = slot.held.find((each) => each.send.hash === send.hash);
    if (same) {
      if (same.isAccepted) this.end(request, { kind: 'known', hash: send.hash });
      else same.requests.push(id);
      return;
    }
    const held = newHeld(send, [id]);
    slot.held.push(held);
    this.send(held);
  }

  private abandoned(id: number): void {
    const request = this.requests.get(id);
    if (!request || request.nonce === undefined) return;
    const slot = request.lane.slots.get(request.nonce);
    if (slot) slot.signing--;
    request.lane.release(request.nonce);
    this.requests.delete(id);
    this.settleDown(request.lane);
  }

  private end(request: Request, end: Settled): void {
    this.requests.delete(request.id);
    if (request.kind !== 'fill') this.emit({ kind: 'settle', id: request.id, end });
  }

  /** Tells the clients that wait for this transaction. */
  private tell(held: Held, end: Settled): void {
    for (const request of this.waitersOf(held)) this.end(request, end);
  }

  /** They wait no more. */
  private waitersOf(held: Held): Request[] {
    const found: Request[] = [];
    for (const id of held.requests) {
      const request = this.requests.get(id);
      if (request) found.push(request);
    }
    held.requests = [];
    return found;
  }

  // --- answers ----------------------------------------------------------------------------------------------------

  private send(held: Held): void {
    held.isUnderWay = true;
    held.sends++;
    held.sentMs = this.nowMs;
    held.againMs = Number.POSITIVE_INFINITY;
    this.again.delete(held);
    this.emit({ kind: 'send', held, isNew: held.sends === 1 });
  }

  private answered(input: Extract<NonceInput, { kind: 'answered' }>): void {
    const { held, outcome, answer, isFinal } = input;
    held.isUnderWay = false;
    if (outcome === 'accepted' || outcome === 'known') this.accepted(held, outcome, answer);
    else if (outcome === 'unclear') this.unclear(held, answer, isFinal);
    else if (outcome === 'refused' || outcome === 'unsent') this.refused(held, outcome, answer);
    else this.overtaken(held, outcome, answer);
  }

  private accepted(held: Held, outcome: 'accepted' | 'known', answer: unknown): void {
    const { hash } = held.send;
    if (!held.isAccepted) this.emit({ kind: 'accepted', send: held.send });
    held.isAccepted = true;
    this.tell(
      held,
      outcome === 'known' ? { kind: outcome, hash } : { kind: outcome, hash, answer },
    );
  }

  /** Another transaction stands at the nonce, or these bytes do and the node has forgotten how it came by them. */
  private overtaken(held: Held, outcome: 'nonceTooLow' | 'underpriced', answer: unknown): void {
    const { lane: name, nonce } = held.send;
    const lane = this.lanes.get(name)!;
    const isDead = held.sends === 1;
    if (!isDead && (outcome === 'nonceTooLow' || held.isAccepted)) {
      if (held.requests.length > 0) this.find(held);
      else this.backOff(held);
      return;
    }
    const waiters = this.waitersOf(held);
    const slot = lane.slots.get(nonce);
    if (slot?.held.length === 1) lane.occupied(nonce);
    this.drop(held, false);
    for (const request of waiters) {
      const isBound = request.wanted !== undefined || request.kind === 'fill';
      if (isDead && !isBound) this.retry(request);
      else this.end(request, { kind: 'refused', answer });
    }
    this.settleDown(lane);
  }

  /** Asks the node whether it knows the transaction. */
  private find(held: Held): void {
    held.isUnderWay = true;
    this.emit({ kind: 'find', held });
  }

  /** With a new nonce: the bytes that stood at the old one were refused on their only journey. */
  private retry(request: Request): void {
    if (++request.tries >= NONCE_TRIES_MAX) {
      this.end(request, { kind: 'exhausted' });
      return;
    }
    const queue = this.waiting.get(request.lane);
    if (queue) queue.push(request);
    else this.waiting.set(request.lane, [request]);
    this.count(request.lane, false);
  }

  private refused(held: Held, outcome: 'refused' | 'unsent', answer: unknown): void {
    const { hash } = held.send;
    if (held.isAccepted || (outcome === 'unsent' && held.isUnclear)) {
      this.tell(held, { kind: 'unclear', hash, answer });
      this.backOff(held);
      return;
    }
    this.tell(held, { kind: outcome, answer });
    this.drop(held, false);
    this.settleDown(this.lanes.get(held.send.lane)!);
  }

  private unclear(held: Held, answer: unknown, isFinal: boolean): void {
    held.isUnclear = true;
    if (held.requests.length > 0 && !isFinal && held.sends <= QUICK_TRIES) {
      held.againMs = this.nowMs + QUICK_MS * 2 ** (held.sends - 1);
      this.again.add(held);
      return;
    }
    this.tell(held, { kind: 'unclear', hash: held.send.hash, answer });
    this.backOff(held);
  }

  private found(held: Held, isKnown: boolean | undefined, answer: unknown): void {
    const { hash, lane } = held.send;
    held.isUnderWay = false;
    if (isKnown) {
      this.accepted(held, 'known', answer);
      return;
    }
    this.tell(held, { kind: 'unclear', hash, answer });
    if (isKnown === undefined) this.backOff(held);
    // What the node does not know at a nonce that is used up can never be mined.
    else if (!held.isAccepted) this.drop(held, false);
    this.settleDown(this.lanes.get(lane)!);
  }

  /** Nobody waits for it: ever more rarely. */
  private backOff(held: Held): void {
    const wait = Math.min(AGAIN_MS_MAX, GRACE_MS * 2 ** Math.min(held.resends++, 10));
    held.againMs = this.nowMs + wait;
    if (!held.isAccepted) this.again.add(held);
  }

  private drop(held: Held, isMined: boolean): void {
    const { lane: name, nonce } = held.send;
    const lane = this.lanes.get(name);
    const slot = lane?.slots.get(nonce);
    this.again.delete(held);
    this.emit({ kind: 'forget', send: held.send, isMined });
    if (!lane || !slot) return;
    const at = slot.held.indexOf(held);
    if (at >= 0) slot.held.splice(at, 1);
    lane.release(nonce);
  }

  // --- counts -----------------------------------------------------------------------------------------------------

  private count(lane: Lane, isFull: boolean): void {
    if (lane.isCounting) return;
    lane.isCounting = true;
    this.counts++;
    this.emit({ kind: 'count', lane: lane.name, isFull });
  }

  private counted(name: string, latest: number | undefined, pending: number | undefined): void {
    const lane = this.lanes.get(name);
    if (!lane) return;
    this.endCount(lane);
    if (latest !== undefined) this.resolve(lane, latest);
    const floor = pending ?? latest ?? 0;
    lane.counted(latest, floor, this.nowMs);
    // Where nobody tells what the node holds, what it has taken gets much more time.
    const graceMs = pending === undefined ? AGAIN_MS_MAX : GRACE_MS;
    if (latest !== undefined) this.resend(lane, Math.max(floor, latest), graceMs);
    this.serveWaiting(lane);
    this.fill(lane);
    this.settleDown(lane);
  }

  private countFailed(name: string, answer: unknown): void {
    const lane = this.lanes.get(name);
    if (!lane) return;
    this.endCount(lane);
    const queue = this.waiting.get(lane) ?? [];
    this.waiting.delete(lane);
    for (const request of queue) this.end(request, { kind: 'uncounted', answer });
    this.settleDown(lane);
  }

  private endCount(lane: Lane): void {
    if (!lane.isCounting) return;
    lane.isCounting = false;
    lane.countAtMs = this.nowMs + WATCH_MS;
    this.counts--;
  }

  private serveWaiting(lane: Lane): void {
    const queue = this.waiting.get(lane) ?? [];
    this.waiting.delete(lane);
    for (const request of queue) this.serve(request);
  }

  /** What stands below the mined count has come to its end. */
  private resolve(lane: Lane, latest: number): void {
    for (const slot of [...lane.slots.values()]) {
      if (slot.nonce >= latest) continue;
      for (const held of [...slot.held]) {
        if (held.isUnderWay) continue;
        if (held.requests.length === 0) this.drop(held, true);
        else this.find(held);
      }
      if (slot.held.length === 0 && slot.signing === 0) lane.slots.delete(slot.nonce);
    }
  }

  /** What the node lacks although it had time to take it in. */
  private resend(lane: Lane, floor: number, graceMs: number): void {
    const lost: Held[] = [];
    for (const { nonce, held: all } of lane.slots.values()) {
      const held = all.at(-1);
      if (nonce < floor || !held || held.isUnderWay || held.requests.length > 0) continue;
      if (this.nowMs - held.sentMs >= graceMs && this.nowMs >= dueMs(held)) lost.push(held);
    }
    lost.sort((a, b) => a.send.nonce - b.send.nonce);
    for (const held of lost.slice(0, RESENDS_MAX)) {
      held.resends++;
      this.send(held);
    }
  }

  private fill(lane: Lane): void {
    if (!this.settings.fillsGaps || this.nowMs - lane.holeSinceMs < FILL_AFTER_MS) return;
    lane.holeSinceMs = Number.POSITIVE_INFINITY;
    const request: Request = {
      ...{ id: -++this.fills, lane, kind: 'fill', wanted: undefined, nonce: undefined, tries: 0 },
    };
    this.requests.set(request.id, request);
    this.begin(request, lane.take(), true);
  }

  // --- time -------------------------------------------------------------------------------------------------------

  private restored(sends: Extract<NonceInput, { kind: 'restored' }>['sends']): void {
    for (const { send, isAccepted } of sends) {
      const lane = this.laneOf(send.lane, true)!;
      const slot: Slot = lane.slots.get(send.nonce) ?? { nonce: send.nonce, held: [], signing: 0 };
      lane.slots.set(send.nonce, slot);
      slot.held.push({ ...newHeld(send), isAccepted, isUnclear: true, sends: 1 });
      this.activate(lane);
      lane.countAtMs = this.nowMs;
    }
  }

  private tick(): void {
    for (const held of [...this.again]) {
      if (held.againMs > this.nowMs || held.isUnderWay) continue;
      this.send(held);
    }
    for (const lane of this.active) {
      if (this.counts >= COUNTS_MAX) return;
      if (lane.countAtMs > this.nowMs || lane.isCounting) continue;
      // Behind the others from now on.
      this.active.delete(lane);
      this.active.add(lane);
      this.count(lane, true);
      if (lane.countAtMs <= this.nowMs) lane.countAtMs = this.nowMs + WATCH_MS;
    }
  }

  // --- lanes ------------------------------------------------------------------------------------------------------

  private laneOf(name: string, isForced = false): Lane | undefined {
    const known = this.lanes.get(name);
    if (known) return known;
    if (this.lanes.size >= LANES_MAX && !isForced && !this.evict()) return undefined;
    const lane = new Lane(name);
    this.lanes.set(name, lane);
    return lane;
  }

  /** The oldest account at rest. */
  private evict(): boolean {
    for (const [name, lane] of this.lanes) {
      if (this.active.has(lane) || this.waiting.has(lane) || lane.isCounting) continue;
      this.lanes.delete(name);
      return true;
    }
    return false;
  }

  private activate(lane: Lane): void {
    if (this.active.has(lane)) return;
    this.active.add(lane);
    lane.countAtMs = this.nowMs + WATCH_MS;
  }

  private settleDown(lane: Lane): void {
    if (lane.isIdle) this.active.delete(lane);
  }

  private emit(effect: NonceEffect): void {
    this.out.push(effect);
  }
}

function newHeld(send: SignedSend, requests: number[] = []): Held {
  return {
    ...{ send, requests, sends: 0, isUnderWay: false, isAccepted: false, isUnclear: false },
    ...{ sentMs: Number.NEGATIVE_INFINITY, againMs: Number.POSITIVE_INFINITY, resends: 0 },
  };
}

/** When an accepted one that the node has lost goes out again. */
function dueMs(held: Held): number {
  return Number.isFinite(held.againMs)
    ? held.againMs
    : held.sentMs + Math.min(AGAIN_MS_MAX, GRACE_MS * 2 ** Math.min(held.resends, 5));
}
