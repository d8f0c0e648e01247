/**
 * JSON-RPC over HTTP/1.1 with geth's statuses, headers and limits (go-ethereum rpc/http.go,
 * node/rpcstack.go).
 */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type BodyRefusal, readBody } from '../http/body.ts';
import { listen } from '../http/listen.ts';
import { newTraffic, REQUEST_OVERHEAD_BYTES, type Traffic, UnsentRoom } from '../http/traffic.ts';
import { TRACEPARENT } from '../telemetry/trace-context.ts';
import { type Access, type Authenticate, NO_ACCESS_CONTROL, OPEN } from './access.ts';
import { connectionOf } from './connection.ts';
import type { Caller, Dispatcher, Reply } from './dispatcher.ts';
import { PARSE_ERROR } from './envelope.ts';
import { serveFastPath } from './fast-path.ts';
import { isAllowedHost } from './hosts.ts';
import { answerOf, packed, SHORT_CHARACTERS_MAX } from './http-answer.ts';
import { freeMoved } from './moved-reply.ts';

export const HTTP_BODY_BYTES_MAX = 5 * 1024 * 1024;
const CONTENT_TYPES = new Set([
  'application/json',
  'application/json-rpc',
  'application/jsonrequest',
]);
const TOO_MUCH = 'too many requests at once';
/**
 * Maximum body of a caller whose token is refused: enough to answer with the ids of its requests.
 */
const REFUSED_BODY_BYTES_MAX = 64 * 1024;
const HEADER_BYTES_MAX = 16 * 1024;
const KEEP_ALIVE_MS = 120_000;
const CONNECTIONS_MAX = 10_000;

/** Certificate and key in PEM, and the cipher suites to offer by OpenSSL's names. */
export interface ServerTls {
  readonly cert: string;
  readonly key: string;
  readonly ciphers: string | undefined;
}

export interface HttpOptions {
  readonly host: string;
  readonly port: number;
  /** Host names that a request may contain; `*`: any. */
  readonly vhosts: readonly string[];
  /** Origins from which browsers may call; `*`: any; empty: no CORS headers. */
  readonly corsDomains: readonly string[];
  /** Prefix of the API's path; '': none. */
  readonly prefix: string;
  /** Further GET paths, such as `/health`. */
  readonly pages: ReadonlyMap<string, () => Page>;
  /** Pages for people, below a separate path; undefined: none. */
  readonly site?: Site | undefined;
  /** Further APIs, by path. */
  readonly endpoints?: ReadonlyMap<string, Endpoint> | undefined;
  readonly authenticate: Authenticate;
  /** undefined: without TLS. */
  readonly tls?: ServerTls | undefined;
  /** The private state of every request, whichever it names; undefined: the one that it names. */
  readonly psi?: string | undefined;
  /** Shared with the other servers; undefined: separate. */
  readonly traffic?: Traffic | undefined;
  /** Maximum number of simultaneous connections; undefined: CONNECTIONS_MAX. */
  readonly connectionsMax?: number;
}

interface ServedOptions extends HttpOptions {
  readonly traffic: Traffic;
}

export interface Page {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** Pages that answer GET for every path that they include. */
export interface Site {
  has(path: string): boolean;
  /** `header` returns a header of the request, by its name in lower case. */
  answer(path: string, header: (name: string) => string | undefined): SiteReply;
}

export interface SiteReply {
  readonly status: number;
  readonly type: string;
  readonly body: string | Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
}

/** An API in addition to JSON-RPC, with its own hosts and origins. */
export interface Endpoint extends Pick<HttpOptions, 'vhosts' | 'corsDomains'> {
  /** Resolves also for a fault of the request. `signal`: the caller is gone. */
  answer(body: string, caller: Caller, signal: AbortSignal): Promise<Page>;
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
  const traffic = options.traffic ?? newTraffic();
  const { requestMs } = traffic;
  const limits = {
    ...{ requestTimeout: requestMs, headersTimeout: requestMs, keepAliveTimeout: KEEP_ALIVE_MS },
    ...{ connectionsCheckingInterval: Math.ceil(requestMs / 6), maxHeaderSize: HEADER_BYTES_MAX },
  };
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    respond(dispatcher, { ...options, traffic }, request, response).catch(() => response.destroy());
  };
  const server = options.tls
    ? createSecureServer({ ...limits, ...options.tls, minVersion: 'TLSv1.2' }, answer)
    : createServer(limits, answer);
  const endFastPath = fastPath(server, dispatcher, { ...options, traffic });
  server.maxConnections = options.connectionsMax ?? CONNECTIONS_MAX;
  const { host, port } = options;
  await listen(server, { kind: 'tcp', host, port }, 'RPC_LISTEN_FAILED');
  return {
    server,
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
        endFastPath();
      }),
  };
}

