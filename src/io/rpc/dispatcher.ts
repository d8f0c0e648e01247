/**
 * From envelope to handler and back. All transports share one table; each transport enables its own
 * namespaces.
 */
import type { Log, Watch } from '../../core/base/ports.ts';
import { checkAccess, stateOf } from './access.ts';
import {
  BATCH_LIMITS,
  type BatchLimits,
  batchTooLarge,
  joined,
  NO_ROOM,
  type Refusal,
  type Reply,
  refused,
  tooLong,
} from './batch.ts';
import { type CallAudit, onRecord } from './call-audit.ts';
import type { TraceCalls } from './call-trace.ts';
import type { Caller } from './caller.ts';
import {
  type Call,
  EMPTY_BATCH,
  type Entry,
  invalidRequest,
  notification,
  PARSE_ERROR,
  parseEnvelope,
  resultReply,
  TOO_INTRICATE,
} from './envelope.ts';
import { failureReply, notFound } from './failure.ts';
import { FirstTries } from './first-try.ts';
import { type Method, type Param, RPC, RpcError, type Subscription } from './method.ts';
import { parseParams, positional } from './params.ts';
import { type Readers, ReadReply } from './readers.ts';

export type { Reply } from './batch.ts';
export type { Caller } from './caller.ts';
export type { Readers } from './readers.ts';

/** A connection that can carry notifications. */
export interface Channel {
  readonly subscriptions: Map<string, () => void>;
  send(text: Reply): void;
}

/** Counts the answers of a batch until all are ready; false: there is no space for another one. */
export interface ReplyRoom {
  take(bytes: number): boolean;
}

export interface Table<Context> {
  readonly methods: readonly Method<Context>[];
  readonly subscriptions: readonly Subscription<Context>[];
}

/** `id`: the request's, as JSON text; undefined for a notification. */
export type ContextOf<Context> = (caller: Caller, id: string | undefined) => Context;

type CallMeter = (method: string, isSuccess: boolean, durationMs: number) => void;

export const SUBSCRIPTIONS_PER_CHANNEL_MAX = 1_000;
/** The limit for all connections together. */
const SUBSCRIPTIONS_MAX = 20_000;
/**
 * Answers up to this size are sent even if there is no space for more: a transaction that was sent
 * must not be reported as refused.
 */
const SHORT_CHARACTERS_MAX = 4 * 1024;
/** How long a batch may run before it yields to other requests. */
const BATCH_TURN_MS = 5;
/** A longer request waits for a turn of its own. */
const LARGE_CHARACTERS = 256 * 1024;
/** A longer request goes to a reader without an attempt here. */
const TRIED_CHARACTERS_MAX = 8 * 1024;
/** Calls of one batch that begin together: this many signatures take about 5 ms. */
const OVERLAPPING_CALLS_MAX = 64;

export class Dispatcher<Context> {
  private readonly byName = new Map<string, Method<Context>>();
  private readonly subscriptions: readonly Subscription<Context>[];
  private readonly contextOf: ContextOf<Context>;
  private readonly isEnabled: (caller: Caller, namespace: string) => boolean;
  private readonly whereServed: (namespace: string) => string | undefined;
  private readonly newId: () => string;
  private readonly log: Log;
  private readonly isMultitenant: boolean;
  private readonly nowMs: () => number;
  private readonly onCall: CallMeter | undefined;
  private readonly readers: Readers | undefined;
  private readonly watch: Watch | undefined;
  private readonly limits: BatchLimits;
  private readonly audit: CallAudit | undefined;
  private readonly traces: TraceCalls | undefined;
  private readonly tries = new FirstTries();
  private turns: Promise<void> = Promise.resolve();
  private openSubscriptions = 0;

