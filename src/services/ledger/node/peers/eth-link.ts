/** What the eth drivers need from a peer: sending a message, and ending its session. */
import type { PeerId } from '../../../../core/base/ports.ts';

export interface EthLink {
  send(peer: PeerId, code: number, bytes: Uint8Array): void;
  /** `reason`: a code from wire/disconnect.ts. */
  drop(peer: PeerId, reason: number, fault: string): void;
  /**
   * Negotiated version of eth with a peer after its handshake (64 where istanbul/64 or /99 carries
   * eth); undefined: disconnected.
   */
  versionOf(peer: PeerId): number | undefined;
}
