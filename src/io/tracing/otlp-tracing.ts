/**
 * Traces with OpenTelemetry's packages: they sample, hold and encode spans. Our own HTTP client
 * sends them, because it bounds the time and the bytes of the collector's answer.
 */
import {
  type Link,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { JsonTraceSerializer, ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BasicTracerProvider,
  ParentBasedSampler,
  RandomIdGenerator,
  type ReadableSpan,
  type Sampler,
  SamplingDecision,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-base';
import type { Log } from '../../core/base/ports.ts';
import { VERSION } from '../host/client-version.ts';
import { readAuthorities } from '../host/key-pair.ts';
import { reasonOf } from '../host/reason.ts';
import { HttpClient } from '../http/http-client.ts';
import type { OpenSpan, SpanSettings, TraceContext } from '../telemetry/trace-context.ts';
import type { TracingSettings } from './settings.ts';
import { type QueueBounds, type SendSpans, SpanQueue } from './span-queue.ts';
import type { Tracing } from './tracing.ts';

const ANSWER_BYTES_MAX = 64 * 1024;
const SPAN_BYTES = 512;
const LINK_BYTES = 128;
const LINKS_MAX = 32;
const TEXT_CHARACTERS_MAX = 256;
const WARNING_MS = 60_000;
const KINDS = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  internal: SpanKind.INTERNAL,
} as const;

export function otlpTracing(
  settings: TracingSettings,
  log: Log,
  bounds?: Partial<QueueBounds>,
): Tracing {
  const collector = collectorAt(settings);
  const queue = new SpanQueue(collector.send, warner(settings, log), bounds);
  const random = new RandomIdGenerator();
  let ids: SpanSettings['ids'];
  const sampler = samplerOf(settings);
  const provider = new BasicTracerProvider({
    resource: detectResources({ detectors: [envDetector] }).merge(
      resourceFromAttributes({ 'service.name': settings.service, 'service.version': VERSION }),
    ),
    sampler,
    spanLimits: { linkCountLimit: LINKS_MAX, attributeValueLengthLimit: TEXT_CHARACTERS_MAX },
    idGenerator: {
      generateTraceId: () => ids?.traceId ?? random.generateTraceId(),
      generateSpanId: () => ids?.spanId ?? random.generateSpanId(),
    },
    spanProcessors: [
      {
        onStart() {},
        onEnd: (span) => queue.add(span, bytesOf(span)),
        forceFlush: () => Promise.resolve(),
        shutdown: () => Promise.resolve(),
      },
    ],
  });
  const tracer = provider.getTracer('quorate', VERSION);
  const start = (name: string, given: SpanSettings = {}): OpenSpan => {
    const { parent, kind = 'internal', startMs, attributes, links } = given;
    ids = given.ids;
    const span = tracer.startSpan(
      name,
      {
        kind: KINDS[kind],
        ...(startMs === undefined ? {} : { startTime: startMs }),
        ...(attributes ? { attributes } : {}),
        ...(links ? { links: links.map(linkTo) } : {}),
      },
      parent ? trace.setSpanContext(ROOT_CONTEXT, spanContext(parent)) : ROOT_CONTEXT,
    );
    ids = undefined;
    const { traceId, spanId, traceFlags } = span.spanContext();
    return {
      context: { traceId, spanId, isSampled: (traceFlags & TraceFlags.SAMPLED) !== 0 },
      end({ isError, atMs } = {}) {
        if (isError) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end(atMs);
      },
    };
  };
  return {
    start,
    nowMs: () => performance.timeOrigin + performance.now(),
    samples(traceId) {
      const asked = sampler.shouldSample(ROOT_CONTEXT, traceId, '', SpanKind.INTERNAL, {}, []);
      return asked.decision === SamplingDecision.RECORD_AND_SAMPLED;
    },
    figures: () => queue.figures(),
    drop: (spans) => queue.drop(spans),
    async close() {
      await queue.close();
      collector.close();
    },
  };
}

function samplerOf({ sampler, ratio }: TracingSettings): Sampler {
  if (sampler.endsWith('always_off')) return parented(sampler, new AlwaysOffSampler());
  if (sampler.endsWith('always_on')) return parented(sampler, new AlwaysOnSampler());
  return parented(sampler, new TraceIdRatioBasedSampler(ratio));
}

function parented(name: TracingSettings['sampler'], root: Sampler): Sampler {
  return name.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
}

function spanContext({ traceId, spanId, isSampled }: TraceContext) {
  const traceFlags = isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
  return { traceId, spanId, traceFlags, isRemote: true };
}

function linkTo(context: TraceContext): Link {
  return { context: spanContext(context) };
}

function bytesOf({ name, attributes, links }: ReadableSpan): number {
  let bytes = SPAN_BYTES + name.length + links.length * LINK_BYTES;
  for (const [key, value] of Object.entries(attributes)) bytes += key.length + String(value).length;
  return bytes;
}

/** Rejects when the collector does not answer in time, or with a status other than 200. */
function collectorAt(settings: TracingSettings): {
  readonly send: SendSpans<ReadableSpan>;
  close(): void;
} {
  const { url, timeoutMs, protocol, headers, authorities } = settings;
  const client = new HttpClient({
    dialTimeoutMs: timeoutMs,
    timeoutMs,
    idleTimeoutMs: 60_000,
    responseBytesMax: ANSWER_BYTES_MAX,
    socketsMax: 1,
    ...(authorities === undefined ? {} : { tls: { ca: readAuthorities(authorities) } }),
  });
  const isJson = protocol === 'http/json';
  const serializer = isJson ? JsonTraceSerializer : ProtobufTraceSerializer;
  const type = isJson ? 'application/json' : 'application/x-protobuf';
  return {
    async send(spans) {
      const body = serializer.serializeRequest([...spans])!;
      const { status, body: answer } = await client.request({
        ...{ method: 'POST', url, body },
        headers: [...headers, ['content-type', type], ['content-length', String(body.length)]],
      });
      if (status !== 200) throw new Error(`it answers with status ${status}`);
      return refusedOf(serializer, answer, spans.length);
    },
    close: () => client.close(),
  };
}

/** An answer that makes no sense counts as consent. */
function refusedOf(
  serializer: typeof JsonTraceSerializer,
  answer: Uint8Array,
  spans: number,
): number {
  if (answer.length === 0) return 0;
  try {
    const refused = Number(serializer.deserializeResponse(answer).partialSuccess?.rejectedSpans);
    return refused > 0 ? Math.min(Math.floor(refused), spans) : 0;
  } catch {
    return 0;
  }
}

/** Warns about a collector once a minute. */
function warner({ url }: TracingSettings, log: Log): (error: unknown) => void {
  let silentUntilMs = 0;
  return (error) => {
    const nowMs = performance.now();
    if (nowMs < silentUntilMs) return;
    silentUntilMs = nowMs + WARNING_MS;
    const fields = { host: url.host, err: reasonOf(error) };
    log('warn', 'The collector of traces takes no spans: they are dropped', fields);
  };
}
