import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import { until } from '../../../test/support/conditions.ts';
import { type TraceCollector, traceCollector } from '../../../test/support/trace-collector.ts';
import type { Log } from '../../core/base/ports.ts';
import { openTracing } from './open.ts';
import type { TracingSettings } from './settings.ts';
import type { Tracing } from './tracing.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';
const SOON = { gatherMs: 1, pauseMs: 1 };

const endings: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

async function collector(): Promise<TraceCollector> {
  const made = await traceCollector();
  endings.push(() => made.close());
  return made;
}

async function serve(answer: RequestListener): Promise<string> {
  const server: Server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  endings.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function opened(
  url: string,
  more: Partial<TracingSettings> = {},
  log: Log = () => {},
): Promise<Tracing> {
  const settings: TracingSettings = {
    url: new URL(`${url}/v1/traces`),
    headers: [],
    protocol: 'http/json',
    timeoutMs: 10_000,
    sampler: 'parentbased_always_on',
    ratio: 1,
    authorities: undefined,
    service: 'tested',
    ...more,
  };
  const made = (await openTracing(settings, log, SOON))!;
  endings.push(() => made.close());
  return made;
}

it('sends spans with their parents, times, attributes and links', async () => {
  const { url, spans, headers } = await collector();
  const tracing = await opened(url, { headers: [['x-tenant', 'a']] });
  const parent = { traceId: TRACE, spanId: SPAN, isSampled: true };
  const span = tracing.start('outer', {
    ...{ parent, kind: 'server', startMs: 1_700_000_000_000 },
    attributes: { 'quorate.block.number': 7 },
  });
  const first = { traceId: SPAN + SPAN, spanId: SPAN };
  const root = tracing.start('root', { ids: first, links: [span.context] });
  root.end({ isError: true });
  span.end({ atMs: 1_700_000_000_250 });
  await until('both have arrived', () => spans.length === 2);
  expect(spans).toMatchObject([
    { service: 'tested', name: 'root', ...first, parentSpanId: undefined, isError: true },
    {
      ...{ service: 'tested', name: 'outer', kind: 2, traceId: TRACE, parentSpanId: SPAN },
      attributes: { 'quorate.block.number': 7 },
      ...{ startMs: 1_700_000_000_000, endMs: 1_700_000_000_250, isError: false },
    },
  ]);
  expect(spans[0]!.links).toMatchObject([{ traceId: TRACE, spanId: span.context.spanId }]);
  expect(headers[0]).toMatchObject({ 'x-tenant': 'a', 'content-type': 'application/json' });
  await until('both are counted', () => tracing.figures().exported === 2);
  expect(tracing.figures()).toEqual({ exported: 2, dropped: 0, waiting: 0 });
});

it('sends protobuf if asked to', async () => {
  const { url, bodies, headers } = await collector();
  const tracing = await opened(url, { protocol: 'http/protobuf' });
  tracing.start('in protobuf').end();
  await until('it has arrived', () => bodies.length === 1);
  expect(bodies[0]).toContain('in protobuf');
  expect(headers[0]).toMatchObject({ 'content-type': 'application/x-protobuf' });
});

it('samples a trace by its id, and heeds the caller', async () => {
  const { url, spans } = await collector();
  const tracing = await opened(url, { sampler: 'parentbased_traceidratio', ratio: 0.5 });
  const other = await opened(url, { sampler: 'parentbased_traceidratio', ratio: 0.5 });
  const ids = Array.from({ length: 200 }, (_, at) => {
    const digits = ((at * 2654435761) >>> 0).toString(16).padStart(8, '0');
    return `${digits}000000000000000000000001`;
  });
  const taken = ids.filter((id) => tracing.samples(id));
  expect(ids.filter((id) => other.samples(id))).toEqual(taken);
  expect(taken.length).toBeGreaterThan(60);
  expect(taken.length).toBeLessThan(140);
  const no = { traceId: TRACE, spanId: SPAN, isSampled: false };
  const silent = tracing.start('not wanted', { parent: no });
  expect(silent.context).toMatchObject({ traceId: TRACE, isSampled: false });
  silent.end();
  tracing.start('wanted', { parent: { ...no, isSampled: true } }).end();
  await until('one has arrived', () => spans.length > 0);
  expect(spans.map(({ name }) => name)).toEqual(['wanted']);
});

it('names the service and its resource as the environment says', async () => {
  vi.stubEnv('OTEL_RESOURCE_ATTRIBUTES', 'deployment.environment.name=test,service.name=other');
  endings.push(() => vi.unstubAllEnvs());
  const { url, bodies, spans } = await collector();
  const tracing = await opened(url);
  tracing.start('any').end();
  await until('it has arrived', () => spans.length === 1);
  expect(bodies[0]).toContain('deployment.environment.name');
  expect(spans[0]!.service).toBe('tested');
});

it('gives up a collector that does not answer in time', async () => {
  const url = await serve(() => {});
  const tracing = await opened(url, { timeoutMs: 50 });
  tracing.start('any').end();
  await until('the span is dropped', () => tracing.figures().dropped === 1);
});

it('gives up a collector whose answer never ends', async () => {
  const url = await serve((_, response) => {
    const drip = setInterval(() => response.write(' '), 5);
    response.once('close', () => clearInterval(drip));
    response.writeHead(200);
  });
  const tracing = await opened(url, { timeoutMs: 100 });
  tracing.start('any').end();
  await until('the span is dropped', () => tracing.figures().dropped === 1);
});

it('does not read an answer that is too long', async () => {
  const url = await serve((_, response) => response.end(Buffer.alloc(1024 * 1024, ' ')));
  const log = vi.fn();
  const tracing = await opened(url, {}, log);
  tracing.start('any').end();
  await until('the span is dropped', () => tracing.figures().dropped === 1);
  expect(log.mock.lastCall?.[2].err).toContain('larger than 65536 bytes');
});

it.each([
  ['nothing', '', 0],
  ['no JSON', '{', 0],
  ['another thing', '[1]', 0],
  ['a lie', '{"partialSuccess":{"rejectedSpans":"-5"}}', 0],
  ['a greater lie', '{"partialSuccess":{"rejectedSpans":"1e99"}}', 1],
  ['one refusal', '{"partialSuccess":{"rejectedSpans":"1","errorMessage":"no"}}', 1],
])('understands an answer of %s', async (_, answer, dropped) => {
  const url = await serve((request, response) => {
    request.resume().on('end', () => response.end(answer));
  });
  const tracing = await opened(url);
  tracing.start('any').end();
  await until('it was answered', () => tracing.figures().exported + tracing.figures().dropped > 0);
  expect(tracing.figures()).toMatchObject({ exported: 1 - dropped, dropped });
});

it('warns once of a collector that is away, without its path and headers', async () => {
  const log = vi.fn();
  const more = { headers: [['authorization', 'hidden-token']] } as const;
  const tracing = await opened('http://127.0.0.1:1', more, log);
  tracing.start('any').end();
  await until('the first is dropped', () => tracing.figures().dropped === 1);
  tracing.start('any').end();
  await until('the second is dropped', () => tracing.figures().dropped === 2);
  const warnings = log.mock.calls.filter(([level]) => level === 'warn');
  expect(warnings).toHaveLength(1);
  expect(JSON.stringify(log.mock.calls)).not.toContain('hidden-token');
});
