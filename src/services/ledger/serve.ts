/** The API over its transports: HTTP, WebSocket and IPC, and other endpoints. */
import type { Server } from 'node:http';
import type { Log } from '../../core/base/ports.ts';
import { systemClock } from '../../io/host/clock.ts';
import { newTraffic } from '../../io/http/traffic.ts';
import { ExplorerSite } from '../../io/pages/explorer-site.ts';
import type { Dispatcher } from '../../io/rpc/dispatcher.ts';
import { type Endpoint, type Page, serveHttp } from '../../io/rpc/http.ts';
import { serveIpc } from '../../io/rpc/ipc.ts';
import type { Json } from '../../io/rpc/method.ts';
import { serveWebSocket } from '../../io/rpc/websocket.ts';
import type { MetricsRegistry } from '../../io/telemetry/metrics.ts';
import type { Context } from './api/context.ts';
import type { AccessControl } from './config/access-control.ts';
import type { RpcConfig } from './config/rpc.ts';
import { graphqlPage } from './graphql/page.ts';
import { serveMetrics } from './monitoring/metrics.ts';
import { type Moment, type ReadinessParts, readiness } from './monitoring/readiness.ts';

export interface ServedApi {
  readonly httpUrl: string | undefined;
  readonly webSocketUrl: string | undefined;
  /** Of GraphQL; undefined without. */
  readonly graphqlUrl: string | undefined;
  /** Of the explorer; undefined without. */
  readonly explorerUrl: string | undefined;
  close(): Promise<void>;
}

export interface ServedParts extends ReadinessParts {
  readonly access: AccessControl;
  /** undefined: nothing is counted. */
  readonly metrics: MetricsRegistry | undefined;
  /** APIs beside JSON-RPC, by path. */
  readonly endpoints: ReadonlyMap<string, Endpoint>;
  /** Document of the methods over HTTP. */
  openRpc(): Json;
  readonly log: Log;
}

export async function serveApi(
  dispatcher: Dispatcher<Context>,
  parts: ServedParts,
): Promise<ServedApi> {
  const { config, access, metrics, endpoints, log } = parts;
  const { rpc } = config;
  const ends: (() => void | Promise<void>)[] = [];
  if (metrics) ends.push(await serveMetrics(metrics, config.metrics, log));
  const traffic = newTraffic();
  const openRpc = json(200, parts.openRpc() as object);
  const pages = new Map<string, () => Page>([
    ...['/health', '/liveness'].map((path) => [path, () => json(200, { status: 'ok' })] as const),
    ...['/ready', '/readiness'].map((path) => [path, () => readiness(parts, momentNow())] as const),
    ['/openrpc.json', () => openRpc],
    ...(rpc.graphql ? ([['/graphql/ui', () => graphqlPage]] as const) : []),
  ]);
  const site = rpc.explorer && new ExplorerSite(rpc.explorer);
  const open = async (host: string, port: number): Promise<{ server: Server; port: number }> => {
    const server = await serveHttp(dispatcher, {
      host,
      port,
      vhosts: rpc.vhosts,
      corsDomains: rpc.corsDomains,
      prefix: rpc.prefix,
      pages,
      site,
      endpoints,
      authenticate: access.authenticate,
      tls: access.tls,
      traffic,
    });
    ends.push(() => server.close());
    return server;
  };
  const http = rpc.http && (await open(rpc.http.host, rpc.http.port));
  const webSocketUrl = rpc.ws && (await serveWs(rpc.ws));
  if (rpc.ipc) ends.push(await serveIpc(dispatcher, rpc.ipc, traffic));
  const secure = access.tls ? 's' : '';
  const httpUrl = http && `http${secure}://${rpc.http!.host}:${http.port}`;
  return {
    httpUrl,
    webSocketUrl,
    graphqlUrl: httpUrl && rpc.graphql ? `${httpUrl}/graphql` : undefined,
    explorerUrl: httpUrl && rpc.explorer ? httpUrl + rpc.explorer.base : undefined,
    async close() {
      for (const end of ends.reverse()) await end();
    },
  };

  async function serveWs(ws: NonNullable<RpcConfig['ws']>): Promise<string> {
    const { host, port, origins, prefix } = ws;
    const isShared = http !== undefined && port === rpc.http!.port && port !== 0;
    const target = isShared ? http : await open(host, port);
    const { authenticate } = access;
    ends.push(
      serveWebSocket(dispatcher, target.server, { origins, prefix, authenticate, traffic }),
    );
    return `ws${access.tls ? 's' : ''}://${host}:${target.port}${prefix}`;
  }
}

function json(status: number, body: object): Page {
  return { status, contentType: 'application/json', body: `${JSON.stringify(body)}\n` };
}

function momentNow(): Moment {
  return { nowMs: systemClock.nowMs(), upMs: process.uptime() * 1000 };
}
