/**
 * HTTP requests to one or many servers, over TCP or a unix socket, on kept-alive connections, with
 * bounds and time limits.
 */

import * as http from 'node:http';
import * as https from 'node:https';
import type { LookupFunction } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { fail } from '../../core/base/errors.ts';
import { reasonOf } from '../host/reason.ts';
import { patientTimer } from './patient-timer.ts';

const SOCKETS_MAX = 32;
const IDLE_SOCKETS_MAX = 16;
/** Errors of a kept-alive connection that the server has closed. */
const STALE_CODES: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE']);

export interface HttpClientOptions {
  /** Unix socket for every request, whatever host its URL names. */
  readonly socketPath?: string | undefined;
  /** For connecting; 0: no limit. */
  readonly dialTimeoutMs: number;
  /** For the whole request; 0: no limit. */
  readonly timeoutMs: number;
  /** Idle connections are closed after this time; 0: never. */
  readonly idleTimeoutMs: number;
  readonly responseBytesMax: number;
  /** Maximum number of simultaneous connections to one server. */
  readonly socketsMax?: number | undefined;
  readonly tls?: https.AgentOptions | undefined;
  /** Replaces the system's resolver, and may refuse addresses. */
  readonly lookup?: LookupFunction | undefined;
  /**
   * Creates the agent for https requests from the pool's options, for custom certificate checks.
   */
  readonly secureAgent?: ((pool: https.AgentOptions) => https.Agent) | undefined;
}

export interface HttpCall {
  readonly method: string;
  readonly url: URL;
  /** Path and query exactly as sent, when the URL class would spell them differently. */
  readonly path?: string;
  /** Sent in this order; `Host` is added if the caller does not include it. */
  readonly headers: readonly (readonly [string, string])[];
  /** Text is sent in one write with the headers. */
  readonly body?: Uint8Array | string | undefined;
  /** Receives the answer's body as it arrives; the answer's own body is then empty. */
  readonly onData?: (chunk: Uint8Array) => void;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  /** Name, value, name, value, … as received. */
  readonly rawHeaders: readonly string[];
  readonly body: Uint8Array;
}

export class HttpClient {
  private readonly options: HttpClientOptions;
  private readonly plain: http.Agent;
  private readonly secure: https.Agent;

  constructor(options: HttpClientOptions) {
    this.options = options;
    const pool = {
      keepAlive: true,
      maxSockets: options.socketsMax ?? SOCKETS_MAX,
      maxFreeSockets: options.socketsMax ?? IDLE_SOCKETS_MAX,
      noDelay: true,
      ...(options.lookup ? { lookup: options.lookup } : {}),
      ...(options.idleTimeoutMs > 0 ? { timeout: options.idleTimeoutMs } : {}),
    };
    this.plain = new http.Agent(pool);
    this.secure = options.secureAgent?.(pool) ?? new https.Agent({ ...pool, ...options.tls });
  }

  /**
   * An answer with any status resolves. Rejects with HTTP_FAILED, which names the server; the cause
   * says what happened.
   */
  async request(call: HttpCall): Promise<HttpAnswer> {
    try {
      return await this.once(call);
    } catch (error) {
      // The server closed a kept-alive connection at the moment of the request, without answering.
      if (!isStale(error)) throw error;
      return this.again(call);
    }
  }

  /** The first attempt may already have reached the server: `data.wasSent` says so. */
  private async again(call: HttpCall): Promise<HttpAnswer> {
    try {
      return await this.once(call);
    } catch (error) {
      const { message, cause } = error as Error;
      throw fail('HTTP_FAILED', message, { cause, data: { wasSent: true } });
    }
  }

  close(): void {
    this.plain.destroy();
    this.secure.destroy();
  }

  private once(call: HttpCall): Promise<HttpAnswer> {
    return new Promise((resolve, reject) => {
      const request = this.open(call);
      let dialTimer: ReturnType<typeof patientTimer> | undefined;
      const { dialTimeoutMs, timeoutMs } = this.options;
      const timer =
        timeoutMs > 0
          ? patientTimer(timeoutMs, () => request.destroy(new Error('request timed out')))
          : undefined;
      const stopTimers = (): void => {
        timer?.cancel();
        dialTimer?.cancel();
      };
      request.on('socket', (socket) => {
        if (!socket.connecting || dialTimeoutMs === 0) return;
        const dial = patientTimer(dialTimeoutMs, () => request.destroy(new Error('i/o timeout')));
        dialTimer = dial;
        socket.once('connect', () => dial.cancel());
      });
      request.on('error', (cause) => {
        stopTimers();
        const stale =
          request.reusedSocket && STALE_CODES.has((cause as { code?: string }).code ?? '');
        reject(this.failed(call, cause, { stale }));
      });
      request.on('response', (response) => {
        this.collect(response, call.onData).then(
          (body) => {
            stopTimers();
            const { statusCode: status = 0, headers, rawHeaders } = response;
            resolve({ status, headers, rawHeaders, body });
          },
          (cause: Error) => {
            stopTimers();
            request.destroy();
            reject(this.failed(call, cause));
          },
        );
      });
      request.end(call.body);
    });
  }

  private failed(call: HttpCall, cause: Error, data?: object): Error {
    const place = this.options.socketPath ?? call.url.host;
    return fail('HTTP_FAILED', `${place}: ${reasonOf(cause)}`, { cause, data });
  }

  private open(call: HttpCall): http.ClientRequest {
    const secure = call.url.protocol === 'https:';
    const { socketPath } = this.options;
    return (secure ? https : http).request({
      agent: secure ? this.secure : this.plain,
      method: call.method,
      path: call.path ?? call.url.pathname + call.url.search,
      ...(socketPath === undefined
        ? { host: call.url.hostname.replace(/^\[|\]$/g, ''), port: call.url.port }
        : { socketPath }),
      setHost: !call.headers.some(([name]) => name.toLowerCase() === 'host'),
      headers: Object.fromEntries(call.headers),
    });
  }

  private async collect(
    response: http.IncomingMessage,
    onData: HttpCall['onData'],
  ): Promise<Uint8Array> {
    const chunks: Uint8Array[] = [];
    const isZipped = response.headers['content-encoding'] === 'gzip';
    let size = 0;
    for await (const chunk of response as AsyncIterable<Uint8Array>) {
      size += chunk.length;
      if (size > this.options.responseBytesMax) {
        throw new Error(`response is larger than ${this.options.responseBytesMax} bytes`);
      }
      if (onData && !isZipped) onData(chunk);
      else chunks.push(chunk);
    }
    const body = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
    if (!isZipped) return body;
    return gunzipSync(body, { maxOutputLength: this.options.responseBytesMax });
  }
}

function isStale(error: unknown): boolean {
  return (error as { data?: { stale?: boolean } }).data?.stale === true;
}
