/**
 * Takes what the thread of agreement hands on from peers: each peer's messages in their order, the peers in turns of a few
 * milliseconds, and tells what each message cost.
 */
import type { Slices } from '../../../core/base/pace.ts';
import type { LinkEvent, LinkSink, PeerId, PeerMessage } from '../../../core/base/ports.ts';
import { PeerTurns } from '../../../io/p2p/peer-turns.ts';

interface Peer {
  readonly place: number;
  readonly messages: PeerMessage[];
  /** What the first of them asks for, begun. */
  work: Slices<void> | undefined;
  ms: number;
  isWaiting: boolean;
}

export interface PeerInboxParts {
  readonly sink: LinkSink;
  /** A message is done with, after so many ms of work. */
  taken(peer: PeerId, bytes: number, ms: number): void;
  /** A fault of ours while a message was handled. */
  failed(peer: PeerId, error: unknown): void;
  /** What work costs is measured with it, in ms. */
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

  /** A piece of the work for the first message; true at its end. */
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