  constructor(
    table: Table<Context>,
    options: {
      contextOf: ContextOf<Context>;
      isEnabled: (caller: Caller, namespace: string) => boolean;
      /** Where a method that is not enabled is served; undefined: this is not told. */
      whereServed?: ((namespace: string) => string | undefined) | undefined;
      /** Returns a new subscription id: `0x` and hex digits. */
      newId: () => string;
      log: Log;
      /** Whether tokens decide which private states a caller may use. */
      isMultitenant: boolean;
      /** Returns Unix time, with which the expiry of tokens is checked. */
      nowMs: () => number;
      /** Called for each call of a method that exists. */
      onCall?: CallMeter | undefined;
      /** Records the current work of this thread. */
      watch?: Watch | undefined;
      /** undefined: everything is answered on this thread. */
      readers?: Readers | undefined;
      /** undefined: no calls are recorded. */
      audit?: CallAudit | undefined;
      /** undefined: no calls are traced. */
      traces?: TraceCalls | undefined;
      /** Default: BATCH_LIMITS. */
      limits?: BatchLimits | undefined;
    },
  ) {
    for (const row of table.methods) for (const name of row.names) this.byName.set(name, row);
    this.subscriptions = table.subscriptions;
    this.contextOf = options.contextOf;
    this.isEnabled = options.isEnabled;
    this.whereServed = options.whereServed ?? (() => undefined);
    this.newId = options.newId;
    this.log = options.log;
    this.isMultitenant = options.isMultitenant;
    this.nowMs = options.nowMs;
    this.onCall = options.onCall;
    this.readers = options.readers;
    this.watch = options.watch;
    this.limits = options.limits ?? BATCH_LIMITS;
    this.audit = options.audit;
    this.traces = options.traces;
  }

  /** The reply's text; '' when there is no reply. */
  async handle(text: string, caller: Caller, channel?: Channel): Promise<string> {
    const reply = await this.reply(text, caller, channel);
    return typeof reply === 'string' ? reply : Buffer.from(reply).toString();
  }

  /** As `handle`. Calls in progress are abandoned with `signal`. */
  async reply(
    text: string,
    caller: Caller,
    channel?: Channel,
    signal?: AbortSignal,
    room: ReplyRoom = ENDLESS,
  ): Promise<Reply> {
    if (text.length > LARGE_CHARACTERS) await this.ownTurn();
    const envelope = this.noted('parse', () => parseEnvelope(text));
    const asker = { caller, channel, signal, room };
    switch (envelope.kind) {
      case 'empty':
        return '';
      case 'unparsable':
        return PARSE_ERROR;
      case 'emptyBatch':
        return EMPTY_BATCH;
      case 'tooIntricate':
        return TOO_INTRICATE;
      case 'single':
        return (await this.answer(envelope.entry, asker)) ?? '';
      case 'batch': {
        const { batchCallsMax } = this.limits;
        if (envelope.entries.length > batchCallsMax) return batchTooLarge(batchCallsMax);
        const answers = await this.answerAll(envelope.entries, asker);
        const replies = answers.filter((reply) => reply !== undefined);
        return replies.length === 0 ? '' : joined(replies);
      }
    }
  }

  /**
   * Answers calls in order, one after another; calls that may overlap wait together, so that a
   * batch of transactions shares its syncs.
   */
  private async answerAll(
    entries: readonly Entry[],
    asker: Asker,
  ): Promise<readonly (Reply | undefined)[]> {
    const { batchReplyCharactersMax } = this.limits;
    const answers: (Reply | undefined)[] = [];
    let length = 0;
    let refuse: Refusal | undefined;
    let turnMs = performance.now();
    for (let at = 0; at < entries.length; ) {
      if (length > batchReplyCharactersMax) refuse = tooLong(batchReplyCharactersMax);
      if (refuse) {
        answers.push(refused(entries[at++]!, refuse));
        continue;
      }
      const first = at;
      const together = [this.answer(entries[at++]!, asker)];
      const end = Math.min(entries.length, at - 1 + OVERLAPPING_CALLS_MAX);
      while (at < end && this.mayOverlap(entries[at - 1]!) && this.mayOverlap(entries[at]!))
        together.push(this.answer(entries[at++]!, asker));
      for (const [which, answer] of (await Promise.all(together)).entries()) {
        if (answer === undefined || asker.signal?.aborted) continue;
        length += answer.length;
        const isHeld = asker.room.take(answer.length);
        if (!isHeld) refuse = NO_ROOM;
        const isKept = isHeld || answer.length <= SHORT_CHARACTERS_MAX;
        answers.push(isKept ? answer : refused(entries[first + which]!, NO_ROOM));
      }
      if (performance.now() - turnMs < BATCH_TURN_MS) continue;
      await new Promise((resolve) => setImmediate(resolve));
      turnMs = performance.now();
    }
    return answers;
  }

