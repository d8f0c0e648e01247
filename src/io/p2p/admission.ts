/**
 * Decides which connections become peers, with GoQuorum's checks in their order (GoQuorum
 * p2p/server.go).
 */
import type { PeerId } from '../../core/base/ports.ts';
import { DISCONNECT } from '../../core/wire/disconnect.ts';
import { plainAddress } from './addresses.ts';
import type { Dialer } from './dialer.ts';
import type { PeerConnection } from './peer.ts';
import { displaced } from './places.ts';
import type { ConnectedPeer } from './server-options.ts';

/** COMPAT: GoQuorum reserves a third of its places for peers that it dials itself. */
const DIAL_RATIO = 3;

export interface Session {
  readonly connection: PeerConnection;
  readonly info: ConnectedPeer;
}

interface AdmissionParts {
  /** The id of this node. */
  readonly id: PeerId;
  readonly maxPeers: number;
  readonly trusted: ReadonlyMap<PeerId, unknown>;
  readonly sessions: ReadonlyMap<PeerId, Session>;
  readonly dialer: Pick<Dialer, 'has'>;
  /** Peers that keep their places, in addition to static and trusted nodes; undefined: none. */
  readonly isKnown: ((peer: PeerId) => boolean) | undefined;
}

/** Reads the server's sessions without changing them. */
export class Admission {
  private readonly parts: AdmissionParts;

  constructor(parts: AdmissionParts) {
    this.parts = parts;
  }

  /**
   * Reason for a Disconnect; undefined: the peer is admitted. Called after the handshake and again
   * after Hello.
   */
  refusal(connection: PeerConnection, id: PeerId): number | undefined {
    if (this.isFull(connection, id) && !this.placeFor(connection, id))
      return DISCONNECT.tooManyPeers;
    const held = this.parts.sessions.get(id);
    if (held && !this.supersedes(connection, held.connection)) return DISCONNECT.alreadyConnected;
    if (id === this.parts.id) return DISCONNECT.self;
    return undefined;
  }

  /**
   * Trusted nodes are not counted in `maxPeers`; a third of the places is for nodes that this one
   * dials.
   */
  isFull(connection: PeerConnection, id: PeerId): boolean {
    const { maxPeers, trusted, sessions } = this.parts;
    if (trusted.has(id) || sessions.has(id)) return false;
    if (sessions.size >= maxPeers) return true;
    if (!connection.inbound || this.isKnown(id)) return false;
    const strangers = this.occupants().filter(({ isKnown }) => !isKnown);
    return strangers.length >= maxPeers - dialPlaces(maxPeers);
  }

  /** The session that is closed to free its place for this connection. */
  placeFor(connection: PeerConnection, id: PeerId): Session | undefined {
    const address = plainAddress(connection.socket.remoteAddress ?? '');
    const newcomer = { address, isKnown: this.isKnown(id) };
    return displaced(newcomer, this.occupants())?.session;
  }

  private isKnown(id: PeerId): boolean {
    const { trusted, dialer, isKnown } = this.parts;
    return trusted.has(id) || dialer.has(id) || isKnown?.(id) === true;
  }

  /** Sessions of inbound peers that are not trusted, oldest first. */
  private occupants() {
    return [...this.parts.sessions].flatMap(([id, session]) => {
      const { inbound, socket } = session.connection;
      if (!inbound || this.parts.trusted.has(id)) return [];
      const address = plainAddress(socket.remoteAddress ?? '');
      return [{ session, address, isKnown: this.isKnown(id) }];
    });
  }

  /**
   * When two nodes dial each other at the same time, they must not both refuse the other's
   * connection: both keep the connection that the lower id dialled.
   */
  private supersedes(candidate: PeerConnection, held: PeerConnection): boolean {
    if (candidate.inbound === held.inbound) return false;
    return candidate.inbound === candidate.id < this.parts.id;
  }
}

/** Number of places that are reserved for peers that this node dials. */
export function dialPlaces(maxPeers: number): number {
  return maxPeers === 0 ? 0 : Math.max(1, Math.floor(maxPeers / DIAL_RATIO));
}
