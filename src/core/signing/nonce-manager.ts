/**
 * Nonces of all accounts that this proxy signs for. A state machine: requests, signatures, the
 * node's answers, counts and ticks go in; what to sign, send, count and report comes out. Clock,
 * node and disk are outside.
 *
 *   wanted -> sign -> send -> accepted -> mined        (forgotten)
 *               |       |-> refused                    (forgotten: the nonce is free again)
 *               |       |-> overtaken -> sign again, at another nonce
 *               |       `-> unclear -> send again, the same bytes, until one of the above
 *               `-> abandoned                          (the nonce is free again)
 *
 * Invariants (docs/internals/nonces.md): one request gets at most one transaction that may be
 * mined; bytes whose outcome is unknown are sent again unchanged; a nonce is reused only after the
 * node has refused the transaction at it. Failures: each signature is in the journal before its
 * `send` effect, and `restored` brings back those without an outcome. So a process killed at any
 * moment may send the same bytes twice, but never reuses their nonce.
 */
import { unreachable } from '../base/errors.ts';
import type { Machine } from '../base/machine.ts';
import { NonceAccounts, WATCH_MS } from './nonce-accounts.ts';
import {
  AGAIN_MS_MAX,
  backOffMs,
  GRACE_MS,
  type Held,
  newHeld,
  type SignedSend,
} from './nonce-held.ts';
import {
  FILL_AFTER_MS,
  HELD_MAX,
  NONCE_TRIES_MAX,
  QUICK_MS,
  QUICK_TRIES,
  RESENDS_MAX,
  REST_MS,
} from './nonce-limits.ts';
import type { NonceEffect, NonceInput, NonceSettings, Settled } from './nonce-messages.ts';
import { NonceRequests, newRequest, type Request } from './nonce-requests.ts';
import type { NonceSequence } from './nonce-sequence.ts';

/**
 * `Answer`: the node's answer in the caller's representation, or why there is none. It is passed on
 * without being read.
 */
export class NonceManager<Answer> implements Machine<NonceInput<Answer>, NonceEffect<Answer>> {
  private readonly settings: NonceSettings;
  private readonly accounts = new NonceAccounts<Request>();
  private readonly requests = new NonceRequests();
  /** Transactions that will be sent again at their time, even if the node has not lost them. */
  private readonly again = new Set<Held>();
  private out: NonceEffect<Answer>[] = [];
  private nowMs = 0;
  private fills = 0;

  constructor(settings: NonceSettings) {
    this.settings = settings;
  }

  /** How many transactions are neither mined nor refused, and how long none was mined. */
  get pending(): Pick<NonceAccounts<unknown>, 'heldCount' | 'stuckMs'> {
    return this.accounts;
  }

  /** Whether anything is pending, so that ticks are needed. */
  get isBusy(): boolean {
    return this.accounts.isBusy || this.again.size > 0;
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
    if (input.kind === 'wanted') this.wanted(input.id, input.nonceKey, input.nonce);
    else if (input.kind === 'asked') this.asked(input.id, input.nonceKey);
    else if (input.kind === 'signed') this.signed(input.id, input.send);
    else if (input.kind === 'abandoned') this.abandoned(input.id);
    else if (input.kind === 'answered') this.answered(input);
    else if (input.kind === 'counted') this.counted(input.nonceKey, input.latest, input.pending);
    else if (input.kind === 'countFailed') this.countFailed(input.nonceKey, input.answer);
    else if (input.kind === 'found') this.found(input.held, input.isKnown, input.answer);
    else if (input.kind === 'restored') this.restored(input.sends);
    else if (input.kind === 'tick') this.tick();
    else unreachable(input);
  }

  // --- requests ---------------------------------------------------------------------------------------------------