  private mayOverlap(entry: Entry): boolean {
    return entry.kind === 'call' && this.byName.get(entry.method)?.isOverlapping === true;
  }

  private async answer(entry: Entry, asker: Asker): Promise<Reply | undefined> {
    if (entry.kind === 'response') return undefined;
    if (entry.kind === 'invalid') return invalidRequest(entry.id);
    const id = entry.id;
    const begunMs = this.onCall && performance.now();
    const row = this.traces && this.byName.get(entry.method);
    const trace = row && this.traces?.(entry.method, row.access, asker.caller);
    try {
      const work = () => this.recorded(entry, asker);
      const result = await (trace ? trace.run(work) : work());
      const isRead = result instanceof ReadReply;
      this.meter(entry.method, !isRead || !result.isError, begunMs);
      trace?.end(!isRead || !result.isError);
      if (id === undefined) return undefined;
      return isRead ? result.reply : resultReply(id, result);
    } catch (error) {
      this.meter(entry.method, false, begunMs);
      trace?.end(false);
      return id === undefined ? undefined : failureReply(id, entry.method, error, this.log);
    }
  }

  /**
   * Calls of recorded methods wait for their record, both before they run and before they are
   * answered.
   */
  private recorded(entry: Call, asker: Asker) {
    const { method } = entry;
    const { audit } = this;
    const isKnown = this.byName.has(method);
    const admit = () => this.admit(entry, asker.caller);
    const run = (caller: Caller) =>
      this.noted(isKnown ? method : 'unknown method', () => this.run(entry, caller, asker));
    if (!audit || !isKnown || !audit.covers(method)) return run(admit());
    return onRecord(audit, { method, caller: asker.caller, admit, run });
  }

  /** Requests that take milliseconds to parse each get a turn of the event loop. */
  private ownTurn(): Promise<void> {
    const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
    this.turns = this.turns.then(turn);
    return this.turns;
  }

  private noted<T>(what: string, work: () => T): T {
    return this.watch ? this.watch.during(`rpc ${what}`, work) : work();
  }

  /** Names of methods that do not exist are not counted. */
  private meter(method: string, isSuccess: boolean, begunMs: number | undefined): void {
    if (begunMs === undefined || !this.byName.has(method)) return;
    this.onCall?.(method, isSuccess, performance.now() - begunMs);
  }

  /** Checks every call of a batch or connection again, because tokens expire. */
  private admit(call: Call, caller: Caller): Caller {
    const { access } = caller;
    if (access.kind === 'open') return caller;
    checkAccess(access, call.method, this.nowMs());
    return { ...caller, psi: stateOf(access, caller.psi, this.isMultitenant) };
  }

