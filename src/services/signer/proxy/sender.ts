/** Drives the nonce manager: signs, writes down, sends, counts, and tells each caller how his transaction fared. */
import { QuorateError } from '../../../core/base/errors.ts';
import type { Clock, Log, Metrics, Timer, Timers } from '../../../core/base/ports.ts';
import type { Held, SignedSend } from '../../../core/signing/nonce-lane.ts';
import type { NonceManager } from '../../../core/signing/nonce-manager.ts';
import type { NonceEffect, NonceInput, Settled } from '../../../core/signing/nonce-messages.ts';
import { countIn, judgeAnswer, type Outcome } from '../../../core/signing/upstream-answers.ts';
import { countCall, isPublicLane } from './lanes.ts';
import type { HeaderList, Journal, Upstream, UpstreamAnswer } from './ports.ts';

const TICK_MS = 25;
const NO_HEADERS: HeaderList = [];

/** How signed bytes travel. */
export interface SignedCall {
  readonly hash: string;
  readonly method: string;
  /** JSON text. */
  readonly params: string;
  readonly psi?: string | undefined;
}

/** A transaction that wants a nonce. */
export interface SendJob {
  readonly lane: string;
  readonly nonce: number | undefined;
  /** What it throws ends the job. */
  readonly sign: (nonce: number) => SignedCall | Promise<SignedCall>;
  /** Of the client's request: its id as JSON text, its headers and path go with the first journey. */
  readonly id: string;
  readonly headers: HeaderList;
  readonly path: string;
}

export interface SenderParts {
  readonly manager: NonceManager;
  readonly upstream: Upstream;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  readonly metrics: Metrics | undefined;
  /** Signs a transfer of nothing to the account itself; undefined: it has no key here. */
  readonly signFill: (lane: string, nonce: number) => SignedCall | Promise<SignedCall> | undefined;
}

interface Waiting {
  readonly job: SendJob | undefined;
  readonly resolve: (end: Settled) => void;
  readonly reject: (error: unknown) => void;
}

export class Sender {
  private readonly parts: SenderParts;
  private readonly waiting = new Map<number, Waiting>();
  private lastId = 0;
  private timer: Timer | undefined;
  private isClosed = false;
  /** Effects of effects join the queue: a step never runs inside another. */
  private readonly queue: NonceEffect[] = [];
  private isDraining = false;

  constructor(parts: SenderParts) {
    this.parts = parts;
  }

  /** Requests that wait for an answer. */
  get underWay(): number {
    return this.waiting.size;
  }

  /** Resolves with how it ended; rejects with what signing threw. */
  submit(job: SendJob): Promise<Settled> {
    return this.ask(job, (id) => ({ kind: 'wanted', id, lane: job.lane, nonce: job.nonce }));
  }

  /** The account's next nonce, which stays free. */
  next(lane: string): Promise<Settled> {
    return this.ask(undefined, (id) => ({ kind: 'asked', id, lane }));
  }

  /** After a start: what an earlier process left without an end. */
  restore(sends: readonly { readonly send: SignedSend; readonly isAccepted: boolean }[]): void {
    this.step({ kind: 'restored', sends });
  }

  close(): void {
    this.isClosed = true;
    this.timer?.cancel();
  }

