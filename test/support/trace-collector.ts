/** An OTLP/HTTP receiver for tests: keeps the spans that it gets as JSON. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedSpan {
  readonly service: string;
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly isError: boolean;
  /** Unix time in ms. */
  readonly startMs: number;
  readonly endMs: number;
}

export interface TraceCollector {
  readonly url: string;
  readonly spans: ReceivedSpan[];
  /** The requests' bodies as they came. */
  readonly bodies: string[];
  readonly headers: Readonly<Record<string, string | string[] | undefined>>[];
  close(): Promise<void>;
}

interface Valued {
  readonly stringValue?: string;
  readonly intValue?: number | string;
  readonly doubleValue?: number;
}

interface Attribute {
  readonly key: string;
  readonly value: Valued;
}

export async function traceCollector(): Promise<TraceCollector> {
  const spans: ReceivedSpan[] = [];
  const bodies: string[] = [];
  const headers: TraceCollector['headers'] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      if (request.url !== '/v1/traces') return response.writeHead(404).end();
      bodies.push(body);
      headers.push(request.headers);
      if (request.headers['content-type'] === 'application/json') spans.push(...spansIn(body));
      response.writeHead(200, { 'content-type': 'application/json' });
      return response.end('{"partialSuccess":{}}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ spans, bodies, headers },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function spansIn(body: string): ReceivedSpan[] {
  const { resourceSpans } = JSON.parse(body);
  return resourceSpans.flatMap(({ resource, scopeSpans }: never) => {
    const service = String(
      valuesOf((resource as { attributes: Attribute[] }).attributes)['service.name'],
    );
    return (scopeSpans as { spans: never[] }[]).flatMap((scope) =>
      scope.spans.map((span: Record<string, never>) => ({
        ...{
          service,
          name: span.name,
          kind: span.kind,
          traceId: span.traceId,
          spanId: span.spanId,
        },
        parentSpanId: span.parentSpanId || undefined,
        links: span.links ?? [],
        attributes: valuesOf(span.attributes ?? []),
        isError: (span.status as { code?: number } | undefined)?.code === 2,
        startMs: msOf(span.startTimeUnixNano),
        endMs: msOf(span.endTimeUnixNano),
      })),
    );
  });
}

/** To the microsecond: a number does not hold more. */
function msOf(nanoseconds: unknown): number {
  return Math.round(Number(nanoseconds) / 1e3) / 1e3;
}

function valuesOf(attributes: readonly Attribute[]): Record<string, string | number> {
  return Object.fromEntries(
    attributes.map(({ key, value: { stringValue, intValue, doubleValue } }) => [
      key,
      stringValue ?? Number(intValue ?? doubleValue),
    ]),
  );
}

/** All spans that are connected with `first` by parents and links, in any direction. */
export function connectedTo(
  first: ReceivedSpan,
  spans: readonly ReceivedSpan[],
): readonly ReceivedSpan[] {
  const idOf = (span: { traceId: string; spanId: string }) => `${span.traceId} ${span.spanId}`;
  const near = new Map<string, Set<string>>();
  const join = (one: string, other: string) => {
    for (const [from, to] of [
      [one, other],
      [other, one],
    ] as const)
      near.set(from, (near.get(from) ?? new Set()).add(to));
  };
  for (const span of spans) {
    if (span.parentSpanId) join(idOf(span), `${span.traceId} ${span.parentSpanId}`);
    for (const link of span.links) join(idOf(span), idOf(link));
  }
  const found = new Set([idOf(first)]);
  for (const id of found) for (const other of near.get(id) ?? []) found.add(other);
  return spans.filter((span) => found.has(idOf(span)));
}
