/**
 * Peers from handshake to disconnect: routes their messages to sync, gossip and consensus, and
 * serves their requests.
 */
import { type Address, type Hash32, keyOf } from '../../../../core/base/bytes.ts';
import type { Slices } from '../../../../core/base/pace.ts';
import type {
  Clock,
  LinkEvent,
  Links,
  Log,
  PeerId,
  PeerInfo,
  PeerMessage,
  Timers,
} from '../../../../core/base/ports.ts';
import { type Block, encodeBlock } from '../../../../core/chain/block.ts';
import { blockHash } from '../../../../core/chain/extra-data.ts';
import { decodeHeader } from '../../../../core/chain/header.ts';
import { BlockGossip } from '../../../../core/sync/block-gossip.ts';
import type { EthHandshake, HandshakeEffect } from '../../../../core/sync/eth-handshake.ts';
import { type ServedChain, serve } from '../../../../core/sync/serve.ts';
import type { SyncProgress } from '../../../../core/sync/sync-types.ts';
import type { TransactionPool } from '../../../../core/txpool/pool.ts';
import { DISCONNECT } from '../../../../core/wire/disconnect.ts';
import {
  type BlockId,
  decodeEth,
  ETH_MESSAGE,
  type EthMessage,
  type RawBlock,
} from '../../../../core/wire/eth.ts';
import { encodeNewBlock, encodeNewBlockHashes } from '../../../../core/wire/eth-encode.ts';
import { encodeStatus, type Status } from '../../../../core/wire/eth-status.ts';
import { isConsensusCode, legacyVersion } from '../../../../core/wire/istanbul.ts';
import { LEGACY_ETH_VERSION, LegacyEth } from '../../../../core/wire/legacy-eth.ts';
import type { Chain } from '../chain/chain.ts';
import type { Events } from '../chain/events.ts';
import type { AgreementPort } from '../consensus/agreement.ts';
import type { TransactionIntake } from '../sending/transaction-intake.ts';
import { handshakeOf } from './chain-handshake.ts';
import type { EthLink } from './eth-link.ts';
import { GossipDriver } from './gossip-driver.ts';
import type { Importer } from './importer.ts';
import { QuorateProtocol, type QuorateProtocolParts } from './quorate-protocol.ts';
import { servedChain } from './served-chain.ts';
import { chainHead, SyncDriver, type SyncDriverParts } from './sync-driver.ts';

const TICK_MS = 1_000;

export interface PeerProtocolParts
  extends Pick<SyncDriverParts, 'verifyHeaders'>,
    Pick<QuorateProtocolParts, 'rules'> {
  readonly chain: Chain;
  readonly importer: Importer;
  readonly pool: TransactionPool;
  readonly intake: TransactionIntake;
  readonly links: Links;
  readonly events: Events;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  readonly networkId: bigint;
  /**
   * False in a Raft cluster: blocks come from its log, and from peers only when `seek` requests
   * them.
   */
  readonly followsPeers: boolean;
}

/** Receiver of peer events for agreement. */
export interface AgreementListener {
  readonly agreement: Pick<AgreementPort, 'joined' | 'left' | 'told' | 'receive'>;
  /** A peer reported its rule changes, or has disconnected. */
  rulesHeard(): void;
}

interface ReadyPeer {
  readonly info: PeerInfo;
  readonly ethVersion: number;
  /** The best block that the peer announced. */
  head: PeerHead;
}

export interface PeerHead {
  readonly hash: Hash32;
  readonly td: bigint;
}

type NewBlock = Extract<EthMessage, { readonly kind: 'newBlock' }>;

export class PeerProtocols implements EthLink {
  readonly sync: SyncDriver;
  private readonly parts: PeerProtocolParts;
  private readonly connected = new Map<PeerId, PeerInfo>();
  /** Those peers whose eth messages are carried by istanbul/64 or /99. */
  private readonly legacy = new Map<PeerId, LegacyEth>();
  private readonly ready = new Map<PeerId, ReadyPeer>();
  private readonly handshake: EthHandshake;
  private readonly gossip: GossipDriver;
  private readonly quorate: QuorateProtocol;
  private readonly blockGossip = new BlockGossip();
  private readonly served: ServedChain;
  private readonly endings: (() => void)[] = [];
  /** undefined: agreement receives no peer messages. */
  private listener: AgreementListener | undefined;

  constructor(parts: PeerProtocolParts) {
    this.parts = parts;
    const drive = { ...parts, link: this, importBlocks: importInto(parts.importer, this) };
    this.sync = new SyncDriver(drive);
    this.gossip = new GossipDriver(drive);
    this.quorate = new QuorateProtocol({
      rules: parts.rules,
      rulesHeard: () => this.listener?.rulesHeard(),
      told: ({ id, address }, connections) => {
        this.listener?.agreement.told(address, connections);
        this.gossip.told(id, connections);
      },
      send: ({ id }, code, bytes) => parts.links.send(id, { protocol: 'quorate', code, bytes }),
    });
    this.served = servedChain(parts.chain, parts.pool);
    this.handshake = handshakeOf(parts.chain, parts.networkId);
  }

