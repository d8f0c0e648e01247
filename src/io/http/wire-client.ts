/**
 * Requests to one server over kept-alive connections without TLS. The code writes and reads them
 * itself, which costs about a third of node:http for a small request, and a fifth in a new process.
 * HTTP/1.1 (RFC 9112): fixed, chunked and unbounded bodies; one request at a time on a connection.
 */

import { connect, type LookupFunction, type Socket } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { fail } from '../../core/base/errors.ts';
import { reasonOf } from '../host/reason.ts';
import { patientTimer } from './patient-timer.ts';
import { type WireAnswer, WireReader } from './wire-reader.ts';

/** Maximum number of requests that wait for a connection. */
const WAITING_MAX = 100_000;
/** Texts of timeouts: no connection; no answer. */
const DIAL_TEXT = 'i/o timeout';
const LATE_TEXT = 'request timed out';
const ASCII = /^[\x20-\x7e\r\n]*$/;

export interface WireClientOptions {
  readonly host: string;
  readonly port: number;
  /** In place of host and port. */
  readonly socketPath?: string | undefined;
  readonly connectionsMax: number;
  /** For one request, including opening its connection; 0: no limit. */
  readonly timeoutMs: number;
  /**
   * For opening a connection; 0: no limit. `i/o timeout` then means this limit; otherwise it means
   * that nothing was sent within timeoutMs.
   */
  readonly dialTimeoutMs?: number | undefined;
  /** An idle connection is closed after this time; 0: never. */
  readonly idleMs: number;
  readonly responseBytesMax: number;
  /** Replaces the system's resolver, and may refuse addresses. */
  readonly lookup?: LookupFunction | undefined;
}

export interface WireRequest {
  readonly method: string;
  readonly path: string;
  /** Name, value, …: all headers, as they are sent. */
  readonly headers: readonly string[];
  readonly body: string | Uint8Array;
  /** Receives an uncompressed body as it arrives; the answer's own body is then empty. */
  readonly onData?: ((piece: Uint8Array) => void) | undefined;
}

interface Job {
  readonly head: string;
  readonly body: string | Uint8Array;
  readonly onData: WireRequest['onData'];
  readonly resolve: (answer: WireAnswer) => void;
  readonly reject: (error: Error) => void;
  readonly timer: { cancel(): void } | undefined;
  isOver: boolean;
  /** The request was already sent on a connection that the server closed at the same moment. */
  isSecond: boolean;
}

export class WireClient {
  private readonly options: WireClientOptions;
  private readonly hostHeader: string;
  private readonly idle: Connection[] = [];
  private readonly all = new Set<Connection>();
  private readonly waiting: Job[] = [];
  private waitingFrom = 0;

  constructor(options: WireClientOptions) {
    this.options = options;
    const name = options.host.includes(':') ? `[${options.host}]` : options.host;
    this.hostHeader = `${name}:${options.port}`;
  }

  /**
   * An answer with any status resolves. `headers`: name, value, …, without those of the connection.
   * Rejects with HTTP_FAILED as HttpClient does.
   */
  post(path: string, headers: readonly string[], body: string): Promise<WireAnswer> {
    const length = String(Buffer.byteLength(body));
    const all = ['Host', this.hostHeader, ...headers, 'Content-Length', length];
    return this.request({ method: 'POST', path, headers: all, body });
  }

  /** The same for any request. The caller has checked the path and the headers. */
  request({ method, path, headers, body, onData }: WireRequest): Promise<WireAnswer> {
    let head = `${method} ${path} HTTP/1.1\r\n`;
    for (let at = 0; at + 1 < headers.length; at += 2)
      head += `${headers[at]}: ${headers[at + 1]}\r\n`;
    head += '\r\n';
    const { timeoutMs } = this.options;
    return new Promise((resolve, reject) => {
      const timer = timeoutMs > 0 ? patientTimer(timeoutMs, () => this.expire(job)) : undefined;
      const state = { isOver: false, isSecond: false };
      const job: Job = { head, body, onData, resolve, reject, timer, ...state };
      this.begin(job);
    });
  }

  /** No request is waiting or in progress, and no connection is open. */
  get isUnused(): boolean {
    return this.all.size === 0;
  }

  close(): void {
    const closed = new Error('the client was closed');
    for (let job = this.takeWaiting(); job; job = this.takeWaiting()) reject(job, closed);
    for (const connection of this.all) {
      const { job } = connection;
      connection.destroy();
      if (job) reject(job, closed);
    }
  }

  /** Uses an idle connection, opens a new one, or waits. */
  private begin(job: Job): void {
    const free = this.idle.pop();
    if (free) free.send(job);
    else if (this.all.size < this.options.connectionsMax) this.open(job);
    else if (this.waiting.length - this.waitingFrom < WAITING_MAX) this.waiting.push(job);
    else reject(job, new Error('too many requests wait for a connection'));
  }

