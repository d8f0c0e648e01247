import { beforeEach, expect, it } from 'vitest';
import type { Block } from '../../../core/chain/block.ts';
import type { Transaction } from '../../../core/chain/transaction.ts';
import {
  type OpenSpan,
  type SpanSettings,
  type TraceContext,
  withTrace,
} from '../../../io/telemetry/trace-context.ts';
import { Events } from '../node/chain/events.ts';
import { TransactionTraces, traceOfTransaction } from './transaction-traces.ts';

const BOUNDS = { transactionsMax: 4, blocksMax: 2, ofBlockMax: 3 };
const REQUEST: TraceContext = { traceId: 'ab'.repeat(16), spanId: 'cd'.repeat(8), isSampled: true };

interface Ended extends SpanSettings {
  readonly name: string;
  readonly endMs: number;
  readonly linked: readonly TraceContext[];
}

let nowMs: number;
let spans: Ended[];
let dropped: number;
let cursor: number;
let isSampled: boolean;
let events: Events;
let traces: TransactionTraces;

beforeEach(() => {
  nowMs = 0;
  spans = [];
  dropped = 0;
  cursor = 0;
  isSampled = true;
  let count = 0;
  events = new Events();
  traces = new TransactionTraces(
    {
      nowMs: () => nowMs,
      samples: () => isSampled,
      drop: (more) => {
        dropped += more;
      },
      start(name, settings = {}): OpenSpan {
        const spanId = settings.ids?.spanId ?? String(++count).padStart(16, '0');
        const traceId = settings.ids?.traceId ?? settings.parent?.traceId ?? 'new';
        return {
          context: { traceId, spanId, isSampled: true },
          end: ({ atMs = nowMs } = {}) =>
            void spans.push({ name, ...settings, endMs: atMs, linked: settings.links ?? [] }),
        };
      },
    },
    BOUNDS,
  );
  traces.follow({ events, follower: { cursor: () => cursor } as never });
});

function transaction(byte: number, isPrivate = false): Transaction {
  return { hash: new Uint8Array(32).fill(byte), isPrivate } as unknown as Transaction;
}

function block(number: number, transactions: readonly Transaction[]): Block {
  const hash = new Uint8Array(32).fill(100 + number);
  return { hash, header: { number }, transactions } as unknown as Block;
}

function commit(made: Block): void {
  events.emit('committed', { block: made } as never);
}

const namesOf = (traceId?: string) =>
  spans.filter(({ parent }) => !traceId || parent?.traceId === traceId).map(({ name }) => name);

it('derives the trace of a transaction from its hash', () => {
  const hash = Uint8Array.from({ length: 32 }, (_, at) => at);
  const traceId = '000102030405060708090a0b0c0d0e0f';
  expect(traceOfTransaction(hash)).toEqual({ traceId, spanId: '1011121314151617' });
});

it('follows a transaction from a client to its receipt', () => {
  const sent = transaction(7);
  const { traceId, spanId } = traceOfTransaction(sent.hash);
  nowMs = 10;
  withTrace(REQUEST, () => traces.admitted(sent, true));
  nowMs = 12;
  events.emit('submitted', sent);
  nowMs = 20;
  const executed = traces.executing();
  nowMs = 25;
  const made = block(1, [sent]);
  executed(made.hash);
  nowMs = 40;
  commit(made);
  const times = spans.map(({ name, startMs, endMs }) => [name, startMs, endMs]);
  expect(times).toEqual([
    ['pool admission', undefined, 12],
    ['pool', 10, 20],
    ['block inclusion', 20, 40],
    ['block execution', 20, 25],
    ['public receipt', 25, 40],
    ['transaction', 10, 40],
  ]);
  expect(spans[0]).toMatchObject({ parent: REQUEST, linked: [{ traceId, spanId }] });
  expect(spans[5]).toMatchObject({ ids: { traceId, spanId }, linked: [REQUEST] });
  const attributes = {
    'quorate.transaction.hash': `0x${'07'.repeat(32)}`,
    'quorate.block.number': 1,
  };
  for (const span of spans.slice(1)) expect(span.attributes).toEqual(attributes);
});

it('says at another node what that node sees, in the same trace', () => {
  const heard = transaction(7);
  traces.admitted(heard, false);
  commit(block(1, [heard, transaction(8)]));
  const inBlock = ['block inclusion', 'block execution', 'public receipt'];
  expect(namesOf('07'.repeat(16))).toEqual(['pool', ...inBlock]);
  expect(namesOf('08'.repeat(16))).toEqual(inBlock);
  expect(namesOf()).not.toContain('transaction');
});

it('ends a private transaction when the private state has reached its block', () => {
  const hidden = transaction(7, true);
  traces.admitted(hidden, true);
  nowMs = 5;
  commit(block(1, [hidden]));
  events.emit('privateDone', { psi: 'private', number: 0 });
  expect(namesOf()).not.toContain('private receipt');
  nowMs = 9;
  cursor = 1;
  events.emit('privateDone', { psi: 'private', number: 1 });
  expect(spans.slice(-2)).toMatchObject([
    { name: 'private receipt', startMs: 5, endMs: 9 },
    { name: 'transaction', endMs: 9 },
  ]);
});

it('records nothing of a trace that is not sampled', () => {
  isSampled = false;
  traces.admitted(transaction(7, true), true);
  commit(block(1, [transaction(7, true)]));
  expect([spans, dropped]).toEqual([[], 0]);
});

it('records so many transactions of a block, and counts the spans of the others', () => {
  commit(
    block(
      1,
      [1, 2, 3, 4, 5].map((byte) => transaction(byte)),
    ),
  );
  expect(namesOf().filter((name) => name === 'block inclusion')).toHaveLength(3);
  expect(dropped).toBe(8);
});

it('remembers so many transactions of the pool', () => {
  for (let byte = 1; byte <= 6; byte++) traces.admitted(transaction(byte), false);
  commit(block(1, [transaction(1), transaction(2)]));
  expect(namesOf()).not.toContain('pool');
  commit(block(2, [transaction(3)]));
  expect(namesOf()).toContain('pool');
});

it('remembers so many blocks that are not decided', () => {
  const sent = transaction(7);
  for (let number = 1; number <= 3; number++) {
    nowMs = number;
    traces.executing()(block(number, []).hash);
  }
  nowMs = 10;
  commit(block(1, [sent]));
  commit(block(2, [sent]));
  const began = spans.filter(({ name }) => name === 'block inclusion');
  expect(began.map(({ startMs }) => startMs)).toEqual([10, 2]);
});

it('waits for the private state with so many transactions', () => {
  for (let number = 1; number <= 3; number++)
    commit(block(number, [transaction(2 * number, true), transaction(2 * number + 1, true)]));
  expect(dropped).toBe(4);
  cursor = 3;
  events.emit('privateDone', { psi: 'private', number: 3 });
  expect(namesOf().filter((name) => name === 'private receipt')).toHaveLength(4);
});
