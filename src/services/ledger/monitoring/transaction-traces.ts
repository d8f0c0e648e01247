/**
 * Spans of transactions. A gossiped transaction carries no trace, so that each node derives the id
 * of its trace from its hash: the spans of all nodes form one trace, to which the request that sent
 * it is linked. They say what every node of the chain may know: for private transactions the same
 * at parties as at strangers.
 */
import { type Hash32, keyOf } from '../../../core/base/bytes.ts';
import { bareHex, toHex } from '../../../core/base/hex.ts';
import type { Block } from '../../../core/chain/block.ts';
import type { Transaction } from '../../../core/chain/transaction.ts';
import {
  currentTrace,
  type OpenSpan,
  type SpanSettings,
  type TraceContext,
  type Tracer,
} from '../../../io/telemetry/trace-context.ts';
import type { StepObserver } from '../node/chain/step-observer.ts';
import type { LedgerNode } from '../node/compose.ts';

/** Bounds of what waits: docs/limits.md. */
export interface TraceBounds {
  /** Transactions in the pool, and in blocks that the private state has not reached. */
  readonly transactionsMax: number;
  /** Executed blocks that are not decided. */
  readonly blocksMax: number;
  /** Transactions of one block that get spans. */
  readonly ofBlockMax: number;
}

const TRACE_BOUNDS: TraceBounds = {
  transactionsMax: 10_000,
  blocksMax: 64,
  ofBlockMax: 200,
};

/** Spans of a transaction that is left out. */
const SPANS_OF_TRANSACTION = 4;
const TRACE_ID_DIGITS = 32;
const SPAN_ID_DIGITS = 16;

interface Admitted {
  readonly atMs: number;
  readonly isLocal: boolean;
  /** Open until the transaction is durable; undefined: no traced request has sent it. */
  readonly admission: OpenSpan | undefined;
  readonly request: TraceContext | undefined;
}

interface Times {
  readonly beganMs: number;
  readonly endedMs: number;
}

interface Late {
  readonly number: number;
  readonly decidedMs: number;
  /** End the spans of its private transactions. */
  readonly ends: ((atMs: number) => void)[];
}

/** The first 32 digits of the hash are the trace, the next 16 its first span. */
export function traceOfTransaction(hash: Hash32): Pick<TraceContext, 'traceId' | 'spanId'> {
  const digits = bareHex(hash);
  return {
    traceId: digits.slice(0, TRACE_ID_DIGITS),
    spanId: digits.slice(TRACE_ID_DIGITS, TRACE_ID_DIGITS + SPAN_ID_DIGITS),
  };
}

export class TransactionTraces implements StepObserver {
  private readonly tracer: Tracer & { drop(spans: number): void };
  private readonly bounds: TraceBounds;
  /** By keyOf(hash), oldest first. */
  private readonly admissions = new Map<string, Admitted>();
  private readonly executions = new Map<string, Times>();
  private readonly late: Late[] = [];
  private lateCount = 0;

  constructor(tracer: Tracer & { drop(spans: number): void }, bounds: TraceBounds = TRACE_BOUNDS) {
    this.tracer = tracer;
    this.bounds = bounds;
  }

  /** Call it before the node's parts start. */
  follow({ events, follower }: Pick<LedgerNode, 'events' | 'follower'>): void {
    events.on('submitted', ({ hash }) => this.admissions.get(keyOf(hash))?.admission?.end());
    events.on('committed', ({ block }) => this.decided(block, follower !== undefined));
    if (follower) events.on('privateDone', () => this.reached(follower.cursor()));
  }

  admitted(transaction: Transaction, isLocal: boolean): void {
    const { tracer } = this;
    const asked = isLocal ? currentTrace() : undefined;
    const request = asked?.isSampled ? asked : undefined;
    const own = this.contextOf(transaction);
    const admission =
      request &&
      tracer.start('pool admission', {
        parent: request,
        attributes: { 'quorate.transaction.hash': toHex(transaction.hash) },
        links: own.isSampled ? [own] : [],
      });
    const entry = { atMs: tracer.nowMs(), isLocal, admission, request };
    keep(this.admissions, keyOf(transaction.hash), entry, this.bounds.transactionsMax);
  }