  private open(job: Job): void {
    const connection: Connection = new Connection(this.options, {
      done: () => this.next(connection),
      gone: () => this.forget(connection),
      again: (stale) => {
        stale.isSecond = true;
        this.begin(stale);
      },
    });
    this.all.add(connection);
    connection.send(job);
  }

  private next(connection: Connection): void {
    const job = this.takeWaiting();
    if (job) connection.send(job);
    else this.idle.push(connection);
  }

  private forget(connection: Connection): void {
    this.all.delete(connection);
    const at = this.idle.indexOf(connection);
    if (at >= 0) this.idle.splice(at, 1);
    const job = this.takeWaiting();
    if (job) this.begin(job);
  }

  private takeWaiting(): Job | undefined {
    while (this.waitingFrom < this.waiting.length) {
      const job = this.waiting[this.waitingFrom++]!;
      if (this.waitingFrom > 1_000) {
        this.waiting.splice(0, this.waitingFrom);
        this.waitingFrom = 0;
      }
      if (!job.isOver) return job;
    }
    return undefined;
  }

  private expire(job: Job): void {
    const unsent = this.options.dialTimeoutMs === undefined ? DIAL_TEXT : LATE_TEXT;
    for (const connection of this.all) {
      if (connection.job !== job) continue;
      const text = connection.isDialing ? unsent : LATE_TEXT;
      connection.destroy();
      reject(job, new Error(text));
      return;
    }
    reject(job, new Error(unsent));
  }
}

/** A request that fails on its second connection may have reached the server on its first. */
function reject(job: Job, cause: Error): void {
  job.timer?.cancel();
  job.isOver = true;
  const data = job.isSecond ? { wasSent: true } : undefined;
  job.reject(fail('HTTP_FAILED', reasonOf(cause), { cause, data }));
}

interface Owner {
  done(): void;
  gone(): void;
  again(job: Job): void;
}

class Connection {
  job: Job | undefined;
  isDialing = true;
  private readonly socket: Socket;
  private readonly owner: Owner;
  private readonly reader: WireReader;
  private isReused = false;

  constructor(options: WireClientOptions, owner: Owner) {
    this.owner = owner;
    this.reader = new WireReader(options.responseBytesMax);
    const { socketPath, host, port, lookup, dialTimeoutMs = 0 } = options;
    this.socket =
      socketPath === undefined
        ? connect({ host, port, noDelay: true, ...(lookup ? { lookup } : {}) })
        : connect({ path: socketPath });
    const dial =
      dialTimeoutMs > 0
        ? patientTimer(dialTimeoutMs, () => this.socket.destroy(new Error(DIAL_TEXT)))
        : undefined;
    this.socket.setTimeout(options.idleMs, () => {
      if (!this.job) this.socket.destroy();
    });
    this.socket.once('connect', () => {
      this.isDialing = false;
      dial?.cancel();
    });
    this.socket.on('data', (chunk) => this.data(chunk));
    this.socket.once('end', () => this.ended());
    this.socket.once('error', (error) => this.failed(error));
    this.socket.once('close', () => {
      dial?.cancel();
      this.failed(Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }));
      this.owner.gone();
    });
  }

  send(job: Job): void {
    this.job = job;
    this.reader.restart(job.onData);
    if (typeof job.body === 'string' && ASCII.test(job.head)) {
      this.socket.write(job.head + job.body);
      return;
    }
    this.socket.cork();
    this.socket.write(job.head, 'latin1');
    this.socket.write(job.body);
    this.socket.uncork();
  }

  destroy(): void {
    this.job = undefined;
    this.socket.destroy();
  }

  private data(chunk: Buffer): void {
    if (!this.job) {
      this.socket.destroy();
      return;
    }
    try {
      const answer = this.reader.push(chunk);
      if (answer) this.answer(answer);
    } catch (error) {
      this.failed(error as Error);
      this.socket.destroy();
    }
  }

  private ended(): void {
    const answer = this.job && this.reader.end();
    if (answer) this.answer(answer);
    this.socket.destroy();
  }

  private answer(answer: WireAnswer): void {
    const job = this.job!;
    this.job = undefined;
    this.isReused = true;
    job.timer?.cancel();
    job.isOver = true;
    if (this.reader.isKept) this.owner.done();
    else this.socket.destroy();
    job.resolve(answer);
  }

  private failed(cause: Error): void {
    const { job } = this;
    this.job = undefined;
    if (!job) return;
    // The server closed a kept-alive connection at the moment of the request, without answering.
    if (this.isReused && !job.isSecond && this.reader.isFresh) {
      this.owner.again(job);
      return;
    }
    reject(job, cause);
  }
}

/** The body as text, decompressed if a server compresses without a request to do so. */
export function wireText(answer: WireAnswer, bytesMax: number): string {
  const { body, isPacked } = answer;
  if (!isPacked) return body.toString('utf8');
  return gunzipSync(body, { maxOutputLength: bytesMax }).toString('utf8');
}
