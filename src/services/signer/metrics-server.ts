/** Metrics on a separate port, or sent to a push gateway (Web3Signer PicoCliMetricsPushOptions). */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Log } from '../../core/base/ports.ts';
import { reasonOf } from '../../io/host/reason.ts';
import { HttpClient } from '../../io/http/http-client.ts';
import { listen } from '../../io/http/listen.ts';
import type { MetricsSettings } from './config.ts';
import { HostAndOriginCheck } from './host-and-origin.ts';
import type { Meters } from './meters.ts';

const TYPE = 'text/plain; version=0.0.4; charset=utf-8';
const CONNECTIONS_MAX = 100;
const PUSH_MS = 10_000;
const PUSH_ANSWER_BYTES_MAX = 64 * 1024;

export interface MetricsOutlet {
  /** undefined: metrics are not served. */
  readonly port: number | undefined;
  close(): Promise<void>;
}

/** Throws SIGNER_LISTEN_FAILED. */
export async function openMetrics(
  { serve, push }: MetricsSettings,
  meters: Meters,
  log: Log,
): Promise<MetricsOutlet> {
  if (push) return pushMetrics(push, meters, log);
  if (!serve) return { port: undefined, close: () => Promise.resolve() };
  const check = new HostAndOriginCheck({ hosts: serve.hosts, corsOrigins: [] });
  const server = createServer((request, response) => {
    if (check.admit(request, response)) return;
    const [path] = (request.url ?? '').split('?', 1);
    if (request.method === 'GET' && path === '/metrics')
      response.writeHead(200, { 'content-type': TYPE }).end(meters.exposition());
    else response.writeHead(path === '/metrics' ? 405 : 404).end();
  });
  server.maxConnections = CONNECTIONS_MAX;
  const { host, port } = serve;
  await listen(server, { kind: 'tcp', host, port }, 'SIGNER_LISTEN_FAILED');
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** On close, sends the last values. */
function pushMetrics(
  { host, port, intervalMs, job }: NonNullable<MetricsSettings['push']>,
  meters: Meters,
  log: Log,
): MetricsOutlet {
  const client = new HttpClient({
    ...{ dialTimeoutMs: PUSH_MS, timeoutMs: PUSH_MS, idleTimeoutMs: 0 },
    responseBytesMax: PUSH_ANSWER_BYTES_MAX,
  });
  const name = host.includes(':') ? `[${host}]` : host;
  const url = new URL(`http://${name}:${port}/metrics/job/${encodeURIComponent(job)}`);
  let isFailing = false;
  const send = async (): Promise<void> => {
    const body = Buffer.from(meters.exposition());
    const headers = [
      ['Content-Type', TYPE],
      ['Content-Length', String(body.length)],
    ] as const;
    try {
      const { status } = await client.request({ method: 'POST', url, headers, body });
      if (status >= 300) throw new Error(`status ${status}`);
      isFailing = false;
    } catch (error) {
      if (!isFailing)
        log('warn', 'Metrics cannot be pushed', {
          gateway: url.host,
          err: reasonOf(error),
        });
      isFailing = true;
    }
  };
  const timer = setInterval(send, intervalMs);
  timer.unref();
  return {
    port: undefined,
    async close() {
      clearInterval(timer);
      await send();
      client.close();
    },
  };
}
