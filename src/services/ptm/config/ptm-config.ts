/** A manager's configuration, independent of the file or option that it comes from. */
import type { PublicKey } from '../../../core/payload/payload.ts';
import type { ResidentGroup } from '../../../core/privacy/manager-port.ts';
import type { HttpAddress } from '../../../io/http/server.ts';
import type { UnprovenPeers } from '../api/p2p-parts.ts';
import type { StoreSource } from '../open-store.ts';
import type { KeySource } from './key-sources.ts';
import type { TlsSource } from './tls.ts';

export type PtmApp = 'Q2T' | 'P2P' | 'ThirdParty' | 'ADMIN';

export interface PtmServer {
  readonly app: PtmApp;
  readonly address: HttpAddress;
  /** `serverAddress` as peers and clients reach it; undefined: the bound address (port 0). */
  readonly advertised: string | undefined;
  readonly tls?: TlsSource | undefined;
}

export interface PtmConfig extends StoreSource {
  readonly servers: readonly PtmServer[];
  readonly peers: readonly string[];
  /** The inverse of `disablePeerDiscovery`; by default off when peers are configured. */
  readonly discovery: boolean;
  /** Blocks of internal addresses at which peers may be discovered. */
  readonly discoverInternal: readonly string[] | 'all';
  readonly unprovenPeers: UnprovenPeers;
  /** Bytes that may be stored per day for senders whose managers are unknown. */
  readonly unknownSenderBytesPerDay: number;
  readonly keys: readonly KeySource[];
  readonly alwaysSendTo: readonly PublicKey[];
  readonly enhancements: boolean;
  readonly multiplePrivateStates: boolean;
  readonly residentGroups: readonly ResidentGroup[];
  readonly partyInfoIntervalMs: number;
  /** `useWhiteList`: only the hosts of `peers` may connect to P2P. */
  readonly allowListed?: boolean;
}
