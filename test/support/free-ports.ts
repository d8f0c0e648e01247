/** A range of ports that nobody listens on now, and that no other test uses. */
import { createServer, type Server } from 'node:net';
import { isFree } from '../../src/services/devnet/free-ports.ts';

const FIRST_PORT = 23_000;
const LAST_PORT = 31_000;
const RANGE_SIZE = 30;
/** The range, and one port after it, which this process holds as a lock. */
const STEP = RANGE_SIZE + 1;
const RANGES = Math.floor((LAST_PORT - FIRST_PORT) / STEP);
const TRIES_MAX = 100;
/** Ranges that one process holds; beyond this, the oldest is released. */
const HELD_MAX = 20;
const held: Server[] = [];

/**
 * Returns the first of 30 free consecutive ports, below the range that the system uses for outgoing
 * connections. This process listens on the port after them until it ends: so a test keeps its ports
 * while its node or service is stopped between two starts.
 */
export async function freePorts(): Promise<number> {
  for (let attempt = 0; attempt < TRIES_MAX; attempt++) {
    const first = FIRST_PORT + STEP * Math.floor(Math.random() * RANGES);
    const holder = await listenOn(first + RANGE_SIZE);
    if (!holder) continue;
    const each = Array.from({ length: RANGE_SIZE }, (_, index) => isFree(first + index));
    if ((await Promise.all(each)).every(Boolean)) {
      held.push(holder);
      if (held.length > HELD_MAX) held.shift()!.close();
      return first;
    }
    holder.close();
  }
  throw new Error('no free range of ports');
}

/** undefined: another process listens there. */
function listenOn(port: number): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer().unref();
    server.once('error', () => resolve(undefined));
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}