  private ask(job: SendJob | undefined, input: (id: number) => NonceInput): Promise<Settled> {
    const id = ++this.lastId;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { job, resolve, reject });
      this.step(input(id));
    });
  }

  /** Only while something is under way. */
  private beat(): void {
    if (this.timer || !this.parts.manager.isBusy) return;
    this.timer = this.parts.timers.set(TICK_MS, () => {
      this.timer = undefined;
      this.step({ kind: 'tick' });
    });
  }

  private step(input: NonceInput): void {
    if (this.isClosed) return;
    const { manager, clock } = this.parts;
    for (const effect of manager.step(input, clock.nowMs())) this.queue.push(effect);
    if (this.isDraining) return;
    this.isDraining = true;
    for (let effect = this.queue.shift(); effect; effect = this.queue.shift())
      this.carryOut(effect);
    this.isDraining = false;
    this.beat();
  }

  private carryOut(effect: NonceEffect): void {
    if (effect.kind === 'sign') this.sign(effect);
    else if (effect.kind === 'send') void this.send(effect.held, effect.isNew);
    else if (effect.kind === 'settle') this.settle(effect.id, effect.end);
    else if (effect.kind === 'accepted') this.parts.journal.accepted(effect.send);
    else if (effect.kind === 'count') void this.count(effect.lane, effect.isFull);
    else if (effect.kind === 'find') void this.find(effect.held);
    else this.parts.journal.forget(effect.send);
  }

  private settle(id: number, end: Settled): void {
    const waiting = this.waiting.get(id);
    this.waiting.delete(id);
    waiting?.resolve(end);
  }

  // --- signing ----------------------------------------------------------------------------------------------------

  private sign({ id, lane, nonce, isFill }: Extract<NonceEffect, { kind: 'sign' }>): void {
    const { job } = this.waiting.get(id) ?? {};
    try {
      const signed = isFill ? this.parts.signFill(lane, nonce) : job!.sign(nonce);
      if (signed === undefined) this.step({ kind: 'abandoned', id });
      else if (signed instanceof Promise)
        signed.then(
          (call) => this.signed(id, lane, nonce, call),
          (error: unknown) => this.unsigned(id, error),
        );
      else this.signed(id, lane, nonce, signed);
    } catch (error) {
      this.unsigned(id, error);
    }
  }

  private signed(id: number, lane: string, nonce: number, call: SignedCall): void {
    this.step({ kind: 'signed', id, send: { lane, nonce, ...call } });
  }

  private unsigned(id: number, error: unknown): void {
    const waiting = this.waiting.get(id);
    this.waiting.delete(id);
    this.step({ kind: 'abandoned', id });
    waiting?.reject(error);
  }

  // --- the node ---------------------------------------------------------------------------------------------------

  private async send(held: Held, isNew: boolean): Promise<void> {
    const { send } = held;
    const job = held.requests.length > 0 ? this.waiting.get(held.requests[0]!)?.job : undefined;
    try {
      if (isNew) await this.parts.journal.add(send);
    } catch (error) {
      this.parts.log('error', 'The transaction journal cannot be written', {
        err: (error as Error).message,
      });
      this.answered(held, 'unsent', error, true);
      return;
    }
    const body = `{"jsonrpc":"2.0","method":"${send.method}","params":${send.params},"id":${job?.id ?? 1}}`;
    const { path = pathFor(send), headers = NO_HEADERS } = job ?? {};
    try {
      const answer = await this.parts.upstream.post({ body, path, headers });
      this.answered(held, judgeAnswer(answer.status, answer.body).outcome, answer, false);
    } catch (error) {
      const code = error instanceof QuorateError ? error.code : '';
      const isUnsent = code === 'SIGNER_UPSTREAM_UNREACHABLE' || code === 'SIGNER_UPSTREAM_TLS';
      this.answered(
        held,
        isUnsent ? 'unsent' : 'unclear',
        error,
        code === 'SIGNER_UPSTREAM_TIMEOUT',
      );
    }
  }

  private answered(held: Held, outcome: Outcome, answer: unknown, isFinal: boolean): void {
    this.parts.metrics?.count(`signer_sends_${outcome}`);
    this.step({ kind: 'answered', held, outcome, answer, isFinal });
  }

  private async count(lane: string, isFull: boolean): Promise<void> {
    try {
      const isPublic = isPublicLane(lane);
      const latest = isFull || !isPublic ? await this.countBy(lane, 'latest') : undefined;
      const pending = isPublic ? await this.countBy(lane, 'pending') : undefined;
      this.step({ kind: 'counted', lane, latest, pending });
    } catch (answer) {
      this.step({ kind: 'countFailed', lane, answer });
    }
  }

  /** Throws the node's answer where it is no count. */
  private async countBy(lane: string, tag: 'latest' | 'pending'): Promise<number> {
    const { method, params } = countCall(lane, tag);
    const answer = await this.call(method, params);
    const count = countIn(answer.body);
    if (count === undefined) throw answer;
    return count;
  }

  private async find(held: Held): Promise<void> {
    const { hash, lane } = held.send;
    let isKnown: boolean | undefined;
    let answer: unknown;
    try {
      if (isPublicLane(lane)) {
        const found = await this.call('eth_getTransactionByHash', [hash]);
        answer = found;
        const { result } = JSON.parse(found.body) as { result?: unknown };
        if (result !== undefined) isKnown = result !== null;
      }
    } catch (error) {
      answer = error;
    }
    this.step({ kind: 'found', held, isKnown, answer });
  }

  private call(method: string, params: readonly unknown[]): Promise<UpstreamAnswer> {
    const body = JSON.stringify({ jsonrpc: '2.0', method, params, id: 1 });
    return this.parts.upstream.post({ body, path: '/', headers: NO_HEADERS });
  }
}

/** Of bytes that go out again: no client's request is at hand any more. */
function pathFor({ psi }: SignedSend): string {
  return psi === undefined ? '/' : `/?PSI=${encodeURIComponent(psi)}`;
}
