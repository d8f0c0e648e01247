/**
 * HTTP servers of the services: routes over TCP or a unix socket, bounded bodies, errors as plain
 * text or JSON, and a graceful shutdown.
 */
import { chmod } from 'node:fs/promises';
import type * as https from 'node:https';
import { Readable } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { fail, hasCode } from '../../core/base/errors.ts';
import type { AllowList } from './allow-list.ts';
import { boundIntake, INTAKE, type IntakeBounds } from './intake.ts';
import { clearSocketPath, type ListenAddress, listenFault } from './listen.ts';
import { guardServer, isOfHost, type ServerTrust, serverOptions } from './tls-trust.ts';

const PARAMETER_CHARACTERS_MAX = 1024;
const KEEP_ALIVE_MS = 72_000;
/** A client that sends nothing of its request for this time is disconnected. */
const REQUEST_MS = 60_000;
const MS_PER_SECOND = 1_000;
const SOCKET_MODE = 0o600;
const LISTEN_FAILED = 'HTTP_LISTEN_FAILED';

export interface HttpRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | undefined>>;
  header(name: string): string | undefined;
  /**
   * Whether a header that may occur only once occurs several times: `header` then gives the first.
   * `name` is in lower case.
   */
  isRepeated?(name: string): boolean;
  readonly body: Uint8Array;
  /** Common name in a TLS client's certificate, if the server asks for one. */
  readonly certificate?: string | undefined;
  /** The client's address, if the server provides it. */
  readonly remote?: string | undefined;
  /** Whether the client's trusted certificate names this host. */
  readonly isOfHost?: (host: string) => boolean;
}

export interface HttpReply {
  readonly status: number;
  /** Media type. */
  readonly type: string;
  /** An iterable if the body is sent in pieces. */
  readonly body: string | Uint8Array | AsyncIterable<string>;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'OPTIONS';
  /** With `:name` for parameters, which `handle` receives decoded. */
  readonly path: string;
  /** One line for the list of operations in the documentation. */
  readonly about?: string;
  /** The limit of this route; undefined: the server's. */
  readonly bodyBytesMax?: number;
  handle(request: HttpRequest): HttpReply | Promise<HttpReply>;
}

/** Where a server listens. */
export type HttpAddress = ListenAddress;

export interface HttpServerOptions {
  readonly routes: readonly Route[];
  readonly address: HttpAddress;
  readonly bodyBytesMax: number;
  /**
   * Turns anything that a route throws into an answer; the server's own refusals are passed too,
   * with `statusCode`.
   */
  readonly failure: (error: unknown) => HttpReply;
  /** The answer for paths without a route; undefined: a line of text. */
  readonly missing?: HttpReply | undefined;
  readonly tls?: ServerTrust | undefined;
  /** Clients at other addresses get 401; undefined: all may connect. */
  readonly allowed?: AllowList | undefined;
  /**
   * Gives an answer instead of the route's, before any of the body is read; the connection is then
   * closed.
   */
  readonly refuse?: ((remote: string) => HttpReply | undefined) | undefined;
  /** undefined: INTAKE. */
  readonly intake?: IntakeBounds | undefined;
  /** Called for each answer after it was sent. */
  readonly answered?: ((answered: AnsweredRequest) => void) | undefined;
}

export interface AnsweredRequest {
  readonly method: string;
  /** Path as in the route's definition; undefined: there is no such route. */
  readonly route: string | undefined;
  readonly status: number;
  /** Time from the request's head to the last byte of the answer. */
  readonly seconds: number;
}

export interface HttpServer {
  /** `http://host:port` with the port that was bound, or `unix:/path`. */
  readonly url: string;
  /** Stops accepting, lets requests in progress finish, then closes connections. */
  close(): Promise<void>;
}

export function text(status: number, body: string): HttpReply {
  return { status, type: 'text/plain', body };
}

export function json(status: number, value: unknown): HttpReply {
  return { status, type: 'application/json', body: JSON.stringify(value) };
}

