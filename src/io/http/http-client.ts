/** HTTP requests to one or many servers, over TCP or a unix socket, on kept-alive connections, with bounds and time limits. */

import * as http from 'node:http';
import * as https from 'node:https';
import type { LookupFunction } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { fail } from '../../core/base/errors.ts';
import { reasonOf } from '../host/reason.ts';
import { patientTimer } from './patient-timer.ts';

const SOCKETS_MAX = 32;
const IDLE_SOCKETS_MAX = 16;
/** How a kept connection fails that the server has closed. */
const STALE_CODES: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE']);

export interface HttpClientOptions {
  /** Unix socket that every request goes to, whatever its URL says. */
  readonly socketPath?: string | undefined;
  /** To connect; 0: no limit. */
  readonly dialTimeoutMs: number;
  /** The whole request; 0: no limit. */
  readonly timeoutMs: number;
  /** Idle connections are closed after this; 0: kept. */
  readonly idleTimeoutMs: number;
  readonly responseBytesMax: number;
  /** Connections at once to one server. */
  readonly socketsMax?: number | undefined;
  readonly tls?: https.AgentOptions | undefined;
  /** Resolves names, and refuses addresses, in place of the system's resolver. */
  readonly lookup?: LookupFunction | undefined;
  /** Makes the agent of https requests from the pool's options, where a certificate is checked in a way of its own. */
  readonly secureAgent?: ((pool: https.AgentOptions) => https.Agent) | undefined;
}

export interface HttpCall {
  readonly method: string;
  readonly url: URL;
  /** Path and query as they stand on the wire, when the URL class would spell them otherwise. */
  readonly path?: string;
  /** Sent in this order, `Host` included by the caller or added. */
  readonly headers: readonly (readonly [string, string])[];
  /** Text leaves in one write with the headers. */
  readonly body?: Uint8Array | string | undefined;
  /** Gets the answer's body as it comes; the answer's own is empty then. */
  readonly onData?: (chunk: Uint8Array) => void;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  /** Name, value, name, value, … as they stood. */
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

  /** Any status is an answer. Rejects with HTTP_FAILED, which names the place; the cause says what happened there. */
  async request(call: HttpCall): Promise<HttpAnswer> {
    try {
      return await this.once(call);
    } catch (error) {
      // A kept connection that the server closed in the same moment: nothing was answered on it.
      if (!isStale(error)) throw error;
      return this.again(call);
    }
  }

  /** What fails now may have reached the server before: `data.wasSent` says so. */
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
