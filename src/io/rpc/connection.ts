/** What a server knows of a client's connection: the same for all requests on it. */
import type { Socket } from 'node:net';
import { addressBlock } from '../http/address-block.ts';

export interface Connection {
  /** Unique among the connections of this process. */
  readonly number: number;
  /** The client's address; '' if it is unknown. */
  readonly remote: string;
  /** The client whose connections are counted together. */
  readonly source: string;
  /** Aborted when the connection ends. */
  readonly gone: AbortSignal;
}

const known = new WeakMap<Socket, Connection>();
let lastNumber = 0;

export function connectionOf(socket: Socket): Connection {
  const found = known.get(socket);
  if (found) return found;
  const gone = new AbortController();
  if (socket.destroyed) gone.abort();
  else socket.once('close', () => gone.abort());
  const remote = socket.remoteAddress ?? '';
  const made = {
    ...{ number: ++lastNumber, remote },
    ...{ source: addressBlock(socket.remoteAddress), gone: gone.signal },
  };
  known.set(socket, made);
  return made;
}
