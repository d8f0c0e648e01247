/**
 * Nonces of all accounts that this proxy signs for. A state machine: requests, signatures, answers of the node, counts and ticks in;
 * what to sign, send, count and tell out. Clock, node and disk are outside. What it holds to (docs/signer.md, "Nonces"):
 * one request gets at most one transaction that may be mined; bytes whose fate is unknown are sent again as they are; a nonce is
 * handed to other contents only after the node has refused what stood there.
 */
import { unreachable } from '../base/errors.ts';
import type { Machine } from '../base/machine.ts';
import type { NonceEffect, NonceInput, Settled } from './nonce-messages.ts';
import { type Held, NonceSequence, type SignedSend, type Slot } from './nonce-sequence.ts';

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
const SEQUENCES_MAX = 100_000;
const COUNTS_MAX = 32;
/** Sent again in one go, lowest nonces first. */
const RESENDS_MAX = 256;

interface Request {
  readonly id: number;
  readonly sequence: NonceSequence;
  readonly kind: 'send' | 'ask' | 'fill';
  /** The client's own choice. */
  readonly wanted: number | undefined;
  /** Being signed. */
  nonce: number | undefined;
  tries: number;
}

/** `Answer`: what a node's answer is to the outside, or why there is none. It is handed on, never looked at. */
export class NonceManager<Answer> implements Machine<NonceInput<Answer>, NonceEffect<Answer>> {
  private readonly settings: NonceSettings;
  private readonly sequences = new Map<string, NonceSequence>();
  /** Those that have something held, in the order of their next count. */
  private readonly active = new Set<NonceSequence>();
  private readonly requests = new Map<number, Request>();
  /** By sequence, in order. */
  private readonly waiting = new Map<NonceSequence, Request[]>();
  /** Due to be sent again by themselves. */
  private readonly again = new Set<Held>();
  private out: NonceEffect<Answer>[] = [];
  private nowMs = 0;
  private counts = 0;
  private fills = 0;

  constructor(settings: NonceSettings) {
    this.settings = settings;
  }

  /** Transactions that are neither mined nor refused. */
  get heldCount(): number {
    let count = 0;
    for (const sequence of this.active)
      for (const { held } of sequence.slots.values()) count += held.length;
    return count;
  }

  /** Whether time matters: something is under way. */
  get isBusy(): boolean {
    return this.active.size > 0 || this.again.size > 0;
  }

  get requestCount(): number {
    return this.requests.size;
  }

  step(input: NonceInput<Answer>, nowMs: number): readonly NonceEffect<Answer>[] {
    this.nowMs = nowMs;
    this.out = [];
    this.take(input);
    return this.out;
  }

  private take(input: NonceInput<Answer>): void {
    switch (input.kind) {
      case 'wanted':
        this.wanted(input.id, input.nonceKey, input.nonce);
        break;
      case 'asked':
        this.asked(input.id, input.nonceKey);
        break;
      case 'signed':
        this.signed(input.id, input.send);
        break;
      case 'abandoned':
        this.abandoned(input.id);
        break;
      case 'answered':
        this.answered(input);
        break;
      case 'counted':
        this.counted(input.nonceKey, input.latest, input.pending);
        break;
      case 'countFailed':
        this.countFailed(input.nonceKey, input.answer);
        break;
      case 'found':
        this.found(input.held, input.isKnown, input.answer);
        break;
      case 'restored':
        this.restored(input.sends);
        break;
      case 'tick':
        this.tick();
        break;
      default:
        unreachable(input);
    }
  }

  // --- requests ---------------------------------------------------------------------------------------------------

  private wanted(id: number, nonceKey: string, nonce: number | undefined): void {
    const sequence = this.sequenceOf(nonceKey);
    if (!sequence || this.requests.size >= REQUESTS_MAX || sequence.slots.size >= HELD_MAX) {
      this.emit({ kind: 'settle', id, end: { kind: 'full' } });
      return;
    }
    const request: Request = {
      id,
      sequence,
      kind: 'send',
      wanted: nonce,
      nonce: undefined,
      tries: 0,
    };
    this.requests.set(id, request);
    if (nonce === undefined) this.enqueue(request);
    else this.begin(request, nonce, false);
  }

  private asked(id: number, nonceKey: string): void {
    const sequence = this.sequenceOf(nonceKey);
    if (sequence)
      this.enqueue({ id, sequence, kind: 'ask', wanted: undefined, nonce: undefined, tries: 0 });
    else this.emit({ kind: 'settle', id, end: { kind: 'full' } });
  }

