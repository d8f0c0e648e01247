/**
 * A service's metrics for Prometheus, at /metrics on a port of its own, so that clients need no
 * access to them.
 */
import type { MetricsAddress } from '../options/metrics-address.ts';
import { type HttpReply, type HttpServer, startHttpServer } from './server.ts';

const TYPE = 'text/plain; version=0.0.4; charset=utf-8';
const BODY_BYTES_MAX = 1024;

/** `exposition` is called for each request. Throws HTTP_LISTEN_FAILED. */
export function startMetricsServer(
  address: MetricsAddress,
  exposition: () => string | Promise<string>,
  failure: (error: unknown) => HttpReply,
): Promise<HttpServer> {
  return startHttpServer({
    routes: [
      {
        ...{ method: 'GET', path: '/metrics' },
        handle: async () => ({ status: 200, type: TYPE, body: await exposition() }),
      },
    ],
    address: { kind: 'tcp', ...address },
    bodyBytesMax: BODY_BYTES_MAX,
    failure,
  });
}