  executing(): (hash: Hash32) => void {
    const beganMs = this.tracer.nowMs();
    return (hash) => {
      const times = { beganMs, endedMs: this.tracer.nowMs() };
      keep(this.executions, keyOf(hash), times, this.bounds.blocksMax);
    };
  }

  private contextOf({ hash }: Transaction): TraceContext {
    const ids = traceOfTransaction(hash);
    return { ...ids, isSampled: this.tracer.samples(ids.traceId) };
  }

  /** The block is on disk, and its public receipts can be read. */
  private decided({ header, hash, transactions }: Block, hasPrivateState: boolean): void {
    const decidedMs = this.tracer.nowMs();
    const key = keyOf(hash);
    const times = this.executions.get(key) ?? { beganMs: decidedMs, endedMs: decidedMs };
    this.executions.delete(key);
    const late: Late = { number: header.number, decidedMs, ends: [] };
    let count = 0;
    for (const transaction of transactions) {
      const name = keyOf(transaction.hash);
      const admitted = this.admissions.get(name);
      this.admissions.delete(name);
      const context = this.contextOf(transaction);
      if (!context.isSampled) continue;
      if (++count > this.bounds.ofBlockMax) {
        this.tracer.drop(SPANS_OF_TRANSACTION);
        continue;
      }
      const end = this.record(transaction, context, { ...times, decidedMs, admitted, header });
      if (transaction.isPrivate && hasPrivateState) late.ends.push(end);
      else end(decidedMs);
    }
    this.keepLate(late);
  }

  /** Returns a function that ends the trace, at the time when the last receipt can be read. */
  private record(
    transaction: Transaction,
    parent: TraceContext,
    step: Times & {
      readonly decidedMs: number;
      readonly admitted: Admitted | undefined;
      readonly header: { readonly number: number };
    },
  ): (atMs: number) => void {
    const { admitted, beganMs, endedMs, decidedMs } = step;
    const attributes = {
      'quorate.transaction.hash': toHex(transaction.hash),
      'quorate.block.number': step.header.number,
    };
    const span = (name: string, below: TraceContext, fromMs: number, toMs: number) => {
      const made = this.tracer.start(name, { parent: below, startMs: fromMs, attributes });
      made.end({ atMs: Math.max(fromMs, toMs) });
      return made.context;
    };
    if (admitted) span('pool', parent, admitted.atMs, beganMs);
    const block = span('block inclusion', parent, beganMs, decidedMs);
    span('block execution', block, beganMs, endedMs);
    span('public receipt', block, endedMs, decidedMs);
    return (atMs) => {
      if (transaction.isPrivate) span('private receipt', parent, decidedMs, atMs);
      if (!admitted?.isLocal) return;
      const { traceId, spanId } = parent;
      const first: SpanSettings = {
        ids: { traceId, spanId },
        ...{ startMs: admitted.atMs, attributes },
        links: admitted.request ? [admitted.request] : [],
      };
      this.tracer.start('transaction', first).end({ atMs: Math.max(admitted.atMs, atMs) });
    };
  }

  private keepLate(late: Late): void {
    if (late.ends.length === 0) return;
    if (this.lateCount + late.ends.length > this.bounds.transactionsMax) {
      this.tracer.drop(late.ends.length * 2);
      return;
    }
    this.late.push(late);
    this.lateCount += late.ends.length;
  }

  /** All private states have reached this block, at parties and at strangers alike. */
  private reached(number: number): void {
    while (this.late[0] && this.late[0].number <= number) {
      const { ends } = this.late.shift()!;
      this.lateCount -= ends.length;
      const atMs = this.tracer.nowMs();
      for (const end of ends) end(atMs);
    }
  }
}

/** Forgets the oldest entry when there are too many. */
function keep<T>(map: Map<string, T>, key: string, value: T, max: number): void {
  map.set(key, value);
  if (map.size > max) map.delete(map.keys().next().value!);
}