  private run(call: Call, caller: Caller, { channel, signal }: Asker) {
    const split = call.method.search(/[_.]/);
    const namespace = call.method.slice(0, Math.max(split, 0));
    const action = call.method.slice(split + 1);
    if (split > 0 && action === 'subscribe')
      return this.subscribe(namespace, call, caller, channel);
    if (split > 0 && action === 'unsubscribe') return unsubscribe(call, channel);
    const row = this.byName.get(call.method);
    if (!row) throw notFound(call.method);
    if (!this.isEnabled(caller, namespace))
      throw notFound(call.method, this.whereServed(namespace));
    const { readers } = this;
    if (!readers || !row.isHeavy || call.id === undefined) return this.runHere(row, call, caller);
    const { id } = call;
    const read = async () => {
      const { reply, isError } = await readers.answer({ ...call, id }, caller, signal);
      return new ReadReply(reply, isError);
    };
    if (row.isHeavy === true && !this.mayTry(row, call)) return read();
    const args = parseParams(row.params, call.params);
    const context = this.contextOf(caller, id);
    if (row.isHeavy !== true)
      return row.isHeavy(context, args) ? read() : row.call(context, call.method, args);
    const answer = this.tries.run((shouldStop) => row.tryShortly!(context, args, shouldStop));
    return answer === undefined ? read() : answer;
  }

  /** Long parameters are not tried, because they also take long to parse. */
  private mayTry({ tryShortly }: Method<Context>, { length }: Call): boolean {
    return tryShortly !== undefined && length <= TRIED_CHARACTERS_MAX;
  }

  /** A read without an id has neither effect nor answer, so it is not run. */
  private runHere(row: Method<Context>, call: Call, caller: Caller) {
    if (this.readers && row.isHeavy && call.id === undefined) return null;
    const args = parseParams(row.params, call.params);
    return row.call(this.contextOf(caller, call.id), call.method, args);
  }

  private subscribe(namespace: string, call: Call, caller: Caller, channel?: Channel): string {
    if (!channel) throw new RpcError(RPC.server, 'notifications not supported');
    const params = positional(call.params);
    const kind = params[0];
    if (typeof kind !== 'string') {
      throw new RpcError(RPC.invalidParams, 'expected subscription name as first argument');
    }
    const row = this.subscriptions.find((s) => s.kind === kind && s.namespaces.includes(namespace));
    if (!row || !this.isEnabled(caller, namespace)) {
      throw new RpcError(RPC.methodNotFound, `no "${kind}" subscription in ${namespace} namespace`);
    }
    if (channel.subscriptions.size >= SUBSCRIPTIONS_PER_CHANNEL_MAX) {
      throw new RpcError(
        RPC.server,
        `too many subscriptions: at most ${SUBSCRIPTIONS_PER_CHANNEL_MAX} a connection`,
      );
    }
    if (this.openSubscriptions >= SUBSCRIPTIONS_MAX)
      throw new RpcError(RPC.server, `too many subscriptions: at most ${SUBSCRIPTIONS_MAX} in all`);
    const args = parseParams([KIND, ...row.params], params).slice(1);
    const id = this.newId();
    const end = row.open(this.contextOf(caller, call.id), args, (result) => {
      if (!this.isOver(caller)) channel.send(notification(namespace, id, result));
      else if (channel.subscriptions.delete(id)) close();
    });
    this.openSubscriptions++;
    const close = () => {
      this.openSubscriptions--;
      end();
    };
    channel.subscriptions.set(id, close);
    return id;
  }

  private isOver({ access }: Caller): boolean {
    return access.kind === 'token' && access.token.isExpired(this.nowMs());
  }
}

/** The caller, with the channel and signal of the connection. */
interface Asker {
  readonly caller: Caller;
  readonly channel: Channel | undefined;
  readonly signal: AbortSignal | undefined;
  readonly room: ReplyRoom;
}

const ENDLESS: ReplyRoom = { take: () => true };

const KIND: Param<unknown> = {
  name: 'kind',
  schema: { type: 'string' },
  isOptional: false,
  parse: (v) => v,
};

function unsubscribe(call: Call, channel?: Channel): boolean {
  const id = positional(call.params)[0];
  const close = typeof id === 'string' ? channel?.subscriptions.get(id) : undefined;
  if (!close) throw new RpcError(RPC.server, 'subscription not found');
  channel?.subscriptions.delete(id as string);
  close();
  return true;
}