/** Only for servers without tokens. Returns a function that ends its connections. */
function fastPath(
  server: Server,
  dispatcher: Pick<Dispatcher<never>, 'reply'>,
  { authenticate, prefix, tls, traffic, psi, vhosts, corsDomains }: ServedOptions,
): () => void {
  if (authenticate !== NO_ACCESS_CONTROL || !isApiPath('/', prefix)) return () => undefined;
  return serveFastPath(server, tls ? 'secureConnection' : 'connection', {
    ...{ dispatcher, traffic, psi, access: OPEN, keepAliveMs: KEEP_ALIVE_MS },
    headers: corsDomains.length > 0 ? 'vary: Origin\r\n' : '',
    isAllowed: ({ host, contentType }) => isAllowedHost(host, vhosts) && isJson(contentType),
  });
}

async function respond(
  dispatcher: Pick<Dispatcher<never>, 'reply'>,
  options: ServedOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = urlOf(request);
  if (!url) return plain(response, 400, 'malformed request target');
  const endpoint = options.endpoints?.get(url.pathname);
  const { vhosts, corsDomains } = endpoint ?? options;
  if (!isAllowedHost(request.headers.host, vhosts))
    return plain(response, 403, 'invalid host specified');
  setCors(corsDomains, request, response);
  if (request.method === 'OPTIONS' && corsDomains.length > 0) {
    response.writeHead(200, { 'content-length': '0' }).end();
    return;
  }
  if (request.method === 'GET' || request.method === 'HEAD') {
    const page = options.pages.get(url.pathname);
    if (page) return sendPage(response, page());
    if (options.site?.has(url.pathname)) return sendSite(options.site, url, request, response);
  }
  if (!endpoint && !isApiPath(url.pathname, options.prefix)) {
    response.writeHead(404, { 'content-length': '0' }).end();
    return;
  }
  const refusal = endpoint ? undefined : refuse(request, url);
  if (refusal) {
    if (refusal.text === '') response.writeHead(refusal.status, { 'content-length': '0' }).end();
    else plain(response, refusal.status, refusal.text);
    return;
  }
  const { requests, unsent } = options.traffic;
  const { source, gone } = connectionOf(request.socket);
  const held = requests.open(source);
  const reply = unsent.open(source, () => response.destroy());
  response.once('close', () => {
    held.release();
    reply.release();
  });
  if (!held.take(REQUEST_OVERHEAD_BYTES)) return plain(response, 503, TOO_MUCH);
  const access = await options.authenticate(request.headers.authorization);
  const bytesMax = access.kind === 'refused' ? REFUSED_BODY_BYTES_MAX : HTTP_BODY_BYTES_MAX;
  const body = await readBody(request, held, bytesMax);
  if (response.destroyed) return;
  if (body === 'busy') return plain(response, 503, TOO_MUCH);
  if (body === 'large' && access.kind === 'refused') return plain(response, 401, access.why);
  if (body === 'large' && endpoint) return plain(response, 413, 'the body is too long');
  const caller = callerOf(request, url, access, 'http', options.psi);
  const room = new UnsentRoom(unsent, reply);
  const answer = endpoint
    ? await endpoint.answer(String(body), caller, gone)
    : await rpcAnswer((text) => dispatcher.reply(text, caller, undefined, gone, room), body);
  room.release();
  if (response.destroyed) return;
  if (typeof body === 'string') response.setHeader('connection', 'close');
  reply.force(answer.body.length);
  const zipped = acceptsGzip(request) ? await packed(answer.body) : undefined;
  send(response, answer, zipped);
  // Most answers are already with the system.
  if (response.writableLength > 0 || !response.writableEnded)
    response.setTimeout(options.traffic.stallMs, () => response.destroy());
  unsent.relieve();
}

