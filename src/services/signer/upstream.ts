/** The node behind the proxy: JSON-RPC over kept connections, and what its failures mean. */

import type * as https from 'node:https';
import type { AgentOptions } from 'node:https';
import { refuse } from '../../core/signing/failures.ts';
import { HttpClient } from '../../io/host/http-client.ts';
import { type HttpProxy, proxyAuthorization } from '../../io/http/proxy-tunnel.ts';
import type { HeaderList, Upstream, UpstreamAnswer, UpstreamCall } from './proxy/ports.ts';

const RESPONSE_BYTES_MAX = 64 * 1024 * 1024;
const IDLE_SOCKET_MS = 60_000;

export interface UpstreamSettings {
  readonly host: string;
  readonly port: number;
  /** In front of every path. */
  readonly path: string;
  /** Of one request, and of dialing. */
  readonly timeoutMs: number;
  readonly connectionsMax: number;
  /** Makes the agent for TLS; undefined: plain HTTP. */
  readonly secureAgent: ((pool: AgentOptions) => https.Agent) | undefined;
  /** On the way to a node that speaks plain HTTP; to others, the agent goes by it. */
  readonly proxy?: HttpProxy | undefined;
}

/** Codes of a connection that never came about: nothing was sent. */
const UNREACHABLE: ReadonlySet<string> = new Set([
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL'],
]);

export class HttpUpstream implements Upstream {
  private readonly client: HttpClient;
  private readonly base: URL;
  private readonly prefix: string;
  /** What stands in front of each path where a proxy is asked, and what it wants to see. */
  private readonly absolute: string;
  private readonly proxyHeaders: readonly string[];

  constructor(settings: UpstreamSettings) {
    const { secureAgent, host, port, timeoutMs } = settings;
    const node = authority({ host, port });
    const proxy = secureAgent ? undefined : settings.proxy;
    this.base = new URL(`${secureAgent ? 'https' : 'http'}://${proxy ? authority(proxy) : node}`);
    this.absolute = proxy ? `http://${node}` : '';
    this.proxyHeaders = proxy ? ['Host', node, ...proxyAuthorization(proxy)] : [];
    this.prefix = settings.path;
    this.client = new HttpClient({
      dialTimeoutMs: timeoutMs,
      timeoutMs,
      idleTimeoutMs: IDLE_SOCKET_MS,
      responseBytesMax: RESPONSE_BYTES_MAX,
      socketsMax: settings.connectionsMax,
      secureAgent,
    });
  }

  async post({ body, path, headers }: UpstreamCall): Promise<UpstreamAnswer> {
    try {
      const {
        status,
        rawHeaders,
        body: answer,
      } = await this.client.request({
        method: 'POST',
        url: this.base,
        path: this.absolute + joinPaths(this.prefix, path),
        headers: withLength([...this.proxyHeaders, ...headers], Buffer.byteLength(body)),
        body,
      });
      return { status, headers: rawHeaders, body: textOf(answer) };
    } catch (error) {
      throw failureOf(error);
    }
  }

  close(): void {
    this.client.close();
  }
}

function authority({ host, port }: { readonly host: string; readonly port: number }): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
}

function withLength(headers: HeaderList, length: number): (readonly [string, string])[] {
  const pairs: [string, string][] = [];
  let hasType = false;
  for (let at = 0; at + 1 < headers.length; at += 2) {
    pairs.push([headers[at]!, headers[at + 1]!]);
    hasType ||= headers[at]!.toLowerCase() === 'content-type';
  }
  if (!hasType) pairs.push(['Content-Type', 'application/json']);
  pairs.push(['Content-Length', String(length)]);
  return pairs;
}

/** `/` + prefix + `/` + path with single slashes, none at the end but for `/` alone; the query stays. */
function joinPaths(prefix: string, path: string): string {
  const cut = path.indexOf('?');
  const [name, query] = cut < 0 ? [path, ''] : [path.slice(0, cut), path.slice(cut)];
  const joined = `/${prefix}/${name}`.replace(/\/+/g, '/').replace(/(.)\/$/, '$1');
  return joined + query;
}

/** Names what happened as the client is told it, and whether anything can have reached the node. */
function failureOf(error: unknown): Error {
  const { message, cause } = error as { message: string; cause?: { code?: string } };
  const code = cause?.code ?? '';
  if (message === 'request timed out')
    return refuse('SIGNER_UPSTREAM_TIMEOUT', 'no answer in time');
  if (message === 'i/o timeout' || UNREACHABLE.has(code))
    return refuse('SIGNER_UPSTREAM_UNREACHABLE', 'the node cannot be reached');
  if (/^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|EPROTO|ERR_OSSL)/.test(code))
    return refuse('SIGNER_UPSTREAM_TLS', 'the TLS connection to the node failed');
  return refuse('SIGNER_UPSTREAM_BROKEN', 'the connection to the node broke');
}
