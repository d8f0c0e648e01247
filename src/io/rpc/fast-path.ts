/**
 * Answers calls without node:http, which takes most of the time of a short answer: calls that
 * arrive in one piece, one after the other, under a plain head. With anything else, a connection is
 * handed to node:http for good.
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Holding } from '../../core/base/byte-budget.ts';
import { systemClock } from '../host/clock.ts';
import { REQUEST_OVERHEAD_BYTES, type Traffic, UnsentRoom } from '../http/traffic.ts';
import type { Caller } from './caller.ts';
import { connectionOf } from './connection.ts';
import type { Dispatcher } from './dispatcher.ts';
import { answerOf, packed, SHORT_CHARACTERS_MAX } from './http-answer.ts';
import { freeMoved } from './moved-reply.ts';
import { type PlainHead, parsePlainHead } from './plain-head.ts';

const HEAD_END = '\r\n\r\n';

export interface FastPathParts {
  readonly dispatcher: Pick<Dispatcher<never>, 'reply'>;
  readonly traffic: Traffic;
  /** Whether a call under this head may be answered. */
  isAllowed(head: PlainHead): boolean;
  readonly access: Caller['access'];
  /** The private state of every call. */
  readonly psi: string | undefined;
  /** Lines of the head of every answer, with their ends. */
  readonly headers: string;
  /** A connection without a call for this time is closed. */
  readonly keepAliveMs: number;
}

/**
 * Takes over the new connections of a server, which `event` reports. Returns a function that ends
 * those that it still has.
 */
export function serveFastPath(
  server: Server,
  event: 'connection' | 'secureConnection',
  parts: FastPathParts,
): () => void {
  const sockets = new Set<Socket>();
  const [usual] = server.listeners(event) as ((socket: Socket) => void)[];
  server.off(event, usual!);
  server.on(event, (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    new FastConnection(socket, parts, () => {
      sockets.delete(socket);
      usual!.call(server, socket);
    });
  });
  return () => {
    for (const socket of sockets) socket.destroy();
  };
}

class FastConnection {
  private readonly socket: Socket;
  private readonly parts: FastPathParts;
  /** Hands the socket to node:http. */
  private readonly leave: () => void;
  private readonly caller: Caller;
  private readonly gone: AbortSignal;
  private readonly request: Holding;
  private readonly unsent: Holding;
  private readonly room: UnsentRoom;
  /** The last head and its text: most clients send the same one again. */
  private head: PlainHead | undefined;
  private headText = '';
  private isBusy = false;
  /** What arrived while the call before was not answered. */
  private early: Buffer | undefined;

  constructor(socket: Socket, parts: FastPathParts, leave: () => void) {
    this.socket = socket;
    this.parts = parts;
    this.leave = leave;
    const { number, remote, source, gone } = connectionOf(socket);
    const { access, psi, traffic } = parts;
    this.caller = { transport: 'http', psi, access, remote, connection: number };
    this.gone = gone;
    const { requests, unsent } = traffic;
    this.request = requests.open(source);
    this.unsent = unsent.open(source, this.destroy);
    this.room = new UnsentRoom(unsent, unsent.open(source, this.destroy));
    socket.on('data', this.take).on('end', this.end).on('error', this.destroy);
    socket.on('close', this.release).on('timeout', this.timeOut).setTimeout(traffic.requestMs);
  }

  private readonly destroy = (): void => {
    this.socket.destroy();
  };

  private readonly end = (): void => {
    this.socket.end();
  };

  private readonly release = (): void => {
    this.request.release();
    this.unsent.release();
    this.room.release();
  };

  /** A call may take as long as it needs, and its client as long as it reads. */
  private readonly timeOut = (): void => {
    if (!this.isBusy || this.unsent.bytes > 0) this.destroy();
  };

  private readonly take = (chunk: Buffer): void => {
    if (this.isBusy) {
      this.socket.pause();
      this.early = chunk;
      return;
    }
    const body = this.bodyOf(chunk);
    if (body === undefined || !this.request.take(chunk.length + REQUEST_OVERHEAD_BYTES)) {
      this.handOver(chunk);
      return;
    }
    this.isBusy = true;
    this.answer(body).catch(this.destroy);
  };

  /** Undefined: it is not one call that may be answered here. */
  private bodyOf(chunk: Buffer): string | undefined {
    const at = chunk.indexOf(HEAD_END) + HEAD_END.length;
    if (at < HEAD_END.length) return undefined;
    const text = chunk.toString('latin1', 0, at);
    if (text !== this.headText) {
      const head = parsePlainHead(text);
      this.head = head && this.parts.isAllowed(head) ? head : undefined;
      this.headText = text;
    }
    return this.head?.contentLength === chunk.length - at ? chunk.toString('utf8', at) : undefined;
  }

  private handOver(chunk: Buffer): void {
    const { socket } = this;
    this.release();
    socket.off('data', this.take).off('end', this.end).off('error', this.destroy);
    socket.off('close', this.release).off('timeout', this.timeOut).setTimeout(0);
    // A paused socket keeps the bytes for its next reader.
    socket.pause();
    socket.unshift(chunk);
    this.leave();
    socket.resume();
  }

  private async answer(text: string): Promise<void> {
    const { dispatcher } = this.parts;
    const answer = answerOf(
      await dispatcher.reply(text, this.caller, undefined, this.gone, this.room),
    );
    this.room.release();
    const zipped = this.head!.acceptsGzip ? await packed(answer) : undefined;
    if (zipped) freeMoved(answer);
    if (!this.socket.writable) return this.destroy();
    this.send(zipped ?? answer, zipped ? 'content-encoding: gzip\r\n' : '');
    if (this.socket.writableLength > 0) {
      this.unsent.force(this.socket.writableLength);
      this.socket.setTimeout(this.parts.traffic.stallMs);
    }
    this.parts.traffic.unsent.relieve();
  }

  private send(body: string | Uint8Array, encoding: string): void {
    const { socket } = this;
    const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
    const head = `HTTP/1.1 200 OK\r\n${this.parts.headers}content-type: application/json\r\n${encoding}content-length: ${length}\r\nDate: ${httpDate()}\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${this.parts.keepAliveMs / 1_000}\r\n\r\n`;
    if (typeof body === 'string' && length <= SHORT_CHARACTERS_MAX && length === body.length) {
      socket.write(head + body, 'latin1', this.sent);
      return;
    }
    socket.cork();
    socket.write(head, 'latin1');
    socket.write(body, () => {
      freeMoved(body);
      this.sent();
    });
    socket.uncork();
  }

  /** The system has taken the whole answer. */
  private readonly sent = (): void => {
    const { socket, early } = this;
    this.release();
    if (socket.timeout !== this.parts.keepAliveMs) socket.setTimeout(this.parts.keepAliveMs);
    this.isBusy = false;
    if (early && !socket.destroyed) this.handOver(early);
  };
}

let [dateSecond, dateText] = [0, ''];

/** The time as in the header `Date`. */
function httpDate(): string {
  const second = Math.trunc(systemClock.nowMs() / 1_000);
  if (second !== dateSecond) {
    dateSecond = second;
    dateText = new Date(second * 1_000).toUTCString();
  }
  return dateText;
}
