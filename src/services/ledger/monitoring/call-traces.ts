/**
 * Spans of JSON-RPC calls: those that send, and others whose caller asks for a trace. A span names
 * the method, never its parameters or result.
 */
import type { TraceCalls } from '../../../io/rpc/call-trace.ts';
import { parseTraceparent, type Tracer, withTrace } from '../../../io/telemetry/trace-context.ts';

export function traceCalls(tracer: Tracer): TraceCalls {
  return (method, access, { traceparent, transport }) => {
    const parent = parseTraceparent(traceparent);
    if (access !== 'send' && !parent?.isSampled) return undefined;
    const attributes = {
      'rpc.system': 'jsonrpc',
      'rpc.method': method,
      'network.protocol.name': transport,
    };
    const span = tracer.start(`rpc ${method}`, { parent, kind: 'server', attributes });
    return {
      run: (work) => withTrace(span.context, work),
      end: (isSuccess) => span.end({ isError: !isSuccess }),
    };
  };
}
