/**
 * The HTTP side of the proxy: JSON-RPC on every path, REST routes, and one answer for all other
 * requests.
 */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer, type Server as SecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Holding } from '../../core/base/byte-budget.ts';
import { type Guard, type Identity, isRefusal } from '../../core/signing/guard.ts';
import { addressBlock } from '../../io/http/address-block.ts';
import { readBody } from '../../io/http/body.ts';
import { listen } from '../../io/http/listen.ts';
import type { HttpReply, HttpRequest, Route } from '../../io/http/server.ts';
import { guardServer, type ServerTrust, serverOptions } from '../../io/http/tls-trust.ts';
import { REQUEST_OVERHEAD_BYTES, type Traffic } from '../../io/http/traffic.ts';
import { toClient, toNode } from './forwarded-headers.ts';
import type { Pipeline } from './proxy/pipeline.ts';
import { type Reply, refusalReply } from './proxy/reply.ts';
import type { Caller } from './proxy/transaction-signer.ts';

const CONNECTIONS_MAX = 10_000;
const REQUEST_MS = 60_000;
const NOT_FOUND = '<html><body><h1>Resource not found</h1></body></html>';
/** How often idle connections are closed during shutdown. */
const SWEEP_MS = 50;
const JSON_MEDIA = 'application/json';

export interface ServeOptions {
  readonly host: string;
  readonly port: number;
  readonly bodyBytesMax: number;
  /** A kept-alive connection without requests is closed after this time. */
  readonly idleMs: number;
  /** How long pending requests may take at shutdown. */
  readonly drainMs: number;
  readonly tls: ServerTrust | undefined;
  /** Limits shared with the WebSocket side. */
  readonly traffic: Traffic;
  readonly pipeline: Pipeline;
  readonly guard: Guard;
  /** Whether the client's credentials are passed to the node. */
  readonly forwardsAuthorization: boolean;
  readonly routes: readonly Route[];
  /** Checks host list and CORS: sets headers; returns true if it has already answered. */
  readonly admit: (request: IncomingMessage, response: ServerResponse) => boolean;
  /** Called for each request before anything else. */
  readonly watch?: ((request: IncomingMessage, response: ServerResponse) => void) | undefined;
}

export interface SignerServer {
  readonly server: Server;
  readonly port: number;
  /** Stops accepting connections; resolves when all requests are answered. */
  drain(): Promise<void>;
}

/** Throws SIGNER_LISTEN_FAILED when it cannot listen on the address. */
export async function serveSigner(options: ServeOptions): Promise<SignerServer> {
  const front = new Front(options);
  const limits = { requestTimeout: REQUEST_MS, keepAliveTimeout: options.idleMs, noDelay: true };
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    front.respond(request, response).catch(() => response.destroy());
  };
  const server = options.tls
    ? createSecureServer({ ...limits, ...serverOptions(options.tls) }, answer)
    : createServer(limits, answer);
  if (options.tls) guardServer(server as SecureServer, options.tls);
  server.maxConnections = CONNECTIONS_MAX;
  const { host, port } = options;
  await listen(server, { kind: 'tcp', host, port }, 'SIGNER_LISTEN_FAILED');
  return {
    server,
    port: (server.address() as AddressInfo).port,
    drain: () => {
      front.isDraining = true;
      return drained(server, options.drainMs);
    },
  };
}

/** Kept-alive connections end after their pending answer; those that take too long are closed. */
function drained(server: Server, limitMs: number): Promise<void> {
  return new Promise((resolve) => {
    const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
    const limit = setTimeout(() => server.closeAllConnections(), limitMs);
    server.close(() => {
      clearInterval(sweep);
      clearTimeout(limit);
      resolve();
    });
    server.closeIdleConnections();
  });
}

/** Common name in the certificate of a TLS client. */
export function certificateOf({ socket }: IncomingMessage): string | undefined {
  const shown = (socket as Partial<TLSSocket>).getPeerCertificate?.();
  const name = shown?.subject?.CN;
  return Array.isArray(name) ? name[0] : name;
}

class Front {
  private readonly options: ServeOptions;
  isDraining = false;

  constructor(options: ServeOptions) {
    this.options = options;
  }