  /** Served at once where the account's count is known and fresh. */
  private enqueue(request: Request): void {
    const { sequence } = request;
    const queue = this.waiting.get(sequence);
    if (queue) {
      queue.push(request);
    } else if (
      sequence.isCounted &&
      !(sequence.isIdle && this.nowMs - sequence.countedMs > REST_MS)
    ) {
      this.serve(request);
    } else {
      this.waiting.set(sequence, [request]);
      this.count(sequence, false);
    }
  }

  private serve(request: Request): void {
    const { sequence, id } = request;
    if (request.kind === 'ask')
      this.emit({ kind: 'settle', id, end: { kind: 'next', nonce: sequence.peek() } });
    else this.begin(request, sequence.take(), true);
  }

  private begin(request: Request, nonce: number, isTaken: boolean): void {
    const { sequence, id } = request;
    if (!isTaken) sequence.reserve(nonce);
    request.nonce = nonce;
    this.activate(sequence);
    this.emit({ kind: 'sign', id, nonceKey: sequence.key, nonce, isFill: request.kind === 'fill' });
  }

  private signed(id: number, send: SignedSend): void {
    const request = this.requests.get(id);
    const slot =
      request?.nonce === undefined ? undefined : request.sequence.slots.get(request.nonce);
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
    const slot = request.sequence.slots.get(request.nonce);
    if (slot) slot.signing--;
    request.sequence.release(request.nonce);
    this.requests.delete(id);
    this.settleDown(request.sequence);
  }

  private end(request: Request, end: Settled<Answer>): void {
    this.requests.delete(request.id);
    if (request.kind !== 'fill') this.emit({ kind: 'settle', id: request.id, end });
  }

  /** Tells the clients that wait for this transaction. */
  private tell(held: Held, end: Settled<Answer>): void {
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
    held.isSending = true;
    held.sends++;
    held.sentMs = this.nowMs;
    held.againMs = Number.POSITIVE_INFINITY;
    this.again.delete(held);
    this.emit({ kind: 'send', held, isNew: held.sends === 1 });
  }

  private answered(input: Extract<NonceInput<Answer>, { kind: 'answered' }>): void {
    const { held, outcome, answer, isFinal } = input;
    held.isSending = false;
    if (outcome === 'accepted' || outcome === 'known') this.accepted(held, outcome, answer);
    else if (outcome === 'unclear') this.unclear(held, answer, isFinal);
    else if (outcome === 'refused' || outcome === 'unsent') this.refused(held, outcome, answer);
    else this.overtaken(held, outcome, answer);
  }

  private accepted(held: Held, outcome: 'accepted' | 'known', answer: Answer): void {
    const { hash } = held.send;
    if (!held.isAccepted) this.emit({ kind: 'accepted', send: held.send });
    held.isAccepted = true;
    this.tell(
      held,
      outcome === 'known' ? { kind: outcome, hash } : { kind: outcome, hash, answer },
    );
  }

  /** Another transaction stands at the nonce, or these bytes do and the node has forgotten how it came by them. */
  private overtaken(held: Held, outcome: 'nonceTooLow' | 'underpriced', answer: Answer): void {
    const { nonceKey, nonce } = held.send;
    const sequence = this.sequences.get(nonceKey)!;
    const isDead = held.sends === 1;
    if (!isDead && (outcome === 'nonceTooLow' || held.isAccepted)) {
      if (held.requests.length > 0) this.find(held);
      else this.backOff(held);
      return;
    }
    const waiters = this.waitersOf(held);
    const slot = sequence.slots.get(nonce);
    if (slot?.held.length === 1) sequence.occupied(nonce);
    this.drop(held, false);
    for (const request of waiters) {
      const isBound = request.wanted !== undefined || request.kind === 'fill';
      if (isDead && !isBound) this.retry(request);
      else this.end(request, { kind: 'refused', answer });
    }
    this.settleDown(sequence);
  }

  /** Asks the node whether it knows the transaction. */
  private find(held: Held): void {
    held.isSending = true;
    this.emit({ kind: 'find', held });
  }

  /** With a new nonce: the bytes that stood at the old one were refused on their only journey. */
  private retry(request: Request): void {
    if (++request.tries >= NONCE_TRIES_MAX) {
      this.end(request, { kind: 'exhausted' });
      return;
    }
    const queue = this.waiting.get(request.sequence);
    if (queue) queue.push(request);
    else this.waiting.set(request.sequence, [request]);
    this.count(request.sequence, false);
  }

