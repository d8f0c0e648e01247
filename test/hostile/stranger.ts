/**
 * A peer with a key that no validator has and a correct handshake: it sends each node's own Status
 * back.
 */
import { randomBytes } from 'node:crypto';
import type { PeerMessage } from '../../src/core/base/ports.ts';
import { ETH_66, ETH_68, ISTANBUL, QUORATE_1 } from '../../src/core/wire/capabilities.ts';
import { parseEnode } from '../../src/core/wire/enode.ts';
import { ETH_MESSAGE } from '../../src/core/wire/eth.ts';
import { P2pServer } from '../../src/io/p2p/server.ts';
import { until } from '../support/conditions.ts';

export class Stranger {
  private readonly server: P2pServer;
  private peers = new Set<string>();
  /** The number of messages received, by protocol and code. */
  readonly heard = new Map<string, number>();

  constructor(enodes: readonly string[], nodeKey: Uint8Array = new Uint8Array(randomBytes(32))) {
    this.server = new P2pServer({
      nodeKey,
      clientName: 'Stranger/v1',
      protocols: [ETH_66, ETH_68, ...ISTANBUL, QUORATE_1],
      maxPeers: 25,
      listen: undefined,
      staticNodes: enodes.map(parseEnode),
      trustedNodes: [],
      log: () => undefined,
    });
    this.server.events((event) => {
      if (event.kind === 'left') this.peers.delete(event.peer);
      if (event.kind === 'message') this.hear(event.peer, event.message);
      return undefined;
    });
  }

  get isConnected(): boolean {
    return this.peers.size > 0;
  }

  /** Resolves once the handshake with at least one node is done. */
  async start(): Promise<void> {
    await this.server.start();
    await until('the handshake of the attacker is done', () => this.isConnected, 10_000);
  }

  say(message: PeerMessage): void {
    for (const peer of this.peers) this.server.send(peer, message);
  }

  stop(): Promise<void> {
    return this.server.stop();
  }

  private hear(peer: string, message: PeerMessage): void {
    const key = `${message.protocol}/${message.code}`;
    this.heard.set(key, (this.heard.get(key) ?? 0) + 1);
    if (message.protocol !== 'eth' || message.code !== ETH_MESSAGE.status) return;
    this.server.send(peer, message);
    this.peers.add(peer);
  }
}