  async respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { options } = this;
    options.watch?.(request, response);
    if (this.isDraining) return text(response, 503, 'Service Unavailable');
    if (options.admit(request, response)) return;
    const path = request.url ?? '/';
    const length = Number(request.headers['content-length'] ?? 0);
    if (length > options.bodyBytesMax) return text(response, 413, 'Request Entity Too Large');
    const route = findRoute(options.routes, request.method ?? '', path);
    if (!route && request.method !== 'POST') return notFound(response);
    const held = this.hold(request, response);
    if (!held.take(REQUEST_OVERHEAD_BYTES)) return text(response, 503, 'Service Unavailable');
    // Identifies the caller before reading the body.
    const identity = route ? undefined : await this.identify(request);
    if (identity && isRefusal(identity)) {
      response.setHeader('connection', 'close');
      return send(response, refusalReply('null', identity));
    }
    const body = await readBody(request, held, options.bodyBytesMax);
    if (body === 'gone') return;
    if (body === 'large') return text(response, 413, 'Request Entity Too Large');
    if (body === 'busy') return text(response, 503, 'Service Unavailable');
    if (route) sendReply(response, await runRoute(route, request, body));
    else if (identity) await this.rpc(request, response, body, identity);
  }

  /** Held until the client has received the answer or disconnected. */
  private hold(request: IncomingMessage, response: ServerResponse): Holding {
    const { requests } = this.options.traffic;
    const held = requests.open(addressBlock(request.socket.remoteAddress));
    response.once('close', () => held.release());
    return held;
  }

  private identify(request: IncomingMessage) {
    return this.options.guard.identify({
      authorization: request.headers.authorization,
      certificate: certificateOf(request),
      remote: request.socket.remoteAddress ?? '',
    });
  }

  private async rpc(
    request: IncomingMessage,
    response: ServerResponse,
    body: Buffer,
    identity: Identity,
  ): Promise<void> {
    const { pipeline, forwardsAuthorization, traffic } = this.options;
    const path = request.url ?? '/';
    const headers = toNode(request.rawHeaders, forwardsAuthorization);
    const caller: Caller = { identity, headers, path };
    const reply = await pipeline.handle(body.toString('utf8'), caller);
    if (response.destroyed) return;
    if (reply.isForeign && !isRoot(path)) return notFound(response);
    const unsent = traffic.unsent.open('', () => response.destroy());
    response.once('close', () => unsent.release());
    unsent.force(reply.body.length);
    response.setTimeout(traffic.stallMs, () => response.destroy());
    send(response, reply);
    traffic.unsent.relieve();
  }
}

function isRoot(path: string): boolean {
  return path === '/' || path.startsWith('/?');
}

function send(response: ServerResponse, { status, body, headers }: Reply): void {
  if (headers) {
    const kept = toClient(headers);
    for (let at = 0; at + 1 < kept.length; at += 2) response.appendHeader(kept[at]!, kept[at + 1]!);
  } else {
    response.setHeader('Content-Type', JSON_MEDIA);
  }
  response.setHeader('Content-Length', Buffer.byteLength(body));
  response.statusCode = status;
  // A string is sent together with the headers in one write.
  response.end(body);
}

function text(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'content-type': 'text/plain', connection: 'close' }).end(body);
}

function notFound(response: ServerResponse): void {
  response.writeHead(404, { 'content-type': 'text/html', 'content-length': NOT_FOUND.length });
  response.end(NOT_FOUND);
}

// --- REST ---------------------------------------------------------------------------------------------------------

interface Found {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
}

function findRoute(routes: readonly Route[], method: string, target: string): Found | undefined {
  if (routes.length === 0 || !URL.canParse(target, 'http://localhost')) return undefined;
  const url = new URL(target, 'http://localhost');
  const parts = url.pathname.split('/');
  for (const route of routes) {
    const params = route.method === method ? matched(route.path.split('/'), parts) : undefined;
    if (params) return { route, params, query: Object.fromEntries(url.searchParams) };
  }
  return undefined;
}

function matched(
  pattern: readonly string[],
  parts: readonly string[],
): Record<string, string> | undefined {
  if (pattern.length !== parts.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, each] of pattern.entries()) {
    const part = parts[index]!;
    if (!each.startsWith(':')) {
      if (each !== part) return undefined;
      continue;
    }
    try {
      params[each.slice(1)] = decodeURIComponent(part);
    } catch {
      return undefined;
    }
  }
  return params;
}

function runRoute(
  found: Found,
  request: IncomingMessage,
  body: Buffer,
): HttpReply | Promise<HttpReply> {
  const shown: HttpRequest = {
    params: found.params,
    query: found.query,
    header: (name) => {
      const value = request.headers[name.toLowerCase()];
      return Array.isArray(value) ? value.join(',') : value;
    },
    body,
    certificate: certificateOf(request),
    remote: request.socket.remoteAddress,
  };
  return found.route.handle(shown);
}

function sendReply(
  response: ServerResponse,
  { status, type, body, headers = {} }: HttpReply,
): void {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  response.writeHead(status, { ...headers, 'content-type': type });
  response.end(bytes);
}