  private refused(held: Held, outcome: 'refused' | 'unsent', answer: Answer): void {
    const { hash } = held.send;
    if (held.isAccepted || (outcome === 'unsent' && held.isUnclear)) {
      this.tell(held, { kind: 'unclear', hash, answer });
      this.backOff(held);
      return;
    }
    this.tell(held, { kind: outcome, answer });
    this.drop(held, false);
    this.settleDown(this.sequences.get(held.send.nonceKey)!);
  }

  private unclear(held: Held, answer: Answer, isFinal: boolean): void {
    held.isUnclear = true;
    if (held.requests.length > 0 && !isFinal && held.sends <= QUICK_TRIES) {
      held.againMs = this.nowMs + QUICK_MS * 2 ** (held.sends - 1);
      this.again.add(held);
      return;
    }
    this.tell(held, { kind: 'unclear', hash: held.send.hash, answer });
    this.backOff(held);
  }

  private found(held: Held, isKnown: boolean | undefined, answer: Answer): void {
    const { hash, nonceKey } = held.send;
    held.isSending = false;
    if (isKnown) {
      this.accepted(held, 'known', answer);
      return;
    }
    this.tell(held, { kind: 'unclear', hash, answer });
    if (isKnown === undefined) this.backOff(held);
    // What the node does not know at a nonce that is used up can never be mined.
    else if (!held.isAccepted) this.drop(held, false);
    this.settleDown(this.sequences.get(nonceKey)!);
  }

  /** Nobody waits for it: ever more rarely. */
  private backOff(held: Held): void {
    const wait = Math.min(AGAIN_MS_MAX, GRACE_MS * 2 ** Math.min(held.resends++, 10));
    held.againMs = this.nowMs + wait;
    if (!held.isAccepted) this.again.add(held);
  }

  private drop(held: Held, isMined: boolean): void {
    const { nonceKey, nonce } = held.send;
    const sequence = this.sequences.get(nonceKey);
    const slot = sequence?.slots.get(nonce);
    this.again.delete(held);
    this.emit({ kind: 'forget', send: held.send, isMined });
    if (!sequence || !slot) return;
    const at = slot.held.indexOf(held);
    if (at >= 0) slot.held.splice(at, 1);
    sequence.release(nonce);
  }

  // --- counts -----------------------------------------------------------------------------------------------------

  private count(sequence: NonceSequence, isFull: boolean): void {
    if (sequence.isCounting) return;
    sequence.isCounting = true;
    this.counts++;
    this.emit({ kind: 'count', nonceKey: sequence.key, isFull });
  }

  private counted(nonceKey: string, latest: number | undefined, pending: number | undefined): void {
    const sequence = this.sequences.get(nonceKey);
    if (!sequence) return;
    this.endCount(sequence);
    if (latest !== undefined) this.resolve(sequence, latest);
    const floor = pending ?? latest ?? 0;
    sequence.counted(latest, floor, this.nowMs);
    // Where nobody tells what the node holds, what it has taken gets much more time.
    const graceMs = pending === undefined ? AGAIN_MS_MAX : GRACE_MS;
    if (latest !== undefined) this.resend(sequence, Math.max(floor, latest), graceMs);
    this.serveWaiting(sequence);
    this.fill(sequence);
    this.settleDown(sequence);
  }

  private countFailed(nonceKey: string, answer: Answer): void {
    const sequence = this.sequences.get(nonceKey);
    if (!sequence) return;
    this.endCount(sequence);
    const queue = this.waiting.get(sequence) ?? [];
    this.waiting.delete(sequence);
    for (const request of queue) this.end(request, { kind: 'uncounted', answer });
    this.settleDown(sequence);
  }

  private endCount(sequence: NonceSequence): void {
    if (!sequence.isCounting) return;
    sequence.isCounting = false;
    sequence.countAtMs = this.nowMs + WATCH_MS;
    this.counts--;
  }

  private serveWaiting(sequence: NonceSequence): void {
    const queue = this.waiting.get(sequence) ?? [];
    this.waiting.delete(sequence);
    for (const request of queue) this.serve(request);
  }

  /** What stands below the mined count has come to its end. */
  private resolve(sequence: NonceSequence, latest: number): void {
    for (const slot of [...sequence.slots.values()]) {
      if (slot.nonce >= latest) continue;
      for (const held of [...slot.held]) {
        if (held.isSending) continue;
        if (held.requests.length === 0) this.drop(held, true);
        else this.find(held);
      }
      if (slot.held.length === 0 && slot.signing === 0) sequence.slots.delete(slot.nonce);
    }
  }

