/**
 * Drives the nonce manager: signs, journals, sends, requests counts, and reports each transaction's
 * outcome to its caller.
 */
import { QuorateError, unreachable } from '../../../core/base/errors.ts';
import type { Clock, Log, Metrics, Timer, Timers } from '../../../core/base/ports.ts';
import type { Held, SignedSend } from '../../../core/signing/nonce-held.ts';
import type { NonceManager } from '../../../core/signing/nonce-manager.ts';
import type * as nonces from '../../../core/signing/nonce-messages.ts';
import type { Outcome } from '../../../core/signing/nonce-messages.ts';
import { countCall, isPublicNonce } from './nonce-keys.ts';
import type { HeaderList, Journal, NodeAnswer, Upstream, UpstreamAnswer } from './ports.ts';
import type { SignedCall } from './transaction-signer.ts';
import { countIn, judgeAnswer } from './upstream-answers.ts';

type NonceInput = nonces.NonceInput<NodeAnswer>;
type NonceEffect = nonces.NonceEffect<NodeAnswer>;
export type Settled = nonces.Settled<NodeAnswer>;

const TICK_MS = 25;
const NO_HEADERS: HeaderList = [];

/** A transaction that needs a nonce. */
export interface SendJob {
  readonly nonceKey: string;
  readonly nonce: number | undefined;
  /** Signs with this nonce; an error ends the job. */
  readonly sign: (nonce: number) => SignedCall | Promise<SignedCall>;
  /** The client's request: its id as JSON text; headers and path are used for the first sending. */
  readonly id: string;
  readonly headers: HeaderList;
  readonly path: string;
}

export interface SenderParts {
  readonly manager: NonceManager<NodeAnswer>;
  readonly upstream: Upstream;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  readonly metrics: Metrics | undefined;
  /** Signs an empty transfer to the account itself; undefined: the account's key is not here. */
  readonly signFill: (
    nonceKey: string,
    nonce: number,
  ) => SignedCall | Promise<SignedCall> | undefined;
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
  /** Effects that wait: a step never runs inside another. */
  private readonly queue: NonceEffect[] = [];
  private isDraining = false;

  constructor(parts: SenderParts) {
    this.parts = parts;
  }

  /** Requests that wait for an answer. */
  get underWay(): number {
    return this.waiting.size;
  }

  /** Resolves with the transaction's outcome; rejects with the error of `sign`. */
  submit(job: SendJob): Promise<Settled> {
    return this.ask(job, (id) => ({
      kind: 'wanted',
      id,
      nonceKey: job.nonceKey,
      nonce: job.nonce,
    }));
  }

  /** The account's next nonce, without reserving it. */
  next(nonceKey: string): Promise<Settled> {
    return this.ask(undefined, (id) => ({ kind: 'asked', id, nonceKey }));
  }

  /** After a start: adds the pending transactions of an earlier process. */
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

  /** Schedules a tick while something is pending. */
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
    switch (effect.kind) {
      case 'sign':
        this.sign(effect);
        break;
      case 'send':
        void this.send(effect.held, effect.isNew);
        break;
      case 'settle':
        this.settle(effect.id, effect.end);
        break;
      case 'accepted':
        this.parts.journal.accepted(effect.send);
        break;
      case 'forget':
        this.parts.journal.forget(effect.send);
        break;
      case 'count':
        void this.count(effect.nonceKey, effect.isFull);
        break;
      case 'find':
        void this.find(effect.held);
        break;
      default:
        unreachable(effect);
    }
  }

  private settle(id: number, end: Settled): void {
    const waiting = this.waiting.get(id);
    this.waiting.delete(id);
    waiting?.resolve(end);
  }

  // --- signing ----------------------------------------------------------------------------------------------------

  private sign({ id, nonceKey, nonce, isFill }: Extract<NonceEffect, { kind: 'sign' }>): void {
    const { job } = this.waiting.get(id) ?? {};
    try {
      const signed = isFill ? this.parts.signFill(nonceKey, nonce) : job!.sign(nonce);
      if (signed === undefined) this.step({ kind: 'abandoned', id });
      else if (signed instanceof Promise)
        signed.then(
          (call) => this.signed(id, nonceKey, nonce, call),
          (error: unknown) => this.unsigned(id, error),
        );
      else this.signed(id, nonceKey, nonce, signed);
    } catch (error) {
      this.unsigned(id, error);
    }
  }

  private signed(id: number, nonceKey: string, nonce: number, call: SignedCall): void {
    this.step({ kind: 'signed', id, send: { nonceKey, nonce, ...call } });
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
      this.answered(held, 'unsent', asError(error), true);
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
        asError(error),
        code === 'SIGNER_UPSTREAM_TIMEOUT',
      );
    }
  }

  private answered(held: Held, outcome: Outcome, answer: NodeAnswer, isFinal: boolean): void {
    this.parts.metrics?.count(`signer_sends_total{outcome="${outcome}"}`);
    this.step({ kind: 'answered', held, outcome, answer, isFinal });
  }

  private async count(nonceKey: string, isFull: boolean): Promise<void> {
    try {
      const isPublic = isPublicNonce(nonceKey);
      const latest = isFull || !isPublic ? await this.countBy(nonceKey, 'latest') : undefined;
      const pending = isPublic ? await this.countBy(nonceKey, 'pending') : undefined;
      this.step({ kind: 'counted', nonceKey, latest, pending });
    } catch (reason) {
      const answer = reason instanceof NoCount ? reason.answer : asError(reason);
      this.step({ kind: 'countFailed', nonceKey, answer });
    }
  }

  /** Throws NoCount. */
  private async countBy(nonceKey: string, tag: 'latest' | 'pending'): Promise<number> {
    const { method, params } = countCall(nonceKey, tag);
    const answer = await this.call(method, params);
    const count = countIn(answer.body);
    if (count === undefined) throw new NoCount(answer);
    return count;
  }

  private async find(held: Held): Promise<void> {
    const { hash, nonceKey } = held.send;
    let isKnown: boolean | undefined;
    let answer: NodeAnswer = NOT_ASKED;
    try {
      if (isPublicNonce(nonceKey)) {
        const found = await this.call('eth_getTransactionByHash', [hash]);
        answer = found;
        const { result } = JSON.parse(found.body) as { result?: unknown };
        if (result !== undefined) isKnown = result !== null;
      }
    } catch (error) {
      answer = asError(error);
    }
    this.step({ kind: 'found', held, isKnown, answer });
  }

  private call(method: string, params: readonly unknown[]): Promise<UpstreamAnswer> {
    const body = JSON.stringify({ jsonrpc: '2.0', method, params, id: 1 });
    return this.parts.upstream.post({ body, path: '/', headers: NO_HEADERS });
  }
}

/** The node's answer contained no count. */
class NoCount extends Error {
  readonly answer: UpstreamAnswer;

  constructor(answer: UpstreamAnswer) {
    super('the answer holds no count');
    this.answer = answer;
  }
}

/** Used when there is no call by which a node could report what a private group has sent. */
const NOT_ASKED = new Error('the node is not asked');

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}

/** Path for sending bytes again, when the client's request is no longer available. */
function pathFor({ psi }: SignedSend): string {
  return psi === undefined ? '/' : `/?PSI=${encodeURIComponent(psi)}`;
}
