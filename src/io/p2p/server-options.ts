/** Options of the peer-to-peer server, and what it reports about its peers. */
import type { NodeKey } from '../../core/base/node-key.ts';
import type { Log, PeerId, PeerInfo } from '../../core/base/ports.ts';
import type { Capability, ProtocolSpec } from '../../core/wire/capabilities.ts';
import type { Enode } from '../../core/wire/enode.ts';
import type { Timings } from './limits.ts';

export interface DiscoveryOptions {
  readonly bootnodes: readonly Enode[];
  /** The address at which other nodes reach this node; undefined: not configured. */
  readonly externalIp: string | undefined;
}

export interface P2pOptions {
  /** 32 bytes, or a key that is elsewhere. */
  readonly nodeKey: Uint8Array | NodeKey;
  readonly clientName: string;
  readonly protocols: readonly ProtocolSpec[];
  readonly maxPeers: number;
  /** undefined: the server does not listen. Port 0: any free one. */
  readonly listen: { readonly host: string; readonly port: number } | undefined;
  readonly staticNodes: readonly Enode[];
  /** Networks that peers must be in, in CIDR notation. Default: any. */
  readonly netRestrict?: readonly string[] | undefined;
  /** Maximum number of inbound connections before their Hello. Default: PENDING_INBOUND_MAX. */
  readonly pendingMax?: number | undefined;
  readonly trustedNodes: readonly Enode[];
  /** undefined: no discovery. */
  readonly discovery?: DiscoveryOptions | undefined;
  /**
   * Permissioning: called for every connection in both directions, before Hello. Default: all may
   * connect.
   */
  readonly mayConnect?: (peer: Candidate) => boolean;
  /** Called at every sweep: which of the connected peers must be disconnected; undefined: none. */
  readonly revoked?: () => ((peer: Candidate) => boolean) | undefined;
  /** Peers that keep their places, in addition to static and trusted nodes. Default: none. */
  readonly isKnown?: (peer: PeerId) => boolean;
  readonly log: Log;
  /** Shared memory of a `PeerTraffic`, if traffic is counted. */
  readonly traffic?: SharedArrayBuffer | undefined;
  readonly timings?: Timings;
  /** Clock that measures the cost of a peer's work, in ms. */
  readonly costClock?: () => number;
  /** Bytes of a peer's messages that the node has not processed yet, if it processes them later. */
  readonly backlog?: (peer: PeerId) => number;
  /** Default: HELD_BYTES_MAX. */
  readonly heldBytesMax?: number;
}

export interface Listening {
  readonly host: string;
  readonly port: number;
  /** UDP port of discovery, and this node's record as text. */
  readonly discovery: { readonly port: number; readonly record: string } | undefined;
}

export interface Candidate {
  readonly id: PeerId;
  readonly enode: string;
  readonly inbound: boolean;
}

/**
 * Fields as in admin_peers: PeerInfo contains what was agreed, `offered` what the peer announced.
 */
export interface ConnectedPeer extends PeerInfo {
  readonly offered: readonly Capability[];
}
