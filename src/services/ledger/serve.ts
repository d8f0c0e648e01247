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
import type { WebSocketConfig } from './config/rpc.ts';
import type { LedgerConfig } from './config.ts';
import { graphqlPage } from './graphql/page.ts';
import { serveMetrics } from './monitoring/metrics.ts';
import { type Moment, type ReadinessParts, readiness } from './monitoring/readiness.ts';

export interface ServedApi {
  readonly httpUrl: string | undefined;
  readonly webSocketUrl: string | undefined;
  /** The URL of GraphQL; undefined: it is not served. */
  readonly graphqlUrl: string | undefined;
  /** The URL of the explorer; undefined: it is not served. */
  readonly explorerUrl: string | undefined;
  close(): Promise<void>;
}

export interface ServedParts extends ReadinessParts {
  readonly config: ReadinessParts['config'] & Pick<LedgerConfig, 'development'>;
  readonly access: AccessControl;
  /** undefined: metrics are not counted. */
  readonly metrics: MetricsRegistry | undefined;
  /** Endpoints other than JSON-RPC, by path. */
  readonly endpoints: ReadonlyMap<string, Endpoint>;
  /** The OpenRPC document of the methods over HTTP. */
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
  const members = config.development?.members ?? [];
  const psiAt = (port: number) => members.find((each) => each.port === port)?.psi;
  const open = async (host: string, port: number): Promise<{ server: Server; port: number }> => {
    const server = await serveHttp(dispatcher, {
      host,
      port,
      psi: psiAt(port),
      vhosts: rpc.vhosts,
      corsDomains: rpc.corsDomains,
      prefix: rpc.prefix,
      pages,
      // The explorer's page shows the private state of the usual port.
      site: port === rpc.http?.port ? site : undefined,
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
  for (const { port } of members) await serveMember(port);
  if (rpc.ipc) ends.push(await serveIpc(dispatcher, rpc.ipc, traffic, members[0]?.psi));
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

  async function serveWs(ws: WebSocketConfig): Promise<string> {
    const { host, port, prefix } = ws;
    const isShared = http !== undefined && port === rpc.http!.port && port !== 0;
    const target = isShared ? http : await open(host, port);
    upgrade(target.server, ws, psiAt(target.port));
    return `ws${access.tls ? 's' : ''}://${host}:${target.port}${prefix}`;
  }

  /** Serves a member's own port: HTTP and WebSocket, with the settings of the usual ports. */
  async function serveMember(port: number): Promise<void> {
    const usual = [rpc.http, rpc.ws].filter((each) => each !== undefined);
    if (usual.length === 0 || usual.some((each) => each.port === port)) return;
    const { server } = await open(usual[0]!.host, port);
    if (rpc.ws) upgrade(server, rpc.ws, psiAt(port));
  }

  function upgrade(
    server: Server,
    { origins, prefix }: WebSocketConfig,
    psi: string | undefined,
  ): void {
    const { authenticate } = access;
    ends.push(serveWebSocket(dispatcher, server, { origins, prefix, authenticate, traffic, psi }));
  }
}

function json(status: number, body: object): Page {
  return { status, contentType: 'application/json', body: `${JSON.stringify(body)}\n` };
}

function momentNow(): Moment {
  return { nowMs: systemClock.nowMs(), upMs: process.uptime() * 1000 };
}
