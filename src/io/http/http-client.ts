/**
 * HTTP requests to one or many servers, over TCP or a unix socket, on kept-alive connections, with
 * bounds and time limits.
 */

import * as http from 'node:http';
import * as https from 'node:https';
import { gunzipSync } from 'node:zlib';
import { fail } from '../../core/base/errors.ts';
import { reasonOf } from '../host/reason.ts';
import type { HttpAnswer, HttpCall, HttpClientOptions } from './http-call.ts';
import { patientTimer } from './patient-timer.ts';
import { WirePool } from './wire-pool.ts';

const SOCKETS_MAX = 32;
const IDLE_SOCKETS_MAX = 16;
/** Errors of a kept-alive connection that the server has closed. */
const STALE_CODES: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE']);

export class HttpClient {
  private readonly options: HttpClientOptions;
  private readonly plain: http.Agent;
  private readonly secure: https.Agent;
  private readonly wires: WirePool | undefined;

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
    this.wires = options.isFrequent ? new WirePool(options) : undefined;
    this.secure = options.secureAgent?.(pool) ?? new https.Agent({ ...pool, ...options.tls });
  }

  /**
   * An answer with any status resolves. Rejects with HTTP_FAILED, which names the server; the cause
   * says what happened.
   */
  async request(call: HttpCall): Promise<HttpAnswer> {
    const wired = this.wires?.request(call);
    if (wired) return wired;
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
    this.wires?.close();
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

  private collect(response: http.IncomingMessage, onData: HttpCall['onData']): Promise<Uint8Array> {
    const { responseBytesMax } = this.options;
    const chunks: Uint8Array[] = [];
    const isZipped = response.headers['content-encoding'] === 'gzip';
    let size = 0;
    const take = (chunk: Uint8Array): void => {
      size += chunk.length;
      if (size > responseBytesMax) {
        throw new Error(`response is larger than ${responseBytesMax} bytes`);
      }
      if (onData && !isZipped) onData(chunk);
      else chunks.push(chunk);
    };
    const whole = (): Uint8Array => {
      const body = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
      return isZipped ? gunzipSync(body, { maxOutputLength: responseBytesMax }) : body;
    };
    // Reading by events takes a fraction of what the stream's async iterator does.
    return new Promise((resolve, reject) => {
      const orReject = (work: () => void): void => {
        try {
          work();
        } catch (error) {
          reject(error);
        }
      };
      response.on('data', (chunk: Uint8Array) => orReject(() => take(chunk)));
      response.once('end', () => orReject(() => resolve(whole())));
      response.once('error', reject);
    });
  }
}

function isStale(error: unknown): boolean {
  return (error as { data?: { stale?: boolean } }).data?.stale === true;
}
