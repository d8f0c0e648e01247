/** What the eth drivers need from a peer: sending it a message, ending its session. */
import type { PeerId } from '../../../../core/base/ports.ts';

export interface EthLink {
  send(peer: PeerId, code: number, bytes: Uint8Array): void;
  /** `reason` of wire/disconnect.ts. */
  drop(peer: PeerId, reason: number, fault: string): void;
  /**
   * Negotiated version of a peer that is ready (64 where istanbul/64 or /99 carries eth);
   * undefined: gone.
   */
  versionOf(peer: PeerId): number | undefined;
}
