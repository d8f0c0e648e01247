/**
 * Selects the peers to which a new block is sent: the full block to floor(sqrt(n)) of the n peers
 * that lack it, its hash to the rest (GoQuorum eth/handler.go). Those to whom it was proposed get
 * only its hash: they have it, or fetch it.
 */
import { type Hash32, keyOf } from '../base/bytes.ts';
import type { PeerId } from '../base/ports.ts';
import { KnownHashes } from './known-hashes.ts';

const KNOWN_BLOCKS_MAX = 1_024;

export class BlockGossip {
  private readonly peers = new Map<PeerId, KnownHashes>();

  joined(peer: PeerId): void {
    this.peers.set(peer, new KnownHashes(KNOWN_BLOCKS_MAX));
  }

  left(peer: PeerId): void {
    this.peers.delete(peer);
  }

  /** The peer has the block: it sent or announced it. */
  knows(peer: PeerId, hash: Hash32): void {
    this.peers.get(peer)?.add(keyOf(hash));
  }

  /** Peers that do not know of the block; from now on they count as knowing it. */
  spread(
    hash: Hash32,
    wasProposedTo: (peer: PeerId) => boolean,
  ): { whole: PeerId[]; hash: PeerId[] } {
    const key = keyOf(hash);
    const lacking: PeerId[] = [];
    const validators: PeerId[] = [];
    for (const [peer, known] of this.peers)
      if (known.add(key)) (wasProposedTo(peer) ? validators : lacking).push(peer);
    const whole = Math.floor(Math.sqrt(lacking.length));
    return { whole: lacking.slice(0, whole), hash: [...lacking.slice(whole), ...validators] };
  }
}
