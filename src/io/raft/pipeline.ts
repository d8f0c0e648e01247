/**
 * Posts single messages: snapshots, and all messages while no stream is open. Only a few are sent
 * at a time; further ones are dropped.
 */
import { Agent, request } from 'node:http';
import {
  encodeMessage,
  MESSAGE_TYPE,
  type RaftMessage,
} from '../../core/consensus/raft/messages.ts';
import { requestHeaders } from './http-headers.ts';

const CONNECTIONS_MAX = 4;
const QUEUE_MAX = 64;
const TIMEOUT_MS = 5_000;

export interface PipelineParts {
  readonly local: number;
  readonly url: string;
  ownUrl(): string | undefined;
  /** Reports whether the message arrived. */
  done(message: RaftMessage, isDelivered: boolean): void;
}

export class Pipeline {
  private readonly parts: PipelineParts;
  private readonly agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS_MAX });
  private readonly queue: RaftMessage[] = [];
  private underWay = 0;
  private isStopped = false;

  constructor(parts: PipelineParts) {
    this.parts = parts;
  }

  send(message: RaftMessage): void {
    if (this.isStopped) return;
    if (this.queue.length >= QUEUE_MAX) this.parts.done(message, false);
    else {
      this.queue.push(message);
      this.next();
    }
  }

  stop(): void {
    this.isStopped = true;
    this.queue.length = 0;
    this.agent.destroy();
  }

  private next(): void {
    if (this.underWay >= CONNECTIONS_MAX) return;
    const message = this.queue.shift();
    if (!message) return;
    this.underWay++;
    void this.post(message).then((isDelivered) => {
      this.underWay--;
      if (this.isStopped) return;
      this.parts.done(message, isDelivered);
      this.next();
    });
  }

  private post(message: RaftMessage): Promise<boolean> {
    const { local, url, ownUrl } = this.parts;
    const body = encodeMessage(message);
    return new Promise((resolve) => {
      const post = request(`${url}/raft`, {
        method: 'POST',
        agent: this.agent,
        headers: {
          ...requestHeaders(local, ownUrl()),
          'Content-Type': 'application/protobuf',
          'Content-Length': body.length,
        },
      });
      post.setTimeout(TIMEOUT_MS, () => post.destroy(new Error('timeout')));
      post.on('error', () => resolve(false));
      post.on('close', () => resolve(false));
      post.on('response', (response) => {
        response.resume();
        response.on('error', () => resolve(false));
        response.on('end', () => resolve(response.statusCode === 204));
      });
      post.end(body);
    });
  }
}

export function isSnapshot({ type }: RaftMessage): boolean {
  return type === MESSAGE_TYPE.snapshot;
}
