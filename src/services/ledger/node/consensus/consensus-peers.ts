/** Peers confirmed to be on this chain, by the address of their node key. */
import { type Address, keyOf } from '../../../../core/base/bytes.ts';
import type { Links, Log, PeerId, PeerInfo } from '../../../../core/base/ports.ts';
import { DISCONNECT } from '../../../../core/wire/disconnect.ts';
import { carriesConsensus } from '../../../../core/wire/istanbul.ts';

interface ConsensusPeer {
  readonly info: PeerInfo;
  /** Addresses to which it has reported a connection. */
  connections: ReadonlySet<string>;
}

export class ConsensusPeers {
  private readonly links: Pick<Links, 'send' | 'drop'>;
  private readonly log: Log;
  private readonly byAddress = new Map<string, ConsensusPeer>();
  private readonly byId = new Map<PeerId, PeerInfo>();

  constructor(links: Pick<Links, 'send' | 'drop'>, log: Log) {
    this.links = links;
    this.log = log;
  }

  joined(info: PeerInfo): void {
    this.byId.set(info.id, info);
    this.byAddress.set(keyOf(info.address), { info, connections: new Set() });
  }

  left({ id, address }: PeerInfo): void {
    this.byId.delete(id);
    const key = keyOf(address);
    if (this.byAddress.get(key)?.info.id === id) this.byAddress.delete(key);
  }

  told(peer: Address, connections: readonly Address[]): void {
    const found = this.byAddress.get(keyOf(peer));
    if (found) found.connections = new Set(connections.map(keyOf));
  }

  /** Undefined: the peer is not confirmed. */
  addressOf(id: PeerId): Address | undefined {
    return this.byId.get(id)?.address;
  }

  sendTo(address: Address, code: number, bytes: Uint8Array): void {
    const { id, capabilities } = this.byAddress.get(keyOf(address))?.info ?? {};
    if (!id || !carriesConsensus(capabilities?.get('istanbul'), code)) return;
    this.links.send(id, { protocol: 'istanbul', code, bytes });
  }

  /** Sends to those of `addresses` that are connected. */
  sendAll(addresses: readonly Address[], code: number, bytes: Uint8Array): void {
    for (const address of addresses) this.sendTo(address, code, bytes);
  }

  /** Whether a peer has reported a connection to another node. */
  isConnected(peer: Address, other: Address): boolean {
    return this.byAddress.get(keyOf(peer))?.connections.has(keyOf(other)) ?? false;
  }

  misbehaved(address: Address, fault: string): void {
    const { id } = this.byAddress.get(keyOf(address))?.info ?? {};
    if (!id) return;
    const reason = DISCONNECT.subprotocolError;
    this.log('debug', 'Peer dropped', { peer: id.slice(0, 16), reason, fault });
    this.links.drop(id, reason);
  }
}