  private wanted(id: number, nonceKey: string, nonce: number | undefined): void {
    const sequence = this.accounts.open(nonceKey);
    if (!sequence || this.requests.isFull || sequence.slots.size >= HELD_MAX) {
      this.emit({ kind: 'settle', id, end: { kind: 'full' } });
      return;
    }
    const request = newRequest({ id, sequence, kind: 'send', wanted: nonce });
    this.requests.add(request);
    if (nonce === undefined) this.enqueue(request);
    else this.begin(request, nonce, false);
  }

  private asked(id: number, nonceKey: string): void {
    const sequence = this.accounts.open(nonceKey);
    if (sequence) this.enqueue(newRequest({ id, sequence, kind: 'ask' }));
    else this.emit({ kind: 'settle', id, end: { kind: 'full' } });
  }

  /** Serves the request at once if the account's count is known and recent. */
  private enqueue(request: Request): void {
    const { sequence } = request;
    const isStale = sequence.isIdle && this.nowMs - sequence.countedMs > REST_MS;
    if (this.accounts.isAwaited(sequence)) {
      this.accounts.wait(sequence, request);
    } else if (sequence.isCounted && !isStale) {
      this.serve(request);
    } else {
      this.accounts.wait(sequence, request);
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
    this.accounts.activate(sequence, this.nowMs);
    this.emit({ kind: 'sign', id, nonceKey: sequence.key, nonce, isFill: request.kind === 'fill' });
  }

  private signed(id: number, send: SignedSend): void {
    const request = this.requests.get(id);
    const slot =
      request?.nonce === undefined ? undefined : request.sequence.slots.get(request.nonce);
    if (!request || !slot) return;
    slot.signing--;
    request.nonce = undefined;
    // Signatures are deterministic: the same hash is the same transaction again.
    const same = slot.held.find((each) => each.send.hash === send.hash);
    if (same) {
      if (same.isAccepted) this.end(request, { kind: 'known', hash: send.hash });
      else same.requests.push(id);
      return;
    }
    const held = newHeld(send, [id]);
    request.sequence.hold(slot, held);
    this.send(held);
  }

  private abandoned(id: number): void {
    const request = this.requests.get(id);
    if (!request || request.nonce === undefined) return;
    const slot = request.sequence.slots.get(request.nonce);
    if (slot) slot.signing--;
    request.sequence.release(request.nonce);
    this.requests.remove(request);
    this.accounts.settleDown(request.sequence);
  }

  private end(request: Request, end: Settled<Answer>): void {
    this.requests.remove(request);
    if (request.kind !== 'fill') this.emit({ kind: 'settle', id: request.id, end });
  }

  /** Reports the end to the clients that wait for this transaction. */
  private tell(held: Held, end: Settled<Answer>): void {
    for (const request of this.requests.takeWaiters(held)) this.end(request, end);
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

  /**
   * Either another transaction has the nonce, or these bytes have it and the node does not
   * recognise them.
   */
  private overtaken(held: Held, outcome: 'nonceTooLow' | 'underpriced', answer: Answer): void {
    const { nonceKey, nonce } = held.send;
    const sequence = this.accounts.find(nonceKey)!;
    const isDead = held.sends === 1;
    if (!isDead && (outcome === 'nonceTooLow' || held.isAccepted)) {
      if (held.requests.length > 0) this.find(held);
      else this.backOff(held);
      return;
    }
    const waiters = this.requests.takeWaiters(held);
    const slot = sequence.slots.get(nonce);
    if (slot?.held.length === 1) sequence.occupied(nonce);
    this.drop(held, false);
    for (const request of waiters) {
      const isBound = request.wanted !== undefined || request.kind === 'fill';
      if (isDead && !isBound) this.retry(request);
      else this.end(request, { kind: 'refused', answer });
    }
    this.accounts.settleDown(sequence);
  }

  /** Asks the node whether it knows the transaction. */
  private find(held: Held): void {
    held.isSending = true;
    this.emit({ kind: 'find', held });
  }

  /** Retries with a new nonce: the bytes at the old nonce were sent only once, and refused. */
  private retry(request: Request): void {
    if (++request.tries >= NONCE_TRIES_MAX) {
      this.end(request, { kind: 'exhausted' });
      return;
    }
    this.accounts.wait(request.sequence, request);
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
    this.accounts.settleDown(this.accounts.find(held.send.nonceKey)!);
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
    // A transaction unknown to the node, at a used nonce, can never be mined.
    else if (!held.isAccepted) this.drop(held, false);
    this.accounts.settleDown(this.accounts.find(nonceKey)!);
  }

  /** No client waits for it: it is sent again at growing intervals. */
  private backOff(held: Held): void {
    held.againMs = this.nowMs + backOffMs(held.resends++);
    if (!held.isAccepted) this.again.add(held);
  }

  private drop(held: Held, isMined: boolean): void {
    const { nonceKey, nonce } = held.send;
    const sequence = this.accounts.find(nonceKey);
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
    if (!this.accounts.beginCount(sequence)) return;
    this.emit({ kind: 'count', nonceKey: sequence.key, isFull });
  }

  private counted(nonceKey: string, latest: number | undefined, pending: number | undefined): void {
    const sequence = this.accounts.find(nonceKey);
    if (!sequence) return;
    this.accounts.endCount(sequence, this.nowMs);
    if (latest !== undefined) this.resolve(sequence, latest);
    const floor = pending ?? latest ?? 0;
    sequence.counted(latest, floor, this.nowMs);
    // If the node does not report its pool, accepted transactions get much more time.
    const graceMs = pending === undefined ? AGAIN_MS_MAX : GRACE_MS;
    if (latest !== undefined) this.resend(sequence, Math.max(floor, latest), graceMs);
    this.serveWaiting(sequence);
    this.fill(sequence);
    this.accounts.settleDown(sequence);
  }

  private countFailed(nonceKey: string, answer: Answer): void {
    const sequence = this.accounts.find(nonceKey);
    if (!sequence) return;
    this.accounts.endCount(sequence, this.nowMs);
    for (const request of this.accounts.takeWaiting(sequence))
      this.end(request, { kind: 'uncounted', answer });
    this.accounts.settleDown(sequence);
  }

  private serveWaiting(sequence: NonceSequence): void {
    for (const request of this.accounts.takeWaiting(sequence)) this.serve(request);
  }

  /** Transactions below the mined count have ended. */
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

  /** Transactions that the node lacks although it had time to accept them. */
  private resend(sequence: NonceSequence, floor: number, graceMs: number): void {
    for (const held of sequence.lost(floor, graceMs, this.nowMs).slice(0, RESENDS_MAX)) {
      held.resends++;
      this.send(held);
    }
  }

  private fill(sequence: NonceSequence): void {
    if (!this.settings.fillsGaps || this.nowMs - sequence.holeSinceMs < FILL_AFTER_MS) return;
    sequence.holeSinceMs = Number.POSITIVE_INFINITY;
    const id = -++this.fills;
    const request = newRequest({ id, sequence, kind: 'fill' });
    this.requests.add(request);
    this.begin(request, sequence.take(), true);
  }

  // --- time -------------------------------------------------------------------------------------------------------

  private restored(sends: Extract<NonceInput<Answer>, { kind: 'restored' }>['sends']): void {
    for (const { send, isAccepted } of sends) {
      const sequence = this.accounts.open(send.nonceKey, true)!;
      sequence.restore(send, isAccepted);
      this.accounts.activate(sequence, this.nowMs);
      sequence.countAtMs = this.nowMs;
    }
  }

  private tick(): void {
    for (const held of [...this.again]) {
      if (held.againMs > this.nowMs || held.isSending) continue;
      this.send(held);
    }
    for (const sequence of this.accounts.due(this.nowMs)) {
      this.count(sequence, true);
      if (sequence.countAtMs <= this.nowMs) sequence.countAtMs = this.nowMs + WATCH_MS;
    }
  }

  private emit(effect: NonceEffect<Answer>): void {
    this.out.push(effect);
  }
}