interface Answer extends Omit<Page, 'body'> {
  readonly body: string | Uint8Array;
}

async function rpcAnswer(
  dispatch: (text: string) => Promise<Reply>,
  body: Buffer | BodyRefusal,
): Promise<Answer> {
  // COMPAT: GoQuorum truncates a body whose length was not announced, and then fails to parse it.
  const reply = typeof body === 'string' ? PARSE_ERROR : await dispatch(String(body));
  return { status: 200, contentType: 'application/json', body: answerOf(reply) };
}

/** geth answers a bare GET with 200 (health probes), and refuses requests that cannot be a call. */
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
  if (!isJson(request.headers['content-type'] ?? ''))
    return { status: 415, text: 'invalid content type, only application/json is supported' };
  return undefined;
}

function isJson(contentType: string): boolean {
  return CONTENT_TYPES.has(contentType.split(';')[0]!.trim().toLowerCase());
}

const ROOT = new URL('http://localhost/');

/** undefined: the request's target is not a valid URL. */
export function urlOf({ url = '/' }: Pick<IncomingMessage, 'url'>): URL | undefined {
  if (url === '/') return ROOT;
  return URL.canParse(url, ROOT.href) ? new URL(url, ROOT) : undefined;
}

export function callerOf(
  request: IncomingMessage,
  url: URL,
  access: Access,
  transport: Caller['transport'],
  psi: string | undefined,
): Caller {
  const { remote, number } = connectionOf(request.socket);
  const traceparent = request.headers[TRACEPARENT];
  return {
    transport,
    psi: psi ?? psiOf(request, url),
    access,
    remote,
    connection: number,
    traceparent: typeof traceparent === 'string' ? traceparent : undefined,
  };
}

/**
 * COMPAT: the header takes precedence over the URL, contrary to GoQuorum's documentation; an empty
 * name counts as none.
 */
function psiOf({ headers }: IncomingMessage, url: URL): string | undefined {
  for (const name of ['quorum-psi', 'ledger-psi']) {
    const named = headers[name];
    const first = typeof named === 'object' ? named.find((each) => each) : named;
    if (first) return first;
  }
  return url === ROOT ? undefined : url.searchParams.get('PSI') || undefined;
}

function send(
  response: ServerResponse,
  { status, contentType, body }: Answer,
  zipped: Uint8Array | undefined,
): void {
  const length =
    zipped?.length ?? (typeof body === 'string' ? Buffer.byteLength(body) : body.length);
  response.writeHead(status, {
    'content-type': contentType,
    ...(contentType === 'application/json' ? {} : { 'x-content-type-options': 'nosniff' }),
    ...(zipped && { 'content-encoding': 'gzip' }),
    'content-length': length,
  });
  if (typeof body !== 'string') response.end(zipped ?? body, () => freeMoved(body));
  else if (zipped) response.end(zipped);
  // With a text in this encoding the head is written together with it, in one call.
  else if (length <= SHORT_CHARACTERS_MAX && length === body.length) response.end(body, 'latin1');
  else response.end(Buffer.from(body));
}

function acceptsGzip({ headers }: IncomingMessage): boolean {
  return /\bgzip\b/.test(String(headers['accept-encoding'] ?? ''));
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

function sendSite(
  site: Site,
  { pathname }: URL,
  { headers: asked }: IncomingMessage,
  response: ServerResponse,
): void {
  const { status, type, body, headers } = site.answer(pathname, (name) => {
    const value = asked[name];
    return Array.isArray(value) ? value.join(',') : value;
  });
  const length = String(Buffer.byteLength(body));
  response.writeHead(status, { ...headers, 'content-type': type, 'content-length': length });
  response.end(body);
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

function setCors(
  corsDomains: readonly string[],
  request: IncomingMessage,
  response: ServerResponse,
): void {
  if (corsDomains.length === 0) return;
  const isPreflight = request.method === 'OPTIONS';
  response.setHeader(
    'vary',
    isPreflight
      ? 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers'
      : 'Origin',
  );
  const origin = request.headers.origin;
  if (origin === undefined) return;
  const isAny = corsDomains.includes('*');
  if (!isAny && !corsDomains.includes(origin)) return;
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

function isApiPath(path: string, prefix: string): boolean {
  return prefix === '' ? path === '/' : path.startsWith(prefix);
}
