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

interface BegunEntries {
  readonly count: number;
  readonly entries: Entry[];
  /** Of these entries. */
  bytes: number;
  readonly budget: ReturnType<typeof fieldBudget>;
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
  /** The frame of entries whose end has not arrived. */
  private begun: BegunEntries | undefined;

  constructor(kind: StreamKind, local: number, remote: number) {
    this.kind = kind;
    this.local = local;
    this.remote = remote;
  }

  /** Bytes that wait for the rest of their frame, or of their entry. */
  get waitingBytes(): number {
    return this.gathered;
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
      at = message ? frame.at : frame.kept;
      if (message === undefined) {
        this.wanted = frame.wanted - at;
        break;
      }
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
    if (this.begun) return this.entriesFrame(frame, this.begun);
    const kind = frame.byte();
    switch (kind) {
      case undefined:
        return undefined;
      case FRAME.heartbeat:
        return LINK_HEARTBEAT;
      case FRAME.entries: {
        const count = frame.uint64();
        return count === undefined ? undefined : this.entriesFrame(frame, this.begin(count));
      }
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

  private begin(count: number): BegunEntries {
    if (count > ENTRIES_MAX) throw fail('RAFT_MESSAGE_INVALID', 'raft message: too many entries');
    this.begun = { count, entries: [], bytes: 0, budget: fieldBudget() };
    return this.begun;
  }

  private entriesFrame(frame: FrameReader, begun: BegunEntries): RaftMessage | undefined {
    const { count, entries, budget } = begun;
    frame.keep();
    while (entries.length < count) {
      const bytes = frame.prefixed(RAFT_FRAME_BYTES_MAX - begun.bytes);
      if (!bytes) return undefined;
      begun.bytes += bytes.length;
      entries.push(decodeEntry(bytes, budget));
      frame.keep();
    }
    const commit = frame.uint64();
    if (commit === undefined) return undefined;
    this.begun = undefined;
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

/** Reads as far as bytes are available; `wanted`: where the next read ends. */
class FrameReader {
  at: number;
  wanted: number;
  /** What is before this place need not be read again. */
  kept: number;
  private readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array, at: number) {
    this.bytes = bytes;
    this.at = at;
    this.kept = at;
    this.wanted = at + 1;
  }

  keep(): void {
    this.kept = this.at;
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

  prefixed(bytesMax = RAFT_FRAME_BYTES_MAX): Uint8Array | undefined {
    const length = this.uint64();
    if (length === undefined) return undefined;
    if (length > bytesMax) {
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
