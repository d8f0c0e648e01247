/** Counts bytes and messages to and from peers, and connections, in memory that threads share. */
import type { Socket } from 'node:net';

export const CELLS = [
  'ingress',
  'egress',
  'ingress/packets',
  'egress/packets',
  'dials',
  'serves',
] as const;
type Cell = (typeof CELLS)[number];

export class PeerTraffic {
  readonly memory: SharedArrayBuffer;
  private readonly cells: BigInt64Array;

  constructor(
    memory: SharedArrayBuffer = new SharedArrayBuffer(
      CELLS.length * BigInt64Array.BYTES_PER_ELEMENT,
    ),
  ) {
    this.memory = memory;
    this.cells = new BigInt64Array(memory);
  }

  /** A count: bytes or messages in or out, or connections opened by this node or by peers. */
  of(cell: Cell): number {
    return Number(Atomics.load(this.cells, CELLS.indexOf(cell)));
  }

  add(cell: Cell, by: number): void {
    Atomics.add(this.cells, CELLS.indexOf(cell), BigInt(by));
  }
}

/** Counts the bytes of a connection while it is open; `memory` is that of a PeerTraffic. */
export function watchTraffic(
  memory: SharedArrayBuffer | undefined,
  socket: Socket,
  kind: 'dials' | 'serves',
): void {
  if (!memory) return;
  const traffic = new PeerTraffic(memory);
  let written = 0;
  const count = () => {
    const now = socket.bytesWritten;
    traffic.add('egress', now - written);
    written = now;
  };
  traffic.add(kind, 1);
  socket.on('data', (chunk: Buffer) => {
    traffic.add('ingress', chunk.length);
    count();
  });
  socket.once('close', count);
}
