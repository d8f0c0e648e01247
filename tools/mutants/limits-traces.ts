/** Limits of traces, and what they may not show. */
import type { Limit } from './limit.ts';

const QUEUE = { file: 'src/io/tracing/span-queue.ts', test: 'src/io/tracing/span-queue.test.ts' };
const SENDING = {
  file: 'src/io/tracing/otlp-tracing.ts',
  test: 'src/io/tracing/otlp-tracing.service.test.ts',
};
const NODE = {
  file: 'src/services/ledger/monitoring/transaction-traces.ts',
  test: 'src/services/ledger/monitoring/transaction-traces.test.ts',
};

export const TRACE_LIMITS: readonly Limit[] = [
  {
    ...QUEUE,
    name: 'traces: spans that wait',
    on: 'this.waiting.length >= spansMax ||',
    off: '',
    only: 'so many spans',
  },
  {
    ...QUEUE,
    name: 'traces: bytes that wait',
    on: '|| this.bytes + bytes > bytesMax',
    off: '',
    only: 'so many bytes',
  },
  {
    ...QUEUE,
    name: 'traces: requests at once',
    on: 'if (this.timer || this.sending || this.isClosed) return;',
    off: 'if (this.timer || this.isClosed) return;',
    only: 'one request at a time',
  },
  {
    ...QUEUE,
    name: 'traces: pause after a failure',
    on: 'isTaken ? (isFull ? 0 : gatherMs) : pauseMs',
    off: 'isFull ? 0 : gatherMs',
    only: 'alone for a while',
  },
  {
    ...SENDING,
    name: 'traces: time of a request to the collector',
    on: '    timeoutMs,\n    idleTimeoutMs',
    off: '    timeoutMs: 0,\n    idleTimeoutMs',
    only: 'gives up a collector',
  },
  {
    ...SENDING,
    name: "traces: bytes of the collector's answer",
    on: 'responseBytesMax: ANSWER_BYTES_MAX,',
    off: 'responseBytesMax: Number.POSITIVE_INFINITY,',
    only: 'answer that is too long',
  },
  {
    ...SENDING,
    name: 'traces: warnings about the collector',
    on: 'if (nowMs < silentUntilMs) return;',
    off: '',
    only: 'warns once',
  },
  {
    ...NODE,
    name: 'traces: transactions of a block',
    on: 'if (++count > this.bounds.ofBlockMax) {',
    off: 'if (++count < 0) {',
    only: 'so many transactions of a block',
  },
  {
    ...NODE,
    name: 'traces: transactions and blocks that are remembered',
    on: 'if (map.size > max)',
    off: 'if (map.size < 0)',
    only: 'remembers so many',
  },
  {
    ...NODE,
    name: 'traces: transactions that wait for the private state',
    on: 'if (this.lateCount + late.ends.length > this.bounds.transactionsMax) {',
    off: 'if (this.lateCount < 0) {',
    only: 'waits for the private state',
  },
  {
    name: 'traces: sending the rest at the end',
    file: 'src/io/tracing/span-queue.ts',
    on: 'await Promise.race([rest(), late]);',
    off: 'void late;\n    await rest();',
    test: 'src/io/tracing/span-queue.test.ts',
    only: 'that hangs when the process ends',
  },
  {
    name: 'traces: `traceparent` of a request',
    file: 'src/io/telemetry/trace-context.ts',
    on: ' || header.length > 256) return undefined;',
    off: ') return undefined;',
    test: 'src/io/telemetry/trace-context.test.ts',
  },
];
