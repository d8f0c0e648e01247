/**
 * Messages to a peer, in order. Long ones are compressed, encrypted and hashed in pieces,
 * alternating with work for other peers; messages after a long one wait for its end.
 */
import type { Socket } from 'node:net';
import { LONG_MESSAGE_BYTES } from '../../core/base/pace.ts';
import type { PeerTurns } from './peer-turns.ts';
import type { RlpxSession } from './rlpx-session.ts';

interface Waiting {
  readonly code: number;
  readonly bytes: Uint8Array;
}

export interface PeerWriterParts {
  readonly socket: Socket;
  readonly session: RlpxSession;
  readonly turns: PeerTurns;
  /** Called when bytes were written to the socket. */
  wrote(): void;
  /** Called when a message cannot be sent. */
  failed(error: unknown): void;
}

export class PeerWriter {
  private readonly parts: PeerWriterParts;
  private readonly place: number;
  private queue: Waiting[] = [];
  /** The started work for the first message of the queue. */
  private work: Iterator<Uint8Array | undefined> | undefined;
  private bytes = 0;
  private corked = false;

  constructor(parts: PeerWriterParts) {
    this.parts = parts;
    this.place = parts.turns.newPlace();
  }

  /** Bytes of messages that are not yet encoded. */
  get waitingBytes(): number {
    return this.bytes;
  }

  /**
   * Short messages of one turn of the event loop are sent in one write. Throws RLPX_INVALID for a
   * short one.
   */
  write(code: number, bytes: Uint8Array): void {
    if (this.queue.length === 0 && bytes.length < LONG_MESSAGE_BYTES) {
      this.put(this.parts.session.encode(code, bytes));
      return;
    }
    this.queue.push({ code, bytes });
    this.bytes += bytes.length;
    if (this.queue.length === 1) this.proceed();
  }

  /** Drops waiting messages. */
  end(): void {
    this.queue = [];
    this.work = undefined;
    this.bytes = 0;
    this.parts.turns.forget(this.place);
  }

  private proceed(): void {
    const { turns } = this.parts;
    try {
      while (this.queue.length > 0) {
        if (!turns.mayGoOn) {
          turns.wait(this.place, () => this.proceed());
          return;
        }
        turns.run(
          this.place,
          () => this.step(),
          () => undefined,
        );
      }
    } catch (error) {
      this.parts.failed(error);
    }
  }

  private step(): void {
    const { code, bytes } = this.queue[0]!;
    this.work ??= this.parts.session.encodeInPieces(code, bytes);
    const { value, done } = this.work.next();
    if (value) this.put(value);
    if (!done) return;
    this.work = undefined;
    this.queue.shift();
    this.bytes -= bytes.length;
  }

  private put(bytes: Uint8Array): void {
    const { socket, wrote } = this.parts;
    if (!this.corked) {
      this.corked = true;
      socket.cork();
      process.nextTick(() => {
        this.corked = false;
        socket.uncork();
      });
    }
    socket.write(bytes, wrote);
  }
}
