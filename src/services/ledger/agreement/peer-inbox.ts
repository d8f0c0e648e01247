/**
 * Handles peer messages from the agreement thread: each peer's in order, the peers in turns of a
 * few milliseconds; reports the cost of each message.
 */
import type { Slices } from '../../../core/base/pace.ts';
import type { LinkEvent, LinkSink, PeerId, PeerMessage } from '../../../core/base/ports.ts';
import { PeerTurns } from '../../../io/p2p/peer-turns.ts';

interface Peer {
  readonly place: number;
  readonly messages: PeerMessage[];
  /** The unfinished work for the first message. */
  work: Slices<void> | undefined;
  ms: number;
  isWaiting: boolean;
}

export interface PeerInboxParts {
  readonly sink: LinkSink;
  /** A message was handled, with its work in ms. */
  taken(peer: PeerId, bytes: number, ms: number): void;
  /** An internal error while handling a message. */
  failed(peer: PeerId, error: unknown): void;
  /** Measures the time of the work, in ms. */
  readonly costClock?: (() => number) | undefined;
}

export class PeerInbox {
  private readonly turns: PeerTurns;
  private readonly peers = new Map<PeerId, Peer>();
  private readonly parts: PeerInboxParts;

  constructor(parts: PeerInboxParts) {
    this.parts = parts;
    this.turns = new PeerTurns(parts.costClock);
  }

  push(event: LinkEvent): void {
    if (event.kind === 'message') {
      const peer = this.peers.get(event.peer);
      if (!peer) return;
      peer.messages.push(event.message);
      if (!peer.isWaiting) this.proceed(event.peer, peer);
      return;
    }
    const id = event.kind === 'joined' ? event.peer.id : event.peer;
    const before = this.peers.get(id);
    if (before) this.turns.forget(before.place);
    this.peers.delete(id);
    if (event.kind === 'joined') this.peers.set(id, this.newPeer());
    this.parts.sink(event);
  }

  private newPeer(): Peer {
    const place = this.turns.newPlace();
    return { place, messages: [], work: undefined, ms: 0, isWaiting: false };
  }

  private proceed(id: PeerId, peer: Peer): void {
    const isThere = () => this.peers.get(id) === peer;
    while (isThere() && peer.messages.length > 0) {
      if (!this.turns.mayGoOn) {
        peer.isWaiting = true;
        this.turns.wait(peer.place, () => {
          peer.isWaiting = false;
          this.proceed(id, peer);
        });
        return;
      }
      const charge = (ms: number) => {
        peer.ms += ms;
      };
      const isDone = this.turns.run(peer.place, () => this.step(id, peer), charge);
      if (!isDone || !isThere()) continue;
      const { bytes } = peer.messages.shift()!;
      this.parts.taken(id, bytes.length, peer.ms);
      peer.ms = 0;
    }
  }

  /** Does one slice of the work for the first message; returns true when that is finished. */
  private step(id: PeerId, peer: Peer): boolean {
    try {
      if (peer.work?.next().done === false) return false;
      const isOver = peer.work !== undefined;
      peer.work = isOver
        ? undefined
        : this.parts.sink({ kind: 'message', peer: id, message: peer.messages[0]! });
      return peer.work === undefined;
    } catch (error) {
      peer.work = undefined;
      this.parts.failed(id, error);
      return true;
    }
  }
}
