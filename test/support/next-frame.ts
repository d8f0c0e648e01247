import type { Frame, RlpxSession } from '../../src/io/p2p/rlpx-session.ts';

/** Advances the session until it has the next message; undefined: more bytes must arrive. */
export function nextFrame(session: RlpxSession, bytesMax: number): Frame | undefined {
  for (;;) {
    const next = session.next(bytesMax);
    if (next !== 'more') return next;
  }
}
