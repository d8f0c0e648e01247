import type { Frame, RlpxSession } from '../../src/io/p2p/rlpx-session.ts';

/** Does all that can be done for the next message; undefined: more must arrive. */
export function nextFrame(session: RlpxSession, bytesMax: number): Frame | undefined {
  for (;;) {
    const next = session.next(bytesMax);
    if (next !== 'more') return next;
  }
}
