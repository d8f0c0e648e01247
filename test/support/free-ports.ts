/** A range of ports that nobody listens on right now, and that no other test takes. */
import { createServer, type Server } from 'node:net';
import { isFree } from '../../src/services/devnet/free-ports.ts';

const FIRST_PORT = 23_000;
const LAST_PORT = 31_000;
const RANGE_SIZE = 30;
/** A range, and the port behind it, which is held. */
const STEP = RANGE_SIZE + 1;
const RANGES = Math.floor((LAST_PORT - FIRST_PORT) / STEP);
const TRIES_MAX = 100;
/** Ranges that one process holds; the oldest is let go. */
const HELD_MAX = 20;
const held: Server[] = [];

/**
 * First of 30 free neighbours, below the range from which the system takes ports for outgoing
 * connections. This process listens on the port behind them until it ends: a test whose node or
 * service is down between two starts keeps its ports, whatever else runs on the machine.
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

/** undefined: another process does. */
function listenOn(port: number): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer().unref();
    server.once('error', () => resolve(undefined));
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}