  /** Call it before the start, so that agreement is notified of all peers. */
  connect(listener: AgreementListener | undefined): void {
    this.listener = listener;
  }

  start(): void {
    const { links, timers } = this.parts;
    links.events((event) => this.take(event));
    this.sync.start();
    this.gossip.start();
    const tick = () => {
      this.carryHandshake(this.handshake.step({ kind: 'tick' }, this.now()));
      this.quorate.tick();
      timer = timers.set(TICK_MS, tick);
    };
    let timer = timers.set(TICK_MS, tick);
    this.endings.push(() => timer.cancel());
  }

  stop(): void {
    this.sync.stop();
    this.gossip.stop();
    for (const end of this.endings.splice(0)) end();
  }

  /**
   * Before the connections end: others mine what clients have sent last, while this node is away.
   */
  flush(): void {
    this.gossip.flush();
  }

  get progress(): SyncProgress | undefined {
    return this.sync.progress;
  }

  /**
   * Announces a block that this node decided; `voters`: those to whom it was proposed. COMPAT:
   * GoQuorum learns only from whole blocks how far a peer is.
   */
  announce(block: Block, voters: readonly Address[]): void {
    const voting = new Set(voters.map(keyOf));
    const { whole, hash } = this.blockGossip.spread(block.hash, (peer) => {
      const { address, capabilities } = this.ready.get(peer)!.info;
      return capabilities.has('quorate') && voting.has(keyOf(address));
    });
    const { number } = block.header;
    if (whole.length > 0) {
      const bytes = encodeNewBlock(encodeBlock(block), chainHead(this.parts.chain).td);
      for (const peer of whole) this.send(peer, ETH_MESSAGE.newBlock, bytes);
    }
    const bytes = encodeNewBlockHashes([{ hash: block.hash, number }]);
    for (const peer of hash) this.send(peer, ETH_MESSAGE.newBlockHashes, bytes);
  }

  /** Fetches the chain up to `hash` from any peer that has it. */
  seek(hash: Hash32): void {
    const { td } = this.own();
    for (const peer of this.ready.keys()) {
      this.sync.step({ kind: 'left', peer });
      this.sync.step({ kind: 'joined', peer, head: hash, td: td + 1n });
    }
  }

  private own(): { head: Hash32; td: bigint } {
    const { hash, td } = chainHead(this.parts.chain);
    return { head: hash, td };
  }

  // --- links --------------------------------------------------------------------------------------------------------

  send(peer: PeerId, code: number, bytes: Uint8Array): void {
    const legacy = this.legacy.get(peer);
    const message = legacy
      ? { protocol: 'istanbul', code, bytes: legacy.outgoing(code, bytes) }
      : { protocol: 'eth', code, bytes };
    this.parts.links.send(peer, message);
  }

  drop(peer: PeerId, reason: number, fault: string): void {
    this.parts.log('debug', 'Peer dropped', { peer: peer.slice(0, 16), reason, fault });
    this.parts.links.drop(peer, reason);
  }

  /** undefined until the peer's handshake is finished. */
  headOf(peer: PeerId): PeerHead | undefined {
    return this.ready.get(peer)?.head;
  }

  versionOf(peer: PeerId): number | undefined {
    return this.ready.get(peer)?.ethVersion;
  }

  // --- sessions -----------------------------------------------------------------------------------------------------

  private take(event: LinkEvent): Slices<void> | undefined {
    if (event.kind === 'message') return this.receive(event.peer, event.message);
    if (event.kind === 'joined') this.join(event.peer);
    else this.leave(event.peer);
    return undefined;
  }

  private join(info: PeerInfo): void {
    const legacy = legacyVersion(info.capabilities);
    const version = info.capabilities.get('eth') ?? legacy;
    if (version === undefined) {
      this.drop(info.id, DISCONNECT.uselessPeer, 'no eth protocol in common');
      return;
    }
    this.connected.set(info.id, info);
    if (legacy !== undefined) this.legacy.set(info.id, new LegacyEth());
    this.carryHandshake(
      this.handshake.step({ kind: 'joined', peer: info.id, version }, this.now()),
    );
  }

  private carryHandshake(effects: readonly HandshakeEffect[]): void {
    for (const effect of effects) {
      if (effect.kind === 'sendStatus')
        this.send(effect.peer, ETH_MESSAGE.status, encodeStatus(effect.status));
      else if (effect.kind === 'misbehaved') this.drop(effect.peer, effect.reason, effect.fault);
      else this.becomeReady(effect.peer, effect.version, effect.status);
    }
  }

  private becomeReady(peer: PeerId, version: number, { head, td }: Status): void {
    const info = this.connected.get(peer);
    if (!info) return;
    this.ready.set(peer, {
      info,
      ethVersion: this.legacy.has(peer) ? LEGACY_ETH_VERSION : version,
      head: { hash: head, td },
    });
    this.listener?.agreement.joined(info);
    this.quorate.joined(info);
    this.blockGossip.joined(peer);
    if (this.parts.followsPeers) this.sync.step({ kind: 'joined', peer, head, td });
    else this.sync.step({ kind: 'joined', peer, ...this.own() });
    this.gossip.joined(info);
    const { clientName: name, enode } = info;
    this.parts.log('info', 'Peer joined', {
      name,
      enode: enode.slice(0, 32),
      peers: this.ready.size,
    });
  }

