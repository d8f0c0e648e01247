/**
 * Connection to one manager over HTTP or a unix socket: requests are byte for byte those of
 * GoQuorum's node (GoQuorum private/engine/tessera/tessera.go).
 */

import { readdirSync, statSync } from 'node:fs';
import type { AgentOptions } from 'node:https';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { fail } from '../../core/base/errors.ts';
import { readAuthorities, readKeyPair } from '../host/key-pair.ts';
import { reasonOf } from '../host/reason.ts';
import type { HttpAnswer } from '../http/http-call.ts';
import { HttpClient } from '../http/http-client.ts';
import { traceHeaders } from '../telemetry/trace-context.ts';
import { type ManagerConfig, socketPath } from './config.ts';

/** COMPAT: managers log the user agent, and Tessera's users filter by it. */
const USER_AGENT = 'quorum-v24.4.1';
/** User agent of the handshake and of requests for plain text. */
const PLAIN_USER_AGENT = 'Go-http-client/1.1';
/** The pseudo host in URLs of the socket. */
const SOCKET_BASE = 'http+unix://c';
const SOCKET_HOST = 'c';
const RESPONSE_BYTES_MAX = 64 * 1024 * 1024;
const MS = 1000;

/** Requests that belong to one transaction. */
const TRACED_PATHS: ReadonlySet<string> = new Set(['/send', '/sendsignedtx', '/storeraw']);

/** With tracing, a request of a transaction carries the trace that it belongs to. */
export function tracedHeaders(path: string): ReturnType<typeof traceHeaders> {
  return TRACED_PATHS.has(path) ? traceHeaders() : [];
}

export class Transport {
  private readonly client: HttpClient;
  private readonly base: string;
  private readonly url: URL;
  private readonly socket: string | undefined;

  /** Throws PTM_CONFIG_INVALID when the URL or a certificate cannot be used. */
  constructor(config: ManagerConfig) {
    const unix = config.connection === 'unix';
    this.socket = unix ? socketPath(config) : undefined;
    this.base = unix ? SOCKET_BASE : config.httpUrl.replace(/\/$/, '');
    this.url = baseUrl(unix ? `http://${SOCKET_HOST}` : this.base);
    this.client = new HttpClient({
      socketPath: this.socket,
      dialTimeoutMs: config.dialTimeout * MS,
      timeoutMs: config.timeout * MS,
      idleTimeoutMs: config.httpIdleConnTimeout * MS,
      responseBytesMax: RESPONSE_BYTES_MAX,
      isFrequent: true,
      tls: config.tlsMode === 'strict' ? tlsOptions(config) : undefined,
    });
  }

  /**
   * A request without a media type: the handshake, and answers in plain text. Rejects with
   * PTM_UNREACHABLE, whose text contains the cause as Go words it.
   */
  plain(path: string): Promise<HttpAnswer> {
    return this.send('GET', path, [['User-Agent', PLAIN_USER_AGENT]], undefined);
  }

  json(method: 'GET' | 'POST', path: string, media: string, body?: string): Promise<HttpAnswer> {
    const headers: [string, string][] = [['User-Agent', USER_AGENT]];
    if (body !== undefined) headers.push(['Content-Length', String(Buffer.byteLength(body))]);
    headers.push(['Accept', media], ['Content-Type', media]);
    return this.send(method, path, headers, body);
  }

  /** Like json(), but passes the answer's body to `onData` as it arrives. */
  lines(
    path: string,
    media: string,
    body: string,
    onData: (chunk: Uint8Array) => void,
  ): Promise<HttpAnswer> {
    const headers: [string, string][] = [
      ['User-Agent', USER_AGENT],
      ['Content-Length', String(Buffer.byteLength(body))],
      ['Content-Type', media],
    ];
    return this.send('POST', path, headers, body, onData);
  }

  octets(path: string, body: Uint8Array, extra: readonly [string, string][]): Promise<HttpAnswer> {
    const headers: [string, string][] = [
      ['User-Agent', PLAIN_USER_AGENT],
      ['Content-Length', String(body.length)],
      ...extra,
      ['Content-Type', 'application/octet-stream'],
    ];
    return this.send('POST', path, headers, body);
  }

  close(): void {
    this.client.close();
  }

  private async send(
    method: 'GET' | 'POST',
    path: string,
    headers: readonly (readonly [string, string])[],
    body: Uint8Array | string | undefined,
    onData?: (chunk: Uint8Array) => void,
  ): Promise<HttpAnswer> {
    const prefix = this.url.pathname === '/' ? '' : this.url.pathname;
    // COMPAT: Go requests gzip over TCP only.
    const encoding: [string, string][] =
      this.socket === undefined ? [['Accept-Encoding', 'gzip']] : [];
    try {
      return await this.client.request({
        method,
        url: this.url,
        path: prefix + path,
        headers: [['Host', this.url.host], ...headers, ...encoding, ...tracedHeaders(path)],
        body,
        ...(onData ? { onData } : {}),
      });
    } catch (cause) {
      const verb = method === 'GET' ? 'Get' : 'Post';
      throw fail('PTM_UNREACHABLE', `${verb} "${this.base}${path}": ${this.goText(cause)}`, {
        cause,
      });
    }
  }

  /** The texts of Go's network errors, which node users and their alerts know. */
  private goText(error: unknown): string {
    const { cause } = error as { cause?: Error & { code?: string } };
    const dial =
      this.socket === undefined ? `dial tcp ${this.url.host}` : `dial unix ${this.socket}`;
    switch (cause?.code) {
      case 'ECONNREFUSED':
        return `${dial}: connect: connection refused`;
      case 'ENOENT':
        return `${dial}: connect: no such file or directory`;
      case 'EACCES':
        return `${dial}: connect: permission denied`;
      case 'ENOTFOUND':
        return `dial tcp: lookup ${this.url.hostname}: no such host`;
      case 'ECONNRESET':
        return 'EOF';
    }
    const message = reasonOf(cause ?? error);
    if (message === 'i/o timeout') return `${dial}: i/o timeout`;
    if (message === 'request timed out') {
      return 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)';
    }
    return message;
  }
}

function baseUrl(text: string): URL {
  try {
    return new URL(text);
  } catch {
    throw fail(
      'PTM_CONFIG_INVALID',
      `the private transaction manager's URL "${text}" is not valid`,
    );
  }
}

function tlsOptions(config: ManagerConfig): AgentOptions {
  const options: AgentOptions = { rejectUnauthorized: !config.tlsInsecureSkipVerify };
  if (config.tlsRootCA !== '') options.ca = [...rootCertificates, ...authorities(config.tlsRootCA)];
  if (config.tlsClientCert !== '') {
    const { tlsClientCert: certFile, tlsClientKey: keyFile } = config;
    Object.assign(options, readKeyPair({ certFile, keyFile }));
  }
  return options;
}

function authorities(list: string): string[] {
  const read = (file: string): string => {
    try {
      return readAuthorities(file);
    } catch (cause) {
      const text = `unable to read contents of RootCA certificate file '${file}', due to: ${reasonOf(cause)}`;
      throw fail('PTM_CONFIG_INVALID', text, { cause, data: { path: file } });
    }
  };
  return list.split(',').flatMap((entry) => {
    if (!statSync(entry, { throwIfNoEntry: false })?.isDirectory()) return [read(entry)];
    const names = readdirSync(entry);
    if (names.length > 0) return names.map((name) => read(join(entry, name)));
    const text = `no RootCA certificate in the folder '${entry}'`;
    throw fail('PTM_CONFIG_INVALID', text, { data: { path: entry } });
  });
}