/** Throws HTTP_LISTEN_FAILED when it cannot listen on the address. */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  // Loaded when the first server starts: a node starts one only with some options.
  const { default: fastify } = await import('fastify');
  const app = fastify({
    // By default the server loads compilers of schemas, in a tenth of a manager's time to start.
    schemaController: { compilersFactory: { buildValidator: noSchema, buildSerializer: noSchema } },
    bodyLimit: options.bodyBytesMax,
    keepAliveTimeout: KEEP_ALIVE_MS,
    requestTimeout: REQUEST_MS,
    forceCloseConnections: 'idle',
    // Called for URLs that cannot be parsed: by default the server would repeat them, and its own
    // name.
    frameworkErrors: (error, _request, reply) => answer(reply, options.failure(error)),
    routerOptions: { maxParamLength: PARAMETER_CHARACTERS_MAX },
    ...(options.tls ? { https: serverOptions(options.tls) } : {}),
  }) as unknown as FastifyInstance;
  const { tls, allowed, refuse } = options;
  if (tls) guardServer(app.server as unknown as https.Server, tls);
  boundIntake(app, options.intake ?? INTAKE);
  if (allowed) {
    app.addHook('onRequest', async (request, reply) => {
      const address = request.raw.socket.remoteAddress ?? '';
      if (!(await allowed.allows(address))) return answer(reply, text(401, ''));
      return undefined;
    });
  }
  if (refuse) {
    app.addHook('onRequest', async (request, reply) => {
      const refusal = refuse(request.raw.socket.remoteAddress ?? '');
      if (!refusal) return undefined;
      reply.header('connection', 'close');
      return answer(reply, refusal);
    });
  }
  const { answered } = options;
  if (answered) {
    app.addHook('onResponse', (request, reply, done) => {
      const { method, is404, routeOptions } = request;
      answered({
        ...{ method, route: is404 ? undefined : routeOptions.url },
        ...{ status: reply.statusCode, seconds: reply.elapsedTime / MS_PER_SECOND },
      });
      done();
    });
  }
  // A GET request may have a body, because that of Tessera's /receive has one.
  app.addHttpMethod('GET', { hasBody: true, overrideExisting: true });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.setErrorHandler((error, _request, reply) => answer(reply, options.failure(error)));
  const missing = options.missing ?? text(404, 'HTTP 404 Not Found');
  app.setNotFoundHandler((_request, reply) => answer(reply, missing));
  for (const { method, path, bodyBytesMax, handle } of options.routes) {
    app.route({
      method,
      url: path,
      ...(bodyBytesMax === undefined ? {} : { bodyLimit: bodyBytesMax }),
      handler: async (request, reply) => answer(reply, await handle(toRequest(request, tls))),
    });
  }
  const url = await listen(app, options.address, options.tls !== undefined);
  return { url, close: () => app.close() };
}

/** Routes check what they get by themselves. */
function noSchema(): never {
  throw fail('INVARIANT_BROKEN', 'a route has a schema');
}

function toRequest(request: FastifyRequest, tls: ServerTrust | undefined): HttpRequest {
  return {
    params: request.params as Record<string, string>,
    query: request.query as Record<string, string | undefined>,
    header: (name) => {
      const value = request.headers[name.toLowerCase()];
      return Array.isArray(value) ? value.join(',') : value;
    },
    isRepeated: (name) => countOf(request.raw.rawHeaders, name) > 1,
    body: request.body instanceof Uint8Array ? request.body : new Uint8Array(0),
    remote: request.raw.socket.remoteAddress,
    isOfHost: (host) => tls !== undefined && isOfHost(request.raw.socket as TLSSocket, host, tls),
  };
}

/** `lines`: names and values, alternating. */
function countOf(lines: readonly string[], name: string): number {
  let count = 0;
  for (let at = 0; at < lines.length; at += 2) {
    const line = lines[at]!;
    if (line.length === name.length && line.toLowerCase() === name) count++;
  }
  return count;
}

function answer(reply: FastifyReply, { status, type, body, headers }: HttpReply): FastifyReply {
  if (headers) reply.headers(headers);
  if (isPieces(body))
    return reply.code(status).header('content-type', type).send(Readable.from(body));
  // Converted to bytes, so that no charset is added to the media type.
  const bytes =
    typeof body === 'string'
      ? Buffer.from(body)
      : Buffer.from(body.buffer, body.byteOffset, body.length);
  return reply.code(status).header('content-type', type).send(bytes);
}

function isPieces(body: HttpReply['body']): body is AsyncIterable<string> {
  return typeof body === 'object' && Symbol.asyncIterator in body;
}

async function listen(app: FastifyInstance, address: HttpAddress, tls: boolean): Promise<string> {
  try {
    if (address.kind === 'unix') {
      await clearSocketPath(address.path, LISTEN_FAILED);
      await app.listen({ path: address.path });
      await chmod(address.path, SOCKET_MODE);
      return `unix:${address.path}`;
    }
    await app.listen({ host: address.host, port: address.port });
    const bound = app.server.address();
    const port = typeof bound === 'object' && bound ? bound.port : address.port;
    return `${tls ? 'https' : 'http'}://${address.host}:${port}`;
  } catch (cause) {
    await app.close();
    throw hasCode(cause, LISTEN_FAILED) ? cause : listenFault(address, cause, LISTEN_FAILED);
  }
}