  private hearQuorate({ info }: ReadyPeer, code: number, bytes: Uint8Array): void {
    try {
      this.quorate.receive(info, code, bytes);
    } catch (error) {
      this.drop(info.id, DISCONNECT.subprotocolError, (error as Error).message);
    }
  }

  private leave(peer: PeerId): void {
    const info = this.connected.get(peer);
    this.connected.delete(peer);
    this.legacy.delete(peer);
    this.handshake.step({ kind: 'left', peer }, this.now());
    if (!this.ready.delete(peer) || !info) return;
    this.listener?.agreement.left(info);
    this.quorate.left(info);
    this.blockGossip.left(peer);
    this.sync.step({ kind: 'left', peer });
    this.gossip.left(peer);
    this.parts.log('info', 'Peer left', { enode: info.enode.slice(0, 32), peers: this.ready.size });
  }

  // --- messages -----------------------------------------------------------------------------------------------------

  private receive(peer: PeerId, { protocol, code, bytes }: PeerMessage): Slices<void> | undefined {
    const ready = this.ready.get(peer);
    if (protocol === 'quorate') {
      if (ready) this.hearQuorate(ready, code, bytes);
      return undefined;
    }
    if (protocol === 'istanbul' && isConsensusCode(code)) {
      if (ready) return this.listener?.agreement.receive(ready.info.address, code, bytes);
      return undefined;
    }
    const legacy = this.legacy.get(peer);
    // All other messages of istanbul/100 are reserved, and ignored.
    if (protocol === 'istanbul' && !legacy) return undefined;
    if (!ready || code === ETH_MESSAGE.status) {
      this.carryHandshake(this.handshake.step({ kind: 'message', peer, code, bytes }, this.now()));
      return undefined;
    }
    try {
      const body = legacy ? legacy.incoming(code, bytes) : bytes;
      const message = decodeEth(ready.ethVersion, code, body);
      if (message.kind === 'newBlock') this.hearBlock(peer, ready, message);
      return this.answer(peer, message);
    } catch (error) {
      this.drop(peer, DISCONNECT.subprotocolError, (error as Error).message);
      return undefined;
    }
  }

  private *answer(peer: PeerId, message: EthMessage): Slices<void> {
    const reply = yield* serve(this.served, message);
    if (reply) this.send(peer, reply.code, reply.bytes);
    else yield* this.takeEth(peer, message);
  }

  private hearBlock(peer: PeerId, ready: ReadyPeer, { block, td }: NewBlock): void {
    const hash = hashOf(block);
    this.blockGossip.knows(peer, hash);
    if (td > ready.head.td) ready.head = { hash, td };
  }

  /** Each block of these chains has the same difficulty. */
  private hearHash(peer: PeerId, { hash, number }: BlockId): void {
    this.blockGossip.knows(peer, hash);
    const ready = this.ready.get(peer);
    const own = chainHead(this.parts.chain);
    const td = own.td + BigInt(number) - BigInt(this.parts.chain.head().number);
    if (ready && td > ready.head.td) ready.head = { hash, td };
  }

  private *takeEth(peer: PeerId, message: EthMessage): Slices<void> {
    switch (message.kind) {
      case 'blockHeaders':
        this.sync.step({
          kind: 'headers',
          peer,
          requestId: message.requestId,
          headers: message.headers,
        });
        break;
      case 'blockBodies':
        this.sync.step({
          kind: 'bodies',
          peer,
          requestId: message.requestId,
          bodies: message.bodies,
        });
        break;
      case 'newBlockHashes':
        if (!this.parts.followsPeers) break;
        for (const block of message.blocks) this.hearHash(peer, block);
        this.sync.step({ kind: 'announced', peer, blocks: message.blocks });
        break;
      case 'newBlock':
        if (!this.parts.followsPeers) break;
        this.sync.step({ kind: 'newBlock', peer, block: message.block });
        break;
      case 'transactions':
        yield* this.gossip.received(peer, message.transactions, undefined);
        break;
      case 'pooledTransactions':
        yield* this.gossip.received(peer, message.transactions, message.requestId);
        break;
      case 'newPooledTransactionHashes':
        yield* this.gossip.announced(peer, message.hashes);
        break;
    }
  }

  private now(): number {
    return this.parts.clock.nowMs();
  }
}

function importInto(importer: Importer, peers: PeerProtocols): SyncDriverParts['importBlocks'] {
  const source = {
    highest: () => peers.progress?.highestBlock ?? 0,
    failed: (hash: Hash32, fault: string) => peers.sync.importFailed(hash, fault),
  };
  return (blocks) => importer.import(blocks, source);
}

function hashOf({ header }: RawBlock): Uint8Array {
  return blockHash(decodeHeader(header));
}
