/**
 * Keeps a connection with many calls within bounds: it is not read while too many calls wait or the
 * client does not read its answers, and it is closed if that does not help.
 */
import type { Holding } from '../../core/base/byte-budget.ts';
import { REQUEST_OVERHEAD_BYTES, type Traffic, UnsentRoom } from './traffic.ts';

/** Maximum number of calls that wait or are in progress: with more, the connection is not read. */
const CALLS_MAX = 1_000;
const WAITING_BYTES_MAX = 4 * 1024 * 1024;
/** With more bytes unread by the client, nothing is read and no further call starts. */
const UNSENT_BYTES_MAX = 1024 * 1024;
/** Notifications are unsolicited: a client with more unread bytes of them is disconnected. */
const NOTICE_BYTES_MAX = 16 * 1024 * 1024;

export interface FlowWire {
  pause(): void;
  resume(): void;
  /** Closes the connection at once. */
  end(): void;
}

export class Flow {
  /** Space for the answers of the batch in progress. */
  readonly room: UnsentRoom;
  private readonly wire: FlowWire;
  private readonly traffic: Traffic;
  private readonly requests: Holding;
  private readonly unsent: Holding;
  private calls = 0;
  private waitingBytes = 0;
  private partBytes = 0;
  private noticeBytes = 0;
  private isPaused = false;
  private isOver = false;
  private waiters: (() => void)[] = [];

  constructor(wire: FlowWire, traffic: Traffic, source: string) {
    this.wire = wire;
    this.traffic = traffic;
    this.requests = traffic.requests.open(source);
    this.unsent = traffic.unsent.open(source, () => this.end());
    this.room = new UnsentRoom(
      traffic.unsent,
      traffic.unsent.open(source, () => this.end()),
    );
  }

  /** Called for received bytes of an incomplete message. */
  arrived(bytes: number): void {
    this.partBytes += bytes;
    if (!this.isOver && !this.requests.take(bytes)) this.end();
  }

  /** Called when this many of the received bytes belong to no message. */
  passed(bytes: number): void {
    const given = Math.min(bytes, this.partBytes);
    this.partBytes -= given;
    this.requests.give(given);
  }

  /** Called for a complete message, which now waits for its turn. */
  begin(bytes: number): void {
    this.requests.give(this.partBytes);
    this.partBytes = 0;
    this.calls++;
    this.waitingBytes += bytes;
    if (!this.isOver && !this.requests.take(bytes + REQUEST_OVERHEAD_BYTES)) this.end();
    this.settle();
  }

  /** Called when a message has been answered. */
  finish(bytes: number): void {
    this.calls--;
    this.waitingBytes -= bytes;
    this.requests.give(bytes + REQUEST_OVERHEAD_BYTES);
    this.settle();
  }

  /**
   * Call it when this many bytes are handed to the connection; call the returned function when the
   * client has read them.
   */
  send(bytes: number, isNotice: boolean): () => void {
    if (isNotice) this.noticeBytes += bytes;
    if (this.noticeBytes > NOTICE_BYTES_MAX) this.end();
    if (this.isOver) return () => undefined;
    this.unsent.force(bytes);
    this.traffic.unsent.relieve();
    this.settle();
    return () => {
      if (isNotice) this.noticeBytes -= bytes;
      this.unsent.give(bytes);
      this.settle();
    };
  }

  /** Resolves when the client has read most of the bytes sent, or is gone. */
  async drained(): Promise<void> {
    while (!this.isOver && this.unsent.bytes > UNSENT_BYTES_MAX)
      await new Promise<void>((resolve) => this.waiters.push(resolve));
  }

  /** Called when the client has read nothing for too long. */
  stalled(): void {
    if (this.unsent.bytes > 0) this.end();
  }

  /** Called when the connection has ended. */
  close(): void {
    this.isOver = true;
    this.requests.release();
    this.unsent.release();
    this.room.release();
    this.settle();
  }

  private end(): void {
    if (this.isOver) return;
    this.close();
    this.wire.end();
  }

  private settle(): void {
    if (this.isOver || this.unsent.bytes <= UNSENT_BYTES_MAX)
      for (const wake of this.waiters.splice(0)) wake();
    if (this.isOver) return;
    const isFull =
      this.calls >= CALLS_MAX ||
      this.waitingBytes >= WAITING_BYTES_MAX ||
      this.unsent.bytes > UNSENT_BYTES_MAX;
    if (isFull === this.isPaused) return;
    this.isPaused = isFull;
    if (isFull) this.wire.pause();
    else this.wire.resume();
  }
}
