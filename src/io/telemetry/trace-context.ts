/**
 * The place of current work in a trace: W3C Trace Context (https://www.w3.org/TR/trace-context/).
 * Costs nothing until a span is open.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Watch } from '../../core/base/ports.ts';

/** Ids in lower-case hex: 32 digits of the trace, 16 of the span. */
export interface TraceContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly isSampled: boolean;
}

export interface SpanSettings {
  /** Undefined: the span begins a trace. */
  readonly parent?: TraceContext | undefined;
  /** `server`: answers a request; `client`: makes one. */
  readonly kind?: 'server' | 'client' | 'internal';
  /** Ids of a span that begins a trace; undefined: random ones. */
  readonly ids?: { readonly traceId: string; readonly spanId: string };
  /** Unix time in ms; undefined: now. */
  readonly startMs?: number;
  /** Never anything that only parties may know. */
  readonly attributes?: Readonly<Record<string, string | number>>;
  readonly links?: readonly TraceContext[];
}

export interface OpenSpan {
  readonly context: TraceContext;
  end(how?: { readonly isError?: boolean; readonly atMs?: number }): void;
}

export interface Tracer {
  /** Unix time in ms, which increases steadily. */
  nowMs(): number;
  /** Whether the spans of a trace with this id, begun here, are recorded. */
  samples(traceId: string): boolean;
  start(name: string, settings?: SpanSettings): OpenSpan;
}

export const TRACEPARENT = 'traceparent';
const FORM =
  /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const SAMPLED = 1;

const current = new AsyncLocalStorage<TraceContext>();

/** Undefined for a header that is missing or malformed: a trace then begins here. */
export function parseTraceparent(header: unknown): TraceContext | undefined {
  if (typeof header !== 'string' || header.length > 256) return undefined;
  const match = FORM.exec(header.trim());
  if (!match) return undefined;
  const [, version, traceId, spanId, flags, more] = match;
  if (version === '00' && more !== undefined) return undefined;
  return {
    traceId: traceId!,
    spanId: spanId!,
    isSampled: (Number.parseInt(flags!, 16) & SAMPLED) === SAMPLED,
  };
}

export function traceparentOf({ traceId, spanId, isSampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
}

/** The span in which the caller works; undefined: none. */
export function currentTrace(): TraceContext | undefined {
  return current.getStore();
}

/** Header of the current span for requests; empty outside a span that is recorded. */
export function traceHeaders(): readonly (readonly [string, string])[] {
  const context = current.getStore();
  return context?.isSampled ? [[TRACEPARENT, traceparentOf(context)]] : [];
}

/** Runs `work`, and all that it starts, in the span. */
export function withTrace<T>(context: TraceContext, work: () => T): T {
  return current.run(context, work);
}

/** Runs `work` in a span that ends with it, or with its promise. */
export function inSpan<T>(span: OpenSpan, work: () => T): T {
  try {
    const result = withTrace(span.context, work);
    if (result instanceof Promise) {
      result.then(
        () => span.end(),
        () => span.end({ isError: true }),
      );
    } else span.end();
    return result;
  } catch (error) {
    span.end({ isError: true });
    throw error;
  }
}

/** Makes each work a span below `parentOf()`; no span where that is undefined. */
export function spanWatch(tracer: Tracer, parentOf = currentTrace): Watch {
  return {
    during(what, work) {
      const parent = parentOf();
      return parent?.isSampled ? inSpan(tracer.start(what, { parent }), work) : work();
    },
  };
}
