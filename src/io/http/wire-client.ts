/**
 * POST requests to one server over kept-alive connections without TLS. The code writes and reads
 * them itself, which costs about a third of node:http for a small request. HTTP/1.1 (RFC 9112):
 * fixed, chunked and unbounded bodies; one request at a time on a connection.
 */

import { connect, type Socket } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { fail } from '../../core/base/errors.ts';
import { reasonOf } from '../host/reason.ts';
import { type WireAnswer, WireReader } from './wire-reader.ts';

/** Maximum number of requests that wait for a connection. */
const WAITING_MAX = 100_000;
const ASCII = /^[\x20-\x7e\r\n]*$/;

export interface WireClientOptions {
  readonly host: string;
  readonly port: number;
  readonly connectionsMax: number;
  /** For one request, including opening its connection. */
  readonly timeoutMs: number;
  /** An idle connection is closed after this time. */
  readonly idleMs: number;
  readonly responseBytesMax: number;
}

interface Job {
  readonly head: string;
  readonly body: string;
  readonly resolve: (answer: WireAnswer) => void;
  readonly reject: (error: Error) => void;
  timer: NodeJS.Timeout | undefined;
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
    let head = `POST ${path} HTTP/1.1\r\nHost: ${this.hostHeader}\r\n`;
    for (let at = 0; at + 1 < headers.length; at += 2)
      head += `${headers[at]}: ${headers[at + 1]}\r\n`;
    head += `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n`;
    return new Promise((resolve, reject) => {
      const job: Job = { head, body, resolve, reject, timer: undefined, isSecond: false };
      job.timer = setTimeout(() => this.expire(job), this.options.timeoutMs);
      this.begin(job);
    });
  }

  close(): void {
    for (const connection of this.all) connection.destroy();
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
      if (job.timer) return job;
    }
    return undefined;
  }

  private expire(job: Job): void {
    job.timer = undefined;
    for (const connection of this.all) {
      if (connection.job !== job) continue;
      const isDialing = connection.isDialing;
      connection.destroy();
      reject(job, new Error(isDialing ? 'i/o timeout' : 'request timed out'));
      return;
    }
    reject(job, new Error('i/o timeout'));
  }
}

/** A request that fails on its second connection may have reached the server on its first. */
function reject(job: Job, cause: Error): void {
  clearTimeout(job.timer);
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
    this.socket = connect({ host: options.host, port: options.port, noDelay: true });
    this.socket.setTimeout(options.idleMs, () => {
      if (!this.job) this.socket.destroy();
    });
    this.socket.once('connect', () => {
      this.isDialing = false;
    });
    this.socket.on('data', (chunk) => this.data(chunk));
    this.socket.once('end', () => this.ended());
    this.socket.once('error', (error) => this.failed(error));
    this.socket.once('close', () => {
      this.failed(Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }));
      this.owner.gone();
    });
  }

  send(job: Job): void {
    this.job = job;
    this.reader.restart();
    if (ASCII.test(job.head)) {
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
    clearTimeout(job.timer);
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
