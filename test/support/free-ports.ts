/** A range of ports that nobody listens on right now. */
import { isFree } from '../../src/services/devnet/free-ports.ts';

const FIRST_PORT = 23_000;
const LAST_PORT = 31_000;
const RANGE_SIZE = 22;
const TRIES_MAX = 100;

/** First of 22 free neighbours, below the range from which the system takes ports for outgoing connections. */
export async function freePorts(): Promise<number> {
  for (let attempt = 0; attempt < TRIES_MAX; attempt++) {
    const first =
      FIRST_PORT + RANGE_SIZE * Math.floor((Math.random() * (LAST_PORT - FIRST_PORT)) / RANGE_SIZE);
    const each = Array.from({ length: RANGE_SIZE }, (_, index) => isFree(first + index));
    if ((await Promise.all(each)).every(Boolean)) return first;
  }
  throw new Error('no free range of ports');
}
