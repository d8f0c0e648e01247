/**
 * The bytes that members write into each other's streams: `msgapp` in etcd's msgappv2 form, where
 * appends that continue the previous one omit what follows from it, and `message`, plain
 * length-prefixed messages (etcd 3.3 etcdserver/api/rafthttp).
 */
import { concatBytes } from '../../base/bytes.ts';
import { fail } from '../../base/errors.ts';
import {
  decodeEntry,
  decodeMessage,
  ENTRIES_MAX,
  type Entry,
  encodeEntry,
  encodeMessage,
  fieldBudget,
  MESSAGE_TYPE,
  type RaftMessage,
  raftMessage,
} from './messages.ts';

const FRAME = { heartbeat: 0, entries: 1, message: 2 } as const;
/**
 * GoQuorum reads up to 512 MB; a block and its neighbours are far smaller, and peers on this port
 * are not authenticated.
 */
export const RAFT_FRAME_BYTES_MAX = 64 * 1024 * 1024;

/** Keeps a connection alive; not a protocol message. */
const LINK_HEARTBEAT: RaftMessage = raftMessage({ type: MESSAGE_TYPE.heartbeat });

function isLinkHeartbeat({ type, from, to }: RaftMessage): boolean {
  return type === MESSAGE_TYPE.heartbeat && from === 0 && to === 0;
}

export type StreamKind = 'msgapp' | 'message';

export interface StreamEncoder {
  encode(message: RaftMessage): Uint8Array;
  heartbeat(): Uint8Array;
}

export function streamEncoder(kind: StreamKind): StreamEncoder {
  return kind === 'msgapp' ? new AppendEncoder() : MESSAGE_ENCODER;
}

const MESSAGE_ENCODER: StreamEncoder = {
  encode: (message) => prefixed(encodeMessage(message)),
  heartbeat: () => prefixed(encodeMessage(LINK_HEARTBEAT)),
};

class AppendEncoder implements StreamEncoder {
  private term = 0;
  private index = 0;

  heartbeat(): Uint8Array {
    return Uint8Array.of(FRAME.heartbeat);
  }

  encode(message: RaftMessage): Uint8Array {
    const { term, logTerm, index, entries } = message;
    if (this.index === index && this.term === logTerm && logTerm === term) {
      this.index += entries.length;
      return concatBytes(
        Uint8Array.of(FRAME.entries),
        uint64(entries.length),
        ...entries.map((entry) => prefixed(encodeEntry(entry))),
        uint64(message.commit),
      );
    }
    this.term = term;
    this.index = entries.at(-1)?.index ?? index;
    return concatBytes(Uint8Array.of(FRAME.message), prefixed(encodeMessage(message)));
  }
}

/**
 * Collects bytes; `messages` holds the messages that are complete so far, without the link's
 * heartbeats.
 */
export class StreamDecoder {
  private readonly kind: StreamKind;
  private readonly local: number;
  private readonly remote: number;
  private pieces: Uint8Array[] = [];
  private gathered = 0;
  private wanted = 1;
  private term = 0;
  private index = 0;

  constructor(kind: StreamKind, local: number, remote: number) {
    this.kind = kind;
    this.local = local;
    this.remote = remote;
  }

  /** Throws RAFT_MESSAGE_INVALID: the connection must be closed. */
  push(piece: Uint8Array): RaftMessage[] {
    this.pieces.push(piece);
    this.gathered += piece.length;
    if (this.gathered < this.wanted) return [];
    const bytes = this.pieces.length === 1 ? piece : concatBytes(...this.pieces);
    const messages: RaftMessage[] = [];
    let at = 0;
    for (;;) {
      const frame = new FrameReader(bytes, at);
      const message = this.kind === 'msgapp' ? this.appendFrame(frame) : this.messageFrame(frame);
      if (message === undefined) {
        this.wanted = frame.wanted - at;
        break;
      }
      at = frame.at;
      if (!isLinkHeartbeat(message)) messages.push(message);
    }
    this.pieces = at < bytes.length ? [bytes.slice(at)] : [];
    this.gathered = bytes.length - at;
    return messages;
  }

  private messageFrame(frame: FrameReader): RaftMessage | undefined {
    const bytes = frame.prefixed();
    return bytes && decodeMessage(bytes);
  }

  private appendFrame(frame: FrameReader): RaftMessage | undefined {
    const kind = frame.byte();
    switch (kind) {
      case undefined:
        return undefined;
      case FRAME.heartbeat:
        return LINK_HEARTBEAT;
      case FRAME.entries:
        return this.entriesFrame(frame);
      case FRAME.message: {
        const message = this.messageFrame(frame);
        if (!message) return undefined;
        this.term = message.term;
        this.index = message.entries.at(-1)?.index ?? message.index;
        return message;
      }
      default:
        throw fail('RAFT_MESSAGE_INVALID', `failed to parse type ${kind} in msgappv2 stream`);
    }
  }

  private entriesFrame(frame: FrameReader): RaftMessage | undefined {
    const count = frame.uint64();
    if (count === undefined) return undefined;
    if (count > ENTRIES_MAX) throw fail('RAFT_MESSAGE_INVALID', 'raft message: too many entries');
    const entries: Entry[] = [];
    const budget = fieldBudget();
    for (let i = 0; i < count; i++) {
      const bytes = frame.prefixed();
      if (!bytes) return undefined;
      entries.push(decodeEntry(bytes, budget));
    }
    const commit = frame.uint64();
    if (commit === undefined) return undefined;
    const { term, index } = this;
    this.index += count;
    return raftMessage({
      type: MESSAGE_TYPE.append,
      from: this.remote,
      to: this.local,
      term,
      logTerm: term,
      index,
      entries,
      commit,
    });
  }
}

/** Reads as far as bytes are available; `wanted`: how many the next read needs. */
class FrameReader {
  at: number;
  wanted: number;
  private readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array, at: number) {
    this.bytes = bytes;
    this.at = at;
    this.wanted = at + 1;
  }

  byte(): number | undefined {
    return this.take(1)?.[0];
  }

  uint64(): number | undefined {
    const bytes = this.take(8);
    if (!bytes) return undefined;
    const view = new DataView(bytes.buffer, bytes.byteOffset, 8);
    const value = view.getUint32(0) * 0x100000000 + view.getUint32(4);
    if (!Number.isSafeInteger(value)) {
      throw fail('RAFT_MESSAGE_INVALID', 'raft message: number above 2^53');
    }
    return value;
  }

  prefixed(): Uint8Array | undefined {
    const length = this.uint64();
    if (length === undefined) return undefined;
    if (length > RAFT_FRAME_BYTES_MAX) {
      throw fail('RAFT_MESSAGE_INVALID', `raft message of ${length} bytes`);
    }
    return this.take(length);
  }

  private take(length: number): Uint8Array | undefined {
    const end = this.at + length;
    this.wanted = end;
    if (end > this.bytes.length) return undefined;
    const start = this.at;
    this.at = end;
    return this.bytes.slice(start, end);
  }
}

function prefixed(bytes: Uint8Array): Uint8Array {
  return concatBytes(uint64(bytes.length), bytes);
}

function uint64(value: number): Uint8Array {
  const out = new Uint8Array(8);
  const view = new DataView(out.buffer);
  view.setUint32(0, Math.floor(value / 0x100000000));
  view.setUint32(4, value % 0x100000000);
  return out;
}
