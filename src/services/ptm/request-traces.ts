/**
 * Spans of requests that carry a trace: what a node sends, and what peers push. A span names the
 * operation: no key, no hash, no peer.
 */

import type { Route } from '../../io/http/server.ts';
import {
  inSpan,
  parseTraceparent,
  TRACEPARENT,
  type Tracer,
} from '../../io/telemetry/trace-context.ts';

/** Runs `work` in a span if `traceparent` asks for one. */
export type TraceRequest = <T>(name: string, traceparent: unknown, work: () => T) => T;

export const UNTRACED: TraceRequest = (_name, _traceparent, work) => work();

export function traceRequests(tracer: Tracer): TraceRequest {
  return (name, traceparent, work) => {
    const parent = parseTraceparent(traceparent);
    if (!parent?.isSampled) return work();
    return inSpan(tracer.start(`ptm ${name}`, { parent, kind: 'server' }), work);
  };
}

export function tracedRoutes(routes: readonly Route[], trace: TraceRequest): Route[] {
  return routes.map((route) => ({
    ...route,
    handle: (request) =>
      trace(`${route.method} ${route.path}`, request.header(TRACEPARENT), () =>
        route.handle(request),
      ),
  }));
}
