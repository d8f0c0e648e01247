/**
 * JSON-RPC over HTTP/1.1 with geth's statuses, headers and limits (go-ethereum rpc/http.go,
 * node/rpcstack.go).
 */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { isIP } from 'node:net';
import { gzip } from 'node:zlib';
import { listen } from '../http/listen.ts';
import type { Access, Authenticate } from './access.ts';
import type { Caller, Dispatcher, Reply } from './dispatcher.ts';

export const HTTP_BODY_BYTES_MAX = 5 * 1024 * 1024;
const CONTENT_TYPES = new Set([
  'application/json',
  'application/json-rpc',
  'application/jsonrequest',
]);
const GZIP_BYTES_MIN = 1_400;
/** Bodies of all requests that are read or worked on; beyond it new ones are refused. */
const BODIES_BYTES_MAX = 256 * 1024 * 1024;
const CONNECTIONS_MAX = 10_000;

/** Of one server. */
interface Load {
  bodyBytes: number;
}

/** PEM, and the suites to offer in OpenSSL's names. */
export interface ServerTls {
  readonly cert: string;
  readonly key: string;
  readonly ciphers: string | undefined;
}

export interface HttpOptions {
  readonly host: string;
  readonly port: number;
  /** Host names that a request may name; `*` is any. */
  readonly vhosts: readonly string[];
  /** Origins that browsers may come from; `*` is any, none means no CORS headers. */
  readonly corsDomains: readonly string[];
  /** Path in front of the API, '' for none. */
  readonly prefix: string;
  /** Further GET paths, such as `/health`. */
  readonly pages: ReadonlyMap<string, () => Page>;
  readonly authenticate: Authenticate;
  /** undefined: without TLS. */
  readonly tls?: ServerTls | undefined;
}

export interface Page {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

export interface RpcHttpServer {
  readonly server: Server;
  readonly port: number;
  close(): Promise<void>;
}

/** Rejects with RPC_LISTEN_FAILED. */
export async function serveHttp(
  dispatcher: Pick<Dispatcher<never>, 'reply'>,
  options: HttpOptions,
): Promise<RpcHttpServer> {
  const load: Load = { bodyBytes: 0 };
  const limits = { requestTimeout: 30_000, keepAliveTimeout: 120_000 };
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    respond(dispatcher, options, load, request, response).catch(() => response.destroy());
  };
  const server = options.tls
    ? createSecureServer({ ...limits, ...options.tls, minVersion: 'TLSv1.2' }, answer)
    : createServer(limits, answer);
  server.maxConnections = CONNECTIONS_MAX;
  const { host, port } = options;
  await listen(server, { kind: 'tcp', host, port }, 'RPC_LISTEN_FAILED');
  return {
    server,
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function respond(
  dispatcher: Pick<Dispatcher<never>, 'reply'>,
  options: HttpOptions,
  load: Load,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = urlOf(request);
  if (!url) return plain(response, 400, 'malformed request target');
  if (!isAllowedHost(request.headers.host, options.vhosts))
    return plain(response, 403, 'invalid host specified');
  setCors(options, request, response);
  if (request.method === 'OPTIONS' && options.corsDomains.length > 0) {
    response.writeHead(200, { 'content-length': '0' }).end();
    return;
  }
  const page =
    request.method === 'GET' || request.method === 'HEAD'
      ? options.pages.get(url.pathname)
      : undefined;
  if (page) return sendPage(response, page());
  if (!isApiPath(url.pathname, options.prefix)) {
    response.writeHead(404, { 'content-length': '0' }).end();
    return;
  }
  const refusal = refuse(request, url);
  if (refusal) {
    if (refusal.text === '') response.writeHead(refusal.status, { 'content-length': '0' }).end();
    else plain(response, refusal.status, refusal.text);
    return;
  }
  if (load.bodyBytes > BODIES_BYTES_MAX) return plain(response, 503, 'too many requests at once');
  const [body, access] = await Promise.all([
    readBody(request, load),
    options.authenticate(request.headers.authorization),
  ]);
  try {
    if (response.destroyed) return;
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const caller = callerOf(request, url, access);
    send(request, response, await dispatcher.reply(body, caller, undefined, gone.signal));
  } finally {
    load.bodyBytes -= body.length;
  }
}

/** geth answers a bare GET with 200 (health probes), and refuses what cannot be a call. */
function refuse(request: IncomingMessage, url: URL): { status: number; text: string } | undefined {
  const length = Number(request.headers['content-length'] ?? 0);
  const method = request.method ?? '';
  if (method === 'HEAD') return { status: 200, text: '' };
  if (method === 'GET' && length === 0 && url.search === '') return { status: 200, text: '' };
  if (method === 'PUT' || method === 'DELETE') return { status: 405, text: 'method not allowed' };
  if (length > HTTP_BODY_BYTES_MAX) {
    return { status: 413, text: `content length too large (${length}>${HTTP_BODY_BYTES_MAX})` };
  }
  if (method === 'OPTIONS') return undefined;
  const type = (request.headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase();
  if (!CONTENT_TYPES.has(type))
    return { status: 415, text: 'invalid content type, only application/json is supported' };
  return undefined;
}

/** undefined: the target of the request is no URL. */
export function urlOf({ url = '/' }: Pick<IncomingMessage, 'url'>): URL | undefined {
  return URL.canParse(url, 'http://localhost') ? new URL(url, 'http://localhost') : undefined;
}

/** At most the limit: what comes after is cut, as GoQuorum does, and fails to parse. */
function readBody(request: IncomingMessage, load: Load): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    let isDone = false;
    const finish = (text: string) => {
      if (isDone) return;
      isDone = true;
      load.bodyBytes += text.length - length;
      resolve(text);
    };
    request.on('data', (chunk: Buffer) => {
      if (length < HTTP_BODY_BYTES_MAX)
        chunks.push(chunk.subarray(0, HTTP_BODY_BYTES_MAX - length));
      length += chunk.length;
      load.bodyBytes += chunk.length;
    });
    request.once('end', () => finish(Buffer.concat(chunks).toString('utf8')));
    request.once('error', () => finish(''));
    request.once('close', () => finish(''));
  });
}

