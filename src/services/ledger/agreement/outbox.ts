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

  /** `bytes`: parts of the message to transfer, each alone in its buffer. */
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

  /** Nobody listens any more. */
  close(): void {
    this.isClosed = true;
    this.waiting = [];
  }
}

/** The bytes alone in a buffer: posting a view copies its whole buffer. */
export function alone(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const isAlone = bytes.buffer instanceof ArrayBuffer && bytes.length === bytes.buffer.byteLength;
  return isAlone ? (bytes as Uint8Array<ArrayBuffer>) : copyOf(bytes);
}

/** For transfer. `slice` does not copy bytes from a socket: Node's Buffer returns a view. */
export function copyOf(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes);
}
