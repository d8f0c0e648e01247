/**
 * Connections with one other member: the streams that it has opened here, those that we read from
 * it, and the pipeline.
 */
import type { ServerResponse } from 'node:http';
import type { Log } from '../../core/base/ports.ts';
import { MESSAGE_TYPE, type RaftMessage } from '../../core/consensus/raft/messages.ts';
import {
  type StreamEncoder,
  type StreamKind,
  streamEncoder,
} from '../../core/consensus/raft/stream-codec.ts';
import { isSnapshot, Pipeline } from './pipeline.ts';
import { STREAM_TIMEOUT_MS, StreamReader } from './stream-reader.ts';

const HEARTBEAT_MS = STREAM_TIMEOUT_MS / 3;
/** Maximum bytes that wait in a connection whose other side does not read. */
const UNSENT_BYTES_MAX = 64 * 1024 * 1024;

export interface MemberLinkParts {
  readonly local: number;
  readonly remote: number;
  readonly url: string;
  readonly log: Log;
  ownUrl(): string | undefined;
  received(message: RaftMessage): void;
  unreachable(id: number): void;
  snapshotSent(id: number, isDelivered: boolean): void;
}

interface OutgoingStream {
  readonly response: ServerResponse;
  readonly encoder: StreamEncoder;
}

export class MemberLink {
  readonly url: string;
  private readonly parts: MemberLinkParts;
  private readonly pipeline: Pipeline;
  private readonly readers: readonly StreamReader[];
  private readonly outgoing = new Map<StreamKind, OutgoingStream>();
  private readonly beat: NodeJS.Timeout;

  /** `isReading` is false for a member that we only answer, until its address is committed. */
  constructor(parts: MemberLinkParts, isReading: boolean) {
    this.parts = parts;
    this.url = parts.url;
    this.pipeline = new Pipeline({
      ...parts,
      done: (message, isDelivered) => this.posted(message, isDelivered),
    });
    const kinds: readonly StreamKind[] = isReading ? ['msgapp', 'message'] : [];
    this.readers = kinds.map((kind) => new StreamReader({ ...parts, kind }));
    this.beat = setInterval(() => this.beatStreams(), HEARTBEAT_MS);
  }

  get isActive(): boolean {
    return this.outgoing.size > 0 || this.readers.some(({ isConnected }) => isConnected);
  }

  send(message: RaftMessage): void {
    const stream =
      (message.type === MESSAGE_TYPE.append ? this.outgoing.get('msgapp') : undefined) ??
      this.outgoing.get('message');
    if (!stream || isSnapshot(message)) this.pipeline.send(message);
    else if (stream.response.writableLength > UNSENT_BYTES_MAX) this.lost(message.to);
    else stream.response.write(stream.encoder.encode(message));
  }

  /** Called when the member has requested a stream: from now on we write into `response`. */
  attach(kind: StreamKind, response: ServerResponse): void {
    this.outgoing.get(kind)?.response.destroy();
    const stream = { response, encoder: streamEncoder(kind) };
    this.outgoing.set(kind, stream);
    response.on('error', () => undefined);
    response.on('close', () => {
      if (this.outgoing.get(kind) !== stream) return;
      this.outgoing.delete(kind);
      this.lost(this.parts.remote);
    });
  }

  stop(): void {
    clearInterval(this.beat);
    for (const reader of this.readers) reader.stop();
    const streams = [...this.outgoing.values()];
    this.outgoing.clear();
    // Data that was already written is still sent: a removed member learns of its removal from it.
    for (const { response } of streams) response.end();
    this.pipeline.stop();
  }

  private beatStreams(): void {
    for (const { response, encoder } of this.outgoing.values()) {
      if (response.writableLength <= UNSENT_BYTES_MAX) response.write(encoder.heartbeat());
      else response.destroy();
    }
  }

  private posted(message: RaftMessage, isDelivered: boolean): void {
    if (isSnapshot(message)) this.parts.snapshotSent(message.to, isDelivered);
    if (!isDelivered) this.lost(message.to);
  }

  private lost(id: number): void {
    this.parts.unreachable(id);
  }
}
