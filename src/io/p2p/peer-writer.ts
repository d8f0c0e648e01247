/**
 * Messages to a peer, in order, but those of consensus before all that wait. Long ones are
 * compressed, encrypted and hashed in pieces, alternating with work for other peers; messages after
 * a long one wait for its end.
 */
import type { Socket } from 'node:net';
import { LONG_MESSAGE_BYTES } from '../../core/base/pace.ts';
import type { PeerTurns } from './peer-turns.ts';
import type { RlpxSession } from './rlpx-session.ts';

/**
 * With more bytes than this in the socket, only consensus is written: what is there goes before it.
 */
const SOCKET_BYTES_MAX = 1024 * 1024;

interface Waiting {
  readonly code: number;
  readonly bytes: Uint8Array;
  readonly isUrgent: boolean;
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
  private awaitsDrain = false;

  constructor(parts: PeerWriterParts) {
    this.parts = parts;
    this.place = parts.turns.newPlace();
  }

  /** Bytes of messages that are not yet encoded. */
  get waitingBytes(): number {
    return this.bytes;
  }

  /**
   * Short messages of one turn of the event loop are sent in one write. `isUrgent`: before those
   * that wait and are not. Throws RLPX_INVALID for a short one.
   */
  write(code: number, bytes: Uint8Array, isUrgent = false): void {
    if (!this.work && bytes.length < LONG_MESSAGE_BYTES && this.isNext(isUrgent)) {
      this.put(this.parts.session.encode(code, bytes));
      return;
    }
    const wasIdle = this.queue.length === 0 || this.awaitsDrain;
    this.enter({ code, bytes, isUrgent });
    this.bytes += bytes.length;
    if (wasIdle) this.proceed();
  }

  /** Drops waiting messages. */
  end(): void {
    this.queue = [];
    this.work = undefined;
    this.bytes = 0;
    this.parts.turns.forget(this.place);
  }

  /** Whether a new message would be the first of the queue, and need not wait there. */
  private isNext(isUrgent: boolean): boolean {
    const [first] = this.queue;
    return isUrgent ? !first?.isUrgent : first === undefined && !this.isSocketFull();
  }

  private isSocketFull(): boolean {
    return this.parts.socket.writableLength > SOCKET_BYTES_MAX;
  }

  private enter(message: Waiting): void {
    const { queue } = this;
    const started = this.work ? 1 : 0;
    const place = queue.findIndex(({ isUrgent }, at) => at >= started && !isUrgent);
    if (message.isUrgent && place >= 0) queue.splice(place, 0, message);
    else queue.push(message);
  }

  /** Whether the next message must not fill the socket further. */
  private isHeld(): boolean {
    return !this.work && !this.queue[0]!.isUrgent && this.isSocketFull();
  }

  private awaitDrain(): void {
    if (this.awaitsDrain) return;
    this.awaitsDrain = true;
    this.parts.socket.once('drain', () => {
      this.awaitsDrain = false;
      this.proceed();
    });
  }

  private proceed(): void {
    const { turns } = this.parts;
    try {
      while (this.queue.length > 0) {
        if (this.isHeld()) {
          this.awaitDrain();
          return;
        }
        if (!turns.mayGoOn) {
          turns.wait(this.place, () => this.proceed(), this.queue[0]!.isUrgent);
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
