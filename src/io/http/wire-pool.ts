/** HttpClient's requests without TLS through WireClient: one for each server. */
import { type IncomingHttpHeaders, validateHeaderName, validateHeaderValue } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { fail } from '../../core/base/errors.ts';
import type { HttpAnswer, HttpCall, HttpClientOptions } from './http-call.ts';
import { WireClient } from './wire-client.ts';
import type { WireAnswer } from './wire-reader.ts';

/** Servers with open connections; others are forgotten when there are more. */
const SERVERS_MAX = 256;
const CONNECTIONS_MAX = 32;
const DEFAULT_PORT = 80;
const SPEAKABLE_PATH = /^[\x21-\x7e]+$/;

export class WirePool {
  private readonly options: HttpClientOptions;
  private readonly clients = new Map<string, WireClient>();

  constructor(options: HttpClientOptions) {
    this.options = options;
  }

  /** Undefined: the call is not for this pool, because of TLS or too many servers. */
  request(call: HttpCall): Promise<HttpAnswer> | undefined {
    if (call.url.protocol !== 'http:' || call.method === 'HEAD') return undefined;
    const client = this.clientOf(call.url);
    return client && this.ask(client, call);
  }

  close(): void {
    for (const client of this.clients.values()) client.close();
    this.clients.clear();
  }

  private clientOf({ host, hostname, port }: URL): WireClient | undefined {
    const known = this.clients.get(host);
    if (known) return known;
    if (this.clients.size >= SERVERS_MAX) this.forgetUnused();
    if (this.clients.size >= SERVERS_MAX) return undefined;
    const { options } = this;
    const client = new WireClient({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: port === '' ? DEFAULT_PORT : Number(port),
      socketPath: options.socketPath,
      connectionsMax: options.socketsMax ?? CONNECTIONS_MAX,
      timeoutMs: options.timeoutMs,
      dialTimeoutMs: options.dialTimeoutMs,
      idleMs: options.idleTimeoutMs,
      responseBytesMax: options.responseBytesMax,
      lookup: options.lookup,
    });
    this.clients.set(host, client);
    return client;
  }

  private forgetUnused(): void {
    for (const [host, client] of this.clients) if (client.isUnused) this.clients.delete(host);
  }

  private async ask(client: WireClient, call: HttpCall): Promise<HttpAnswer> {
    const { method, url, body = '', onData } = call;
    const path = call.path ?? url.pathname + url.search;
    if (!SPEAKABLE_PATH.test(path)) throw new TypeError('the path of the request is not valid');
    const headers = headersOf(call);
    try {
      const answer = await client.request({ method, path, headers, body, onData });
      const { status, headers: rawHeaders } = answer;
      return {
        status,
        headers: byName(rawHeaders),
        rawHeaders,
        body: this.bodyOf(answer),
      };
    } catch (error) {
      const { message, cause, data } = error as Error & { readonly data?: object };
      const place = this.options.socketPath ?? url.host;
      throw fail('HTTP_FAILED', `${place}: ${message}`, { cause: cause ?? error, data });
    }
  }

  private bodyOf({ body, isPacked }: WireAnswer): Uint8Array {
    if (!isPacked) return body;
    return gunzipSync(body, { maxOutputLength: this.options.responseBytesMax });
  }
}

/** With the host and the length, if the caller has not given them. */
function headersOf({ url, headers, method, body }: HttpCall): string[] {
  const lines: string[] = [];
  const names = new Set<string>();
  for (const [name, value] of headers) {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    names.add(name.toLowerCase());
    lines.push(name, value);
  }
  if (!names.has('host')) lines.unshift('Host', url.host);
  const hasLength = names.has('content-length');
  if (!hasLength && (body !== undefined || method === 'POST' || method === 'PUT'))
    lines.push('Content-Length', String(body === undefined ? 0 : Buffer.byteLength(body)));
  return lines;
}

function byName(raw: readonly string[]): IncomingHttpHeaders {
  const found: IncomingHttpHeaders = {};
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at]!.toLowerCase();
    const before = found[name];
    found[name] = before === undefined ? raw[at + 1]! : `${before}, ${raw[at + 1]}`;
  }
  return found;
}
