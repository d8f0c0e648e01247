import { expect, it } from 'vitest';
import type { SpanSettings, Tracer } from '../../io/telemetry/trace-context.ts';
import { OPEN_GUARD } from './proxy/open-guard.ts';
import { traceRequests } from './request-traces.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = `00-${TRACE}-00f067aa0ba902b7-01`;
const OK = { status: 200, body: '{"jsonrpc":"2.0","id":1,"result":"0x1"}' };

interface Made extends SpanSettings {
  readonly name: string;
  isError?: boolean | undefined;
}

function traced() {
  const spans: Made[] = [];
  const tracer: Tracer = {
    nowMs: () => 0,
    samples: () => true,
    start(name, settings = {}) {
      const span: Made = { name, ...settings };
      spans.push(span);
      const traceId = settings.parent?.traceId ?? '1'.repeat(32);
      return {
        context: { traceId, spanId: String(spans.length).padStart(16, '0'), isSampled: true },
        end: ({ isError = false } = {}) => {
          span.isError = isError;
        },
      };
    },
  };
  return { spans, trace: traceRequests(tracer) };
}

async function callerWith(headers: readonly string[]) {
  const shown = { authorization: undefined, certificate: undefined, remote: '' };
  const identity = await OPEN_GUARD.identify(shown);
  return { identity: identity as never, headers, path: '/' };
}

it('gives the node its own span, below that of the client', async () => {
  const { spans, trace } = traced();
  const headers = ['TraceParent', PARENT, 'tracestate', 'other=1', 'x-mine', 'kept'];
  const call = trace('eth_sendTransaction', await callerWith(headers))!;
  expect(call.caller.headers).toEqual([
    ...['x-mine', 'kept'],
    ...['traceparent', `00-${TRACE}-${'1'.padStart(16, '0')}-01`],
  ]);
  expect(await call.caller.watch!.during('sign transaction', async () => 7)).toBe(7);
  call.end(OK);
  expect(spans).toMatchObject([
    {
      name: 'signer eth_sendTransaction',
      kind: 'server',
      parent: { traceId: TRACE },
      isError: false,
    },
    { name: 'sign transaction', parent: { traceId: TRACE, spanId: '1'.padStart(16, '0') } },
  ]);
  expect(JSON.stringify(spans)).not.toContain('kept');
});

it('says that a call failed, and not why', async () => {
  const { spans, trace } = traced();
  trace('eth_sendTransaction', await callerWith([]))!.end({
    ...{ status: 200, body: '{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"why"}}' },
  });
  expect(spans[0]!.isError).toBe(true);
  expect(JSON.stringify(spans)).not.toContain('why');
});

it('traces other calls only if the client asks for it', async () => {
  const { trace } = traced();
  expect(trace('eth_call', await callerWith([]))).toBeUndefined();
  const unsampled = PARENT.replace(/01$/, '00');
  expect(trace('eth_call', await callerWith(['traceparent', unsampled]))).toBeUndefined();
  expect(trace('eth_call', await callerWith(['traceparent', PARENT]))).toBeDefined();
});
