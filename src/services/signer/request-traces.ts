/**
 * Spans of calls that sign or send, and of others whose client asks for a trace. The node gets the
 * call's span as its parent.
 */
import {
  inSpan,
  parseTraceparent,
  TRACEPARENT,
  type Tracer,
  traceparentOf,
} from '../../io/telemetry/trace-context.ts';
import { isErrorReply } from './meters.ts';
import type { PipelineParts } from './proxy/pipeline.ts';
import type { HeaderList } from './proxy/ports.ts';

const SENDS = /^[a-z]+_(send|sign|distribute)/i;

export function traceRequests(tracer: Tracer): NonNullable<PipelineParts['trace']> {
  return (method, caller) => {
    const parent = parseTraceparent(valueIn(caller.headers));
    if (!SENDS.test(method) && !parent?.isSampled) return undefined;
    const attributes = { 'rpc.system': 'jsonrpc', 'rpc.method': method };
    const span = tracer.start(`signer ${method}`, { parent, kind: 'server', attributes });
    const during = <T>(what: string, work: () => T) =>
      inSpan(tracer.start(what, { parent: span.context }), work);
    const headers = [...without(caller.headers), TRACEPARENT, traceparentOf(span.context)];
    return {
      caller: { ...caller, headers, watch: { during } },
      end: (reply) => span.end({ isError: isErrorReply(reply) }),
    };
  };
}

function valueIn(headers: HeaderList): string | undefined {
  for (let at = 0; at + 1 < headers.length; at += 2)
    if (headers[at]!.toLowerCase() === TRACEPARENT) return headers[at + 1];
  return undefined;
}

/** The context of other tracing systems would not fit the new parent. */
function without(headers: HeaderList): string[] {
  const kept: string[] = [];
  for (let at = 0; at + 1 < headers.length; at += 2)
    if (!/^trace(parent|state)$/i.test(headers[at]!)) kept.push(headers[at]!, headers[at + 1]!);
  return kept;
}