export function callerOf(
  request: IncomingMessage,
  url: URL,
  access: Access,
  transport: Caller['transport'] = 'http',
): Caller {
  return {
    transport,
    psi: psiOf(request, url),
    access,
    remote: request.socket.remoteAddress ?? '',
    connection: connectionOf(request.socket),
  };
}

const connections = new WeakMap<object, number>();
let lastConnection = 0;

/** A number that no other connection of this process has. */
export function connectionOf(socket: object): number {
  const known = connections.get(socket);
  if (known !== undefined) return known;
  connections.set(socket, ++lastConnection);
  return lastConnection;
}

/**
 * COMPAT: the header counts before the URL, whatever GoQuorum's documentation says; an empty name
 * is none.
 */
function psiOf({ headers }: IncomingMessage, url: URL): string | undefined {
  for (const header of [headers['quorum-psi'], headers['ledger-psi']].flat()) {
    if (header) return header;
  }
  return url.searchParams.get('PSI') || undefined;
}

function send(request: IncomingMessage, response: ServerResponse, reply: Reply): void {
  if (response.destroyed) return;
  const isText = typeof reply === 'string';
  const bytes = isText
    ? Buffer.from(reply === '' ? '' : `${reply}\n`)
    : Buffer.from(reply.buffer, reply.byteOffset, reply.length);
  response.setHeader('content-type', 'application/json');
  const wantsGzip = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
  if (!wantsGzip || bytes.length < GZIP_BYTES_MIN) {
    response.writeHead(200, { 'content-length': String(bytes.length) }).end(bytes);
    return;
  }
  gzip(bytes, { level: 1 }, (error, packed) => {
    if (error) response.writeHead(200, { 'content-length': String(bytes.length) }).end(bytes);
    else
      response
        .writeHead(200, { 'content-encoding': 'gzip', 'content-length': String(packed.length) })
        .end(packed);
  });
}

function sendPage(response: ServerResponse, page: Page): void {
  const body = Buffer.from(page.body);
  response
    .writeHead(page.status, {
      'content-type': page.contentType,
      'content-length': String(body.length),
    })
    .end(body);
}

function plain(response: ServerResponse, status: number, text: string): void {
  response
    .writeHead(status, {
      'content-type': 'text/plain; charset=utf-8',
      'x-content-type-options': 'nosniff',
      connection: 'close',
      'content-length': String(Buffer.byteLength(text) + 1),
    })
    .end(`${text}\n`);
}

function setCors(options: HttpOptions, request: IncomingMessage, response: ServerResponse): void {
  if (options.corsDomains.length === 0) return;
  const isPreflight = request.method === 'OPTIONS';
  response.setHeader(
    'vary',
    isPreflight
      ? 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers'
      : 'Origin',
  );
  const origin = request.headers.origin;
  if (origin === undefined) return;
  const isAny = options.corsDomains.includes('*');
  if (!isAny && !options.corsDomains.includes(origin)) return;
  response.setHeader('access-control-allow-origin', isAny ? '*' : origin);
  if (!isPreflight) return;
  response.setHeader(
    'access-control-allow-methods',
    request.headers['access-control-request-method'] ?? 'POST',
  );
  const headers = String(request.headers['access-control-request-headers'] ?? '');
  response.setHeader(
    'access-control-allow-headers',
    headers.replace(/\b[a-z]/g, (letter) => letter.toUpperCase()),
  );
  response.setHeader('access-control-max-age', '600');
}

export function isAllowedHost(host: string | undefined, vhosts: readonly string[]): boolean {
  if (host === undefined || vhosts.includes('*')) return true;
  const name = host.startsWith('[') ? host.slice(1, host.indexOf(']')) : host.replace(/:\d+$/, '');
  return isIP(name) !== 0 || vhosts.includes(name.toLowerCase());
}

function isApiPath(path: string, prefix: string): boolean {
  return prefix === '' ? path === '/' : path.startsWith(prefix);
}
