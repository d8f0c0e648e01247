/** Traces of payloads between a node, its manager and the recipients' managers. */
import { afterEach, expect, it } from 'vitest';
import { type TestPtm, testPtm, until, untilKnown } from '../../../test/support/ptm.ts';
import { type TraceCollector, traceCollector } from '../../../test/support/trace-collector.ts';
import { parseOptions } from '../../io/options/options.ts';
import { tracingRows, tracingSettings } from '../../io/tracing/settings.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';
const PARENT = `00-${TRACE}-${SPAN}-01`;

const running: TestPtm[] = [];
let collector: TraceCollector | undefined;
afterEach(async () => {
  for (const ptm of running.splice(0)) await ptm.close();
  await collector?.close();
});

async function two(): Promise<[TestPtm, TestPtm, TraceCollector]> {
  collector = await traceCollector();
  const tracing = (name: string) => {
    const argv = ['--otel.endpoint', collector!.url, '--otel.service', name];
    return tracingSettings(parseOptions(tracingRows('Traces'), { argv }), {}, '', () => {});
  };
  const one = await testPtm(1, [], { tracing: tracing('one') });
  const other = await testPtm(2, [one.p2pUrl], { tracing: tracing('two') });
  running.push(one, other);
  await untilKnown(one, other.key);
  return [one, other, collector];
}

/** `traceparent`: undefined for a node that does not trace. */
function send(from: TestPtm, path: string, to: TestPtm, traceparent?: string): Promise<Response> {
  const request = { payload: Buffer.from('a private input').toString('base64'), to: [to.key] };
  const batch = {
    requests: [{ path: '/send', media: 'application/json', body: request, traceparent }],
  };
  return fetch(`${from.q2tUrl}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(traceparent && path === '/send' ? { traceparent } : {}),
    },
    body: JSON.stringify(path === '/send' ? request : batch),
  });
}

it.each(['/send', '/batch'])('follows a payload of %s to its recipient', async (path) => {
  const [one, other, { spans, bodies }] = await two();
  expect(await (await send(one, path, other, PARENT)).text()).toContain('key');
  await until(() => spans.length >= 5, 'the spans of both have arrived');
  const parentOf = (id: string | undefined) => {
    const parent = spans.find(({ spanId }) => spanId === id);
    return parent ? `${parent.service} ${parent.name}` : id;
  };
  const shown = spans.map((span) => [span.service, span.name, parentOf(span.parentSpanId)]);
  expect(shown.sort()).toEqual([
    ['one', 'ptm POST /send', SPAN],
    ['one', 'push payload', 'one ptm POST /send'],
    ['one', 'store payload', 'one ptm POST /send'],
    ['two', 'ptm POST /push/batch', 'one push payload'],
    ['two', 'store payload', 'two ptm POST /push/batch'],
  ]);
  expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([TRACE]));
  // Neither keys nor hashes nor addresses.
  expect(spans.map(({ attributes }) => attributes)).toEqual(spans.map(() => ({})));
  for (const ptm of [one, other])
    for (const secret of [ptm.key, ptm.p2pUrl]) expect(bodies.join()).not.toContain(secret);
});

it.each([undefined, PARENT.replace(/01$/, '00'), 'not a trace'])(
  'records nothing for %s',
  async (traceparent) => {
    const [one, other, { spans }] = await two();
    await (await send(one, '/send', other, traceparent)).text();
    await (await send(one, '/send', other, PARENT)).text();
    await until(() => spans.length >= 5, 'the second payload is traced');
    expect(spans).toHaveLength(5);
  },
);
