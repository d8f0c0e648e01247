/** Connection to the node behind the proxy: JSON-RPC over kept-alive connections; maps failures. */

import type * as https from 'node:https';
import type { AgentOptions } from 'node:https';
import { refuse } from '../../core/signing/failures.ts';
import { HttpClient } from '../../io/http/http-client.ts';
import { type HttpProxy, proxyAuthorization } from '../../io/http/proxy-tunnel.ts';
import { WireClient, wireText } from '../../io/http/wire-client.ts';
import type { HeaderList, Upstream, UpstreamAnswer, UpstreamCall } from './proxy/ports.ts';

const RESPONSE_BYTES_MAX = 64 * 1024 * 1024;
const IDLE_SOCKET_MS = 60_000;

export interface UpstreamSettings {
  readonly host: string;
  readonly port: number;
  /** Prefix of every path. */
  readonly path: string;
  /** Time limits of one request, and of connecting. */
  readonly timeoutMs: number;
  readonly connectionsMax: number;
  /** Creates the agent for TLS; undefined: plain HTTP. */
  readonly secureAgent: ((pool: AgentOptions) => https.Agent) | undefined;
  /** HTTP proxy for a node with plain HTTP; with TLS the agent uses it. */
  readonly proxy?: HttpProxy | undefined;
}

/** Error codes of a connection that was never established: nothing was sent. */
const UNREACHABLE: ReadonlySet<string> = new Set([
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL'],
]);

export class HttpUpstream implements Upstream {
  private readonly prefix: string;
  private readonly client: NodeClient;

  constructor(settings: UpstreamSettings) {
    const isPlain = settings.secureAgent === undefined && settings.proxy === undefined;
    this.client = isPlain ? wireClient(settings) : httpClient(settings);
    this.prefix = settings.path;
  }

  async post({ body, path, headers }: UpstreamCall): Promise<UpstreamAnswer> {
    try {
      return await this.client.post(joinPaths(this.prefix, path), withType(headers), body);
    } catch (error) {
      throw failureOf(error);
    }
  }

  close(): void {
    this.client.close();
  }
}

interface NodeClient {
  post(path: string, headers: HeaderList, body: string): Promise<UpstreamAnswer>;
  close(): void;
}

/** The usual case: a node next to the proxy, without TLS. */
function wireClient({ host, port, timeoutMs, connectionsMax }: UpstreamSettings): NodeClient {
  const client = new WireClient({
    ...{ host, port, timeoutMs, connectionsMax, idleMs: IDLE_SOCKET_MS },
    responseBytesMax: RESPONSE_BYTES_MAX,
  });
  return {
    async post(path, headers, body) {
      const answer = await client.post(path, headers, body);
      const text = wireText(answer, RESPONSE_BYTES_MAX);
      return { status: answer.status, headers: answer.headers, body: text };
    },
    close: () => client.close(),
  };
}

/** With TLS, or through an HTTP proxy, which needs the full URL in each request. */
function httpClient(settings: UpstreamSettings): NodeClient {
  const { secureAgent, host, port, timeoutMs, connectionsMax } = settings;
  const node = authority({ host, port });
  const proxy = secureAgent ? undefined : settings.proxy;
  const url = new URL(`${secureAgent ? 'https' : 'http'}://${proxy ? authority(proxy) : node}`);
  const absolute = proxy ? `http://${node}` : '';
  const proxyHeaders = proxy ? ['Host', node, ...proxyAuthorization(proxy)] : [];
  const client = new HttpClient({
    ...{ dialTimeoutMs: timeoutMs, timeoutMs, idleTimeoutMs: IDLE_SOCKET_MS, secureAgent },
    ...{ responseBytesMax: RESPONSE_BYTES_MAX, socketsMax: connectionsMax },
  });
  return {
    async post(path, headers, body) {
      const length = String(Buffer.byteLength(body));
      const {
        status,
        rawHeaders,
        body: answer,
      } = await client.request({
        ...{ method: 'POST', url, path: absolute + path, body },
        headers: pairs([...proxyHeaders, ...headers, 'Content-Length', length]),
      });
      return { status, headers: rawHeaders, body: textOf(answer) };
    },
    close: () => client.close(),
  };
}

function authority({ host, port }: { readonly host: string; readonly port: number }): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
}

function withType(headers: HeaderList): HeaderList {
  for (let at = 0; at < headers.length; at += 2)
    if (headers[at]!.toLowerCase() === 'content-type') return headers;
  return [...headers, 'Content-Type', 'application/json'];
}

function pairs(headers: HeaderList): (readonly [string, string])[] {
  const found: (readonly [string, string])[] = [];
  for (let at = 0; at + 1 < headers.length; at += 2) found.push([headers[at]!, headers[at + 1]!]);
  return found;
}

/**
 * `/` + prefix + `/` + path with single slashes, and none at the end except for `/` alone; the
 * query is kept.
 */
function joinPaths(prefix: string, path: string): string {
  const cut = path.indexOf('?');
  const [name, query] = cut < 0 ? [path, ''] : [path.slice(0, cut), path.slice(cut)];
  const joined = `/${prefix}/${name}`.replace(/\/+/g, '/').replace(/(.)\/$/, '$1');
  return joined + query;
}

interface HttpFailure {
  readonly message: string;
  readonly cause?: { readonly code?: string };
  readonly data?: { readonly wasSent?: boolean };
}

/**
 * Converts a failure to the client's error, whose code tells whether anything may have reached the
 * node.
 */
function failureOf(error: unknown): Error {
  const { message, cause, data } = error as HttpFailure;
  const code = cause?.code ?? '';
  if (message === 'request timed out')
    return refuse('SIGNER_UPSTREAM_TIMEOUT', 'no answer in time');
  // The request may have arrived on an earlier connection, which broke.
  if (data?.wasSent) return refuse('SIGNER_UPSTREAM_BROKEN', 'the connection to the node broke');
  if (message === 'i/o timeout' || UNREACHABLE.has(code))
    return refuse('SIGNER_UPSTREAM_UNREACHABLE', 'the node cannot be reached');
  if (/^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|EPROTO|ERR_OSSL)/.test(code))
    return refuse('SIGNER_UPSTREAM_TLS', 'the TLS connection to the node failed');
  return refuse('SIGNER_UPSTREAM_BROKEN', 'the connection to the node broke');
}
