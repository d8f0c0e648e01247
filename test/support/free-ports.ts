/** A range of ports that nobody listens on right now. */
import { isFree } from '../../src/services/devnet/free-ports.ts';

const FIRST_PORT = 23_000;
const LAST_PORT = 31_000;
const RANGE_SIZE = 23;
const TRIES_MAX = 100;
/** Test files that run at once take turns with the ranges: a node that is down keeps its ports. */
const SHARES = 16;
const share = Number(process.env.VITEST_POOL_ID ?? 0) % SHARES;
const RANGES_PER_SHARE = Math.floor((LAST_PORT - FIRST_PORT) / RANGE_SIZE / SHARES);

/** Ranges that are given out, and perhaps not listened on yet. */
const LATEST = Math.floor(RANGES_PER_SHARE / 2);
const given: number[] = [];

/**
 * First of 23 free neighbours, below the range from which the system takes ports for outgoing
 * connections.
 */
export async function freePorts(): Promise<number> {
  for (let attempt = 0; attempt < TRIES_MAX; attempt++) {
    const range = share + SHARES * Math.floor(Math.random() * RANGES_PER_SHARE);
    const first = FIRST_PORT + RANGE_SIZE * range;
    if (given.includes(first)) continue;
    const each = Array.from({ length: RANGE_SIZE }, (_, index) => isFree(first + index));
    given.push(first);
    if (given.length > LATEST) given.shift();
    if ((await Promise.all(each)).every(Boolean)) return first;
  }
  throw new Error('no free range of ports');
}
