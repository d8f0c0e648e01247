/** Both ends of an RLPx session, without the handshake. */
import { RlpxSession } from '../src/io/p2p/rlpx-session.ts';

export function sessionPair(): [RlpxSession, RlpxSession] {
  const aes = new Uint8Array(32).fill(1);
  const mac = new Uint8Array(32).fill(2);
  const [left, right] = [new Uint8Array(32).fill(3), new Uint8Array(32).fill(4)];
  const sessions: [RlpxSession, RlpxSession] = [
    new RlpxSession({ aes, mac, egressSeed: left, ingressSeed: right }),
    new RlpxSession({ aes, mac, egressSeed: right, ingressSeed: left }),
  ];
  for (const session of sessions) session.compressed = true;
  return sessions;
}