  /** What the node lacks although it had time to take it in. */
  private resend(sequence: NonceSequence, floor: number, graceMs: number): void {
    const lost: Held[] = [];
    for (const { nonce, held: all } of sequence.slots.values()) {
      const held = all.at(-1);
      if (nonce < floor || !held || held.isSending || held.requests.length > 0) continue;
      if (this.nowMs - held.sentMs >= graceMs && this.nowMs >= dueMs(held)) lost.push(held);
    }
    lost.sort((a, b) => a.send.nonce - b.send.nonce);
    for (const held of lost.slice(0, RESENDS_MAX)) {
      held.resends++;
      this.send(held);
    }
  }

  private fill(sequence: NonceSequence): void {
    if (!this.settings.fillsGaps || this.nowMs - sequence.holeSinceMs < FILL_AFTER_MS) return;
    sequence.holeSinceMs = Number.POSITIVE_INFINITY;
    const request: Request = {
      ...{
        id: -++this.fills,
        sequence,
        kind: 'fill',
        wanted: undefined,
        nonce: undefined,
        tries: 0,
      },
    };
    this.requests.set(request.id, request);
    this.begin(request, sequence.take(), true);
  }

  // --- time -------------------------------------------------------------------------------------------------------

  private restored(sends: Extract<NonceInput<Answer>, { kind: 'restored' }>['sends']): void {
    for (const { send, isAccepted } of sends) {
      const sequence = this.sequenceOf(send.nonceKey, true)!;
      const slot: Slot = sequence.slots.get(send.nonce) ?? {
        nonce: send.nonce,
        held: [],
        signing: 0,
      };
      sequence.slots.set(send.nonce, slot);
      slot.held.push({ ...newHeld(send), isAccepted, isUnclear: true, sends: 1 });
      this.activate(sequence);
      sequence.countAtMs = this.nowMs;
    }
  }

  private tick(): void {
    for (const held of [...this.again]) {
      if (held.againMs > this.nowMs || held.isSending) continue;
      this.send(held);
    }
    for (const sequence of this.active) {
      if (this.counts >= COUNTS_MAX) return;
      if (sequence.countAtMs > this.nowMs || sequence.isCounting) continue;
      // Behind the others from now on.
      this.active.delete(sequence);
      this.active.add(sequence);
      this.count(sequence, true);
      if (sequence.countAtMs <= this.nowMs) sequence.countAtMs = this.nowMs + WATCH_MS;
    }
  }

  // --- sequences ------------------------------------------------------------------------------------------------------

  private sequenceOf(nonceKey: string, isForced = false): NonceSequence | undefined {
    const known = this.sequences.get(nonceKey);
    if (known) return known;
    if (this.sequences.size >= SEQUENCES_MAX && !isForced && !this.evict()) return undefined;
    const sequence = new NonceSequence(nonceKey);
    this.sequences.set(nonceKey, sequence);
    return sequence;
  }

  /** The oldest account at rest. */
  private evict(): boolean {
    for (const [nonceKey, sequence] of this.sequences) {
      if (this.active.has(sequence) || this.waiting.has(sequence) || sequence.isCounting) continue;
      this.sequences.delete(nonceKey);
      return true;
    }
    return false;
  }

  private activate(sequence: NonceSequence): void {
    if (this.active.has(sequence)) return;
    this.active.add(sequence);
    sequence.countAtMs = this.nowMs + WATCH_MS;
  }

  private settleDown(sequence: NonceSequence): void {
    if (sequence.isIdle) this.active.delete(sequence);
  }

  private emit(effect: NonceEffect<Answer>): void {
    this.out.push(effect);
  }
}

function newHeld(send: SignedSend, requests: number[] = []): Held {
  return {
    ...{ send, requests, sends: 0, isSending: false, isAccepted: false, isUnclear: false },
    ...{ sentMs: Number.NEGATIVE_INFINITY, againMs: Number.POSITIVE_INFINITY, resends: 0 },
  };
}

/** When an accepted one that the node has lost goes out again. */
function dueMs(held: Held): number {
  return Number.isFinite(held.againMs)
    ? held.againMs
    : held.sentMs + Math.min(AGAIN_MS_MAX, GRACE_MS * 2 ** Math.min(held.resends, 5));
}
