/** Messages to another thread: those of one turn of the event loop are sent together. */
import type { TransferListItem } from 'node:worker_threads';

export interface Outlet {
  postMessage(value: unknown, transfer?: readonly TransferListItem[]): void;
}

export class Outbox<T> {
  private readonly port: Outlet;
  private waiting: T[] = [];
  private transfer: TransferListItem[] = [];
  private isClosed = false;

  constructor(port: Outlet) {
    this.port = port;
  }

  /** `bytes`: parts of the message to transfer; each must be alone in its buffer. */
  say(message: T, ...bytes: readonly Uint8Array<ArrayBuffer>[]): void {
    if (this.isClosed) return;
    if (this.waiting.push(message) === 1) process.nextTick(() => this.flush());
    for (const { buffer } of bytes) this.transfer.push(buffer);
  }

  flush(): void {
    const { waiting, transfer } = this;
    if (waiting.length === 0) return;
    this.waiting = [];
    this.transfer = [];
    this.port.postMessage(waiting, transfer);
  }

  /** Drops waiting and later messages: the other thread has stopped listening. */
  close(): void {
    this.isClosed = true;
    this.waiting = [];
  }
}

/** Returns the bytes in a buffer of their own: posting a view copies its whole buffer. */
export function alone(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const isAlone = bytes.buffer instanceof ArrayBuffer && bytes.length === bytes.buffer.byteLength;
  return isAlone ? (bytes as Uint8Array<ArrayBuffer>) : copyOf(bytes);
}

/** A copy to transfer. Not `slice`: on a Buffer from a socket it returns a view. */
export function copyOf(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes);
}
