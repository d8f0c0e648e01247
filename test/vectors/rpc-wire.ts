/**
 * Recorded conversations over real sockets: HTTP with its statuses and headers, WebSocket with its
 * subscriptions.
 */
import { request as httpRequest } from 'node:http';
import { WebSocket } from 'ws';
import type { HttpRequest } from './rpc-transcript.ts';

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

/** One request; `body` is sent unchanged. */
export function askOverHttp(port: number, http: HttpRequest, body: string): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const hasBody = body !== '' || http.verb === 'POST';
    const request = httpRequest(
      {
        host: '127.0.0.1',
        port,
        method: http.verb,
        path: http.path,
        headers: {
          ...(hasBody
            ? { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }
            : {}),
          ...http.headers,
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers as Record<string, string | undefined>,
            body: Buffer.concat(chunks).toString('utf8'),
          }),
        );
      },
    );
    request.once('error', reject);
    request.end(hasBody ? body : undefined);
  });
}

/** A WebSocket that returns answers in order and keeps notifications apart. */
export class WebSocketTalk {
  private readonly socket: WebSocket;
  private readonly answers: string[] = [];
  private waiting: ((text: string) => void) | undefined;
  readonly notifications: string[] = [];

  constructor(url: string) {
    this.socket = new WebSocket(url);
    this.socket.on('message', (bytes) => this.take(bytes.toString()));
  }

  opened(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.socket.once('open', resolve);
      this.socket.once('error', reject);
    });
  }

  send(text: string): void {
    this.socket.send(text);
  }

  async ask(text: string): Promise<string> {
    this.send(text);
    const ready = this.answers.shift();
    return ready ?? (await new Promise((resolve) => (this.waiting = resolve)));
  }

  close(): void {
    this.socket.terminate();
  }

  private take(text: string): void {
    if (/^\{"jsonrpc":"2.0","method":/.test(text)) {
      this.notifications.push(text);
      return;
    }
    const { waiting } = this;
    this.waiting = undefined;
    if (waiting) waiting(text);
    else this.answers.push(text);
  }
}
