/**
 * Reads the stream that a member writes for us: requests it, and requests it again whenever it
 * ends.
 */
import { type ClientRequest, get, type IncomingMessage } from 'node:http';
import type { Log } from '../../core/base/ports.ts';
import type { RaftMessage } from '../../core/consensus/raft/messages.ts';
import { StreamDecoder, type StreamKind } from '../../core/consensus/raft/stream-codec.ts';
import { idText, requestHeaders } from './http-headers.ts';

const RETRY_MS = 100;
const GONE = 410;
/** The other side sends a heartbeat every third of this time. */
export const STREAM_TIMEOUT_MS = 5_000;

export interface StreamReaderParts {
  readonly kind: StreamKind;
  readonly local: number;
  readonly remote: number;
  readonly url: string;
  readonly log: Log;
  ownUrl(): string | undefined;
  received(message: RaftMessage): void;
}

export class StreamReader {
  private readonly parts: StreamReaderParts;
  private request: ClientRequest | undefined;
  private timer: NodeJS.Timeout | undefined;
  private isStopped = false;
  private isTold = false;
  isConnected = false;

  constructor(parts: StreamReaderParts) {
    this.parts = parts;
    this.dial();
  }

  stop(): void {
    this.isStopped = true;
    this.isConnected = false;
    clearTimeout(this.timer);
    this.request?.destroy();
  }

  private dial(): void {
    const { kind, local, remote, url, ownUrl, log } = this.parts;
    let isOver = false;
    const over = (why: string) => {
      if (isOver) return;
      isOver = true;
      this.ended(why);
    };
    const request = get(`${url}/raft/stream/${kind}/${idText(local)}`, {
      headers: { ...requestHeaders(local, ownUrl()), 'X-Raft-To': idText(remote) },
      agent: false,
    });
    this.request = request;
    request.setTimeout(STREAM_TIMEOUT_MS, () => request.destroy(new Error('timeout')));
    request.on('error', (error) => over(error.message));
    request.on('response', (response) => {
      if (response.statusCode === 200) this.read(response, over);
      else {
        if (response.statusCode === GONE && !this.isTold) {
          this.isTold = true;
          log('warn', 'A peer says that this node was removed from the cluster', { peer: remote });
        }
        response.resume();
        response.on('error', () => undefined);
        response.on('close', () => over(`status ${response.statusCode}`));
      }
    });
    request.on('close', () => over('closed'));
  }

  private read(response: IncomingMessage, over: (why: string) => void): void {
    const { kind, local, remote, log, received } = this.parts;
    const decoder = new StreamDecoder(kind, local, remote);
    this.isConnected = true;
    log('debug', 'Established a raft stream', { peer: remote, kind });
    response.on('data', (chunk: Uint8Array) => {
      try {
        for (const message of decoder.push(chunk)) received(message);
      } catch (error) {
        response.destroy(error as Error);
      }
    });
    response.on('error', (error) => over(error.message));
    response.on('close', () => over('closed'));
  }

  private ended(why: string): void {
    const { log, remote, kind } = this.parts;
    if (this.isConnected) log('info', 'Lost a raft stream', { peer: remote, kind, why });
    this.isConnected = false;
    this.request?.destroy();
    if (this.isStopped) return;
    this.timer = setTimeout(() => this.dial(), RETRY_MS);
  }
}
