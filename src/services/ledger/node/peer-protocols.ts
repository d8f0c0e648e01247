/** Routes what peers send to the machines of core (handshake, sync, gossip, consensus) and carries their answers out. */
import { type Address, type Hash32, keyOf } from '../../../core/base/bytes.ts';
import { type Block, encodeBlock } from '../../../core/chain/block.ts';
import { ForkSchedule } from '../../../core/chain/fork-id.ts';
import { decodeTransaction, type Transaction } from '../../../core/chain/transaction.ts';
import type {
  Clock,
  LinkEvent,
  Links,
  Log,
  PeerId,
  PeerInfo,
  Timers,
} from '../../../core/ports.ts';
import { BlockGossip } from '../../../core/sync/block-gossip.ts';
import { EthHandshake, type HandshakeEffect } from '../../../core/sync/eth-handshake.ts';
import { Gossip, type GossipEffect, type GossipInput } from '../../../core/sync/gossip.ts';
import { type ServedChain, serve } from '../../../core/sync/serve.ts';
import { SYNC_TICK_MS, Sync } from '../../../core/sync/sync.ts';
import type {
  SyncBlock,
  SyncEffect,
  SyncHeader,
  SyncInput,
  SyncProgress,
} from '../../../core/sync/sync-types.ts';
import type { TransactionPool } from '../../../core/txpool/pool.ts';
import { DISCONNECT } from '../../../core/wire/disconnect.ts';
import { decodeEth, ETH_MESSAGE, type EthMessage } from '../../../core/wire/eth.ts';
import {
  encodeGetBlockHeaders,
  encodeHashRequest,
  encodeNewBlock,
  encodeNewBlockHashes,
  encodePooledHashes,
  encodeTransactions,
} from '../../../core/wire/eth-encode.ts';
import { encodeStatus } from '../../../core/wire/eth-status.ts';
import { isConsensusCode } from '../../../core/wire/istanbul.ts';
import type { ConsensusLinks } from './bft-participation.ts';
import type { Chain } from './chain.ts';
import type { Events } from './events.ts';
import { servedChain } from './served-chain.ts';
import type { TransactionDoor } from './transaction-door.ts';

export interface PeerProtocolParts {
  readonly chain: Chain;
  readonly pool: TransactionPool;
  readonly door: TransactionDoor;
  readonly links: Links;
  readonly events: Events;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  readonly networkId: bigint;
  /** Seals and fields of headers that follow the last verified one; the first fault, if any. */
  verifyHeaders(headers: readonly SyncHeader[]): { index: number; text: string } | undefined;
  /** Blocks in order, to be executed and appended. */
  importBlocks(blocks: readonly SyncBlock[]): void;
  /** A consensus message of a validator or another peer. */
  consensus(from: Address, code: number, bytes: Uint8Array): void;
}

interface ReadyPeer {
  readonly info: PeerInfo;
  readonly ethVersion: number;
}

export class PeerProtocols implements ConsensusLinks {
  private readonly parts: PeerProtocolParts;
  private readonly connected = new Map<PeerId, PeerInfo>();
  private readonly ready = new Map<PeerId, ReadyPeer>();
  /** Ready peers by the address of their node key. */
  private readonly byAddress = new Map<string, PeerId>();
  private readonly handshake: EthHandshake;
  private readonly sync: Sync;
  private readonly gossip = new Gossip();
  private readonly blockGossip = new BlockGossip();
  private readonly served: ServedChain;
  private readonly endings: (() => void)[] = [];

  constructor(parts: PeerProtocolParts) {
    this.parts = parts;
    const { chain } = parts;
    this.sync = new Sync(this.chainHead());
    this.served = servedChain(chain, parts.pool);
    const genesis = chain.store.header(0)!;
    const genesisHash = chain.store.hashOf(0)!;
    const forks = new ForkSchedule(chain.config, genesisHash, genesis.timestamp);
    const position = () => {
      const { header } = chain.head();
      return { number: BigInt(header.number), timestamp: header.timestamp };
    };
    this.handshake = new EthHandshake({
      status: () => {
        const { hash, td } = this.chainHead();
        return {
          networkId: parts.networkId,
          td,
          head: hash,
          genesis: genesisHash,
          forkId: forks.at(position()),
        };
      },
      forkFault: (id) => forks.fault(id, position()),
    });
  }

  start(): void {
    const { events, links, timers } = this.parts;
    links.events((event) => this.take(event));
    this.endings.push(
      events.on('committed', () => this.stepSync({ kind: 'head', head: this.chainHead() })),
      events.on('pending', (transactions) => this.stepGossip({ kind: 'admitted', transactions })),
    );
    const tick = () => {
      this.carryHandshake(this.handshake.step({ kind: 'tick' }, this.now()));
      this.stepSync({ kind: 'tick' });
      timer = timers.set(SYNC_TICK_MS, tick);
    };
    let timer = timers.set(SYNC_TICK_MS, tick);
    this.endings.push(() => timer.cancel());
  }

  stop(): void {
    for (const end of this.endings.splice(0)) end();
  }

  get progress(): SyncProgress | undefined {
    return this.sync.progress;
  }

  /** A block that could not be imported, told to sync so that its giver is dropped. */
  importFailed(hash: Hash32, fault: string): void {
    this.stepSync({ kind: 'importFailed', hash, fault });
  }

  /** Tells peers of a block that was decided here. */
  announce(block: Block): void {
    const { whole, hash } = this.blockGossip.spread(block.hash);
    const { number } = block.header;
    if (whole.length > 0) {
      const bytes = encodeNewBlock(encodeBlock(block), this.chainHead().td);
      for (const peer of whole) this.sendEth(peer, ETH_MESSAGE.newBlock, bytes);
    }
    const bytes = encodeNewBlockHashes([{ hash: block.hash, number }]);
    for (const peer of hash) this.sendEth(peer, ETH_MESSAGE.newBlockHashes, bytes);
  }

  // --- consensus ----------------------------------------------------------------------------------------------------

  send(to: Address, code: number, bytes: Uint8Array): void {
    const peer = this.byAddress.get(keyOf(to));
    if (peer) this.parts.links.send(peer, { protocol: 'istanbul', code, bytes });
  }

  sendAll(addresses: readonly Address[], code: number, bytes: Uint8Array): void {
    for (const address of addresses) this.send(address, code, bytes);
  }

  misbehaved(address: Address, fault: string): void {
    const peer = this.byAddress.get(keyOf(address));
    if (peer) this.drop(peer, DISCONNECT.subprotocolError, fault);
  }

  // --- peers --------------------------------------------------------------------------------------------------------

  private take(event: LinkEvent): void {
    if (event.kind === 'joined') this.join(event.peer);
    else if (event.kind === 'left') this.leave(event.peer);
    else this.receive(event.peer, event.message.protocol, event.message.code, event.message.bytes);
  }

  private join(info: PeerInfo): void {
    const version = info.capabilities.get('eth');
    if (version === undefined) {
      this.drop(info.id, DISCONNECT.uselessPeer, 'no eth protocol in common');
      return;
    }
    this.connected.set(info.id, info);
    this.carryHandshake(
      this.handshake.step({ kind: 'joined', peer: info.id, version }, this.now()),
    );
  }

  private leave(peer: PeerId): void {
    const info = this.connected.get(peer);
    this.connected.delete(peer);
    this.handshake.step({ kind: 'left', peer }, this.now());
    if (!this.ready.delete(peer) || !info) return;
    if (this.byAddress.get(keyOf(info.address)) === peer)
      this.byAddress.delete(keyOf(info.address));
    this.blockGossip.left(peer);
    this.stepSync({ kind: 'left', peer });
    this.stepGossip({ kind: 'left', peer });
    this.parts.log('info', 'Peer left', { enode: info.enode.slice(0, 32), peers: this.ready.size });
  }

  private receive(peer: PeerId, protocol: string, code: number, bytes: Uint8Array): void {
    const ready = this.ready.get(peer);
    if (protocol === 'istanbul') {
      if (ready && isConsensusCode(code)) this.parts.consensus(ready.info.address, code, bytes);
      return;
    }
    if (!ready || code === ETH_MESSAGE.status) {
      this.carryHandshake(this.handshake.step({ kind: 'message', peer, code, bytes }, this.now()));
      return;
    }
    let message: EthMessage;
    try {
      message = decodeEth(ready.ethVersion, code, bytes);
    } catch (error) {
      this.drop(peer, DISCONNECT.subprotocolError, (error as Error).message);
      return;
    }
    const reply = serve(this.served, message);
    if (reply) this.sendEth(peer, reply.code, reply.bytes);
    else this.takeEth(peer, message);
  }

  private takeEth(peer: PeerId, message: EthMessage): void {
    switch (message.kind) {
      case 'blockHeaders':
        this.stepSync({
          kind: 'headers',
          peer,
          requestId: message.requestId,
          headers: message.headers,
        });
        break;
      case 'blockBodies':
        this.stepSync({
          kind: 'bodies',
          peer,
          requestId: message.requestId,
          bodies: message.bodies,
        });
        break;
      case 'newBlockHashes':
        for (const block of message.blocks) this.blockGossip.knows(peer, block.hash);
        this.stepSync({ kind: 'announced', peer, blocks: message.blocks });
        break;
      case 'newBlock':
        this.stepSync({ kind: 'newBlock', peer, block: message.block });
        break;
      case 'transactions':
        this.takeTransactions(peer, message.transactions, undefined);
        break;
      case 'pooledTransactions':
        this.takeTransactions(peer, message.transactions, message.requestId);
        break;
      case 'newPooledTransactionHashes': {
        const wanted = message.hashes.filter((hash) => !this.parts.pool.has(hash));
        this.stepGossip({ kind: 'announced', peer, hashes: message.hashes, wanted });
        break;
      }
    }
  }

  private takeTransactions(
    peer: PeerId,
    raws: readonly Uint8Array[],
    requestId: bigint | undefined,
  ): void {
    const transactions: Transaction[] = [];
    try {
      for (const raw of raws) transactions.push(decodeTransaction(raw.slice()));
    } catch (error) {
      this.drop(peer, DISCONNECT.subprotocolError, (error as Error).message);
      return;
    }
    this.stepGossip({
      kind: 'received',
      peer,
      hashes: transactions.map(({ hash }) => hash),
      requestId,
    });
    this.parts.door.receive(transactions.filter(({ hash }) => !this.parts.pool.has(hash)));
  }

  // --- machines -----------------------------------------------------------------------------------------------------

  private carryHandshake(effects: readonly HandshakeEffect[]): void {
    for (const effect of effects) {
      if (effect.kind === 'sendStatus') {
        this.sendEth(effect.peer, ETH_MESSAGE.status, encodeStatus(effect.status));
      } else if (effect.kind === 'misbehaved') {
        this.drop(effect.peer, effect.reason, effect.fault);
      } else this.becomeReady(effect.peer, effect.version, effect.status.head, effect.status.td);
    }
  }

  private becomeReady(peer: PeerId, ethVersion: number, head: Hash32, td: bigint): void {
    const info = this.connected.get(peer);
    if (!info) return;
    this.ready.set(peer, { info, ethVersion });
    if (info.capabilities.has('istanbul')) this.byAddress.set(keyOf(info.address), peer);
    this.blockGossip.joined(peer);
    this.stepSync({ kind: 'joined', peer, head, td });
    this.stepGossip({ kind: 'joined', peer });
    this.stepGossip({ kind: 'introduce', peer, transactions: [...this.parts.pool.pending()] });
    this.parts.log('info', 'Peer joined', {
      name: info.clientName,
      enode: info.enode.slice(0, 32),
      peers: this.ready.size,
    });
  }

  private stepSync(input: SyncInput): void {
    for (const effect of this.sync.step(input, this.now())) this.carrySync(effect);
  }

  private carrySync(effect: SyncEffect): void {
    switch (effect.kind) {
      case 'getHeaders':
        this.sendEth(
          effect.peer,
          ETH_MESSAGE.getBlockHeaders,
          encodeGetBlockHeaders(effect.requestId, effect.query),
        );
        return;
      case 'getBodies':
        this.sendEth(
          effect.peer,
          ETH_MESSAGE.getBlockBodies,
          encodeHashRequest(effect.requestId, effect.hashes),
        );
        return;
      case 'verifyHeaders': {
        const { batch, headers } = effect;
        this.parts.timers.yield(() => {
          const fault = this.parts.verifyHeaders(headers);
          this.stepSync({ kind: 'verified', batch, ...(fault ? { fault } : {}) });
        });
        return;
      }
      case 'import':
        this.parts.importBlocks(effect.blocks);
        return;
      case 'misbehaved':
        this.drop(effect.peer, effect.reason, effect.fault);
    }
  }

  private stepGossip(input: GossipInput): void {
    for (const effect of this.gossip.step(input, this.now())) this.carryGossip(effect);
  }

  private carryGossip(effect: GossipEffect): void {
    switch (effect.kind) {
      case 'sendTransactions':
        this.sendEth(
          effect.peer,
          ETH_MESSAGE.transactions,
          encodeTransactions(effect.transactions.map(({ raw }) => raw)),
        );
        return;
      case 'announce':
        this.announceTransactions(effect.peer, effect.transactions);
        return;
      case 'getTransactions':
        this.sendEth(
          effect.peer,
          ETH_MESSAGE.getPooledTransactions,
          encodeHashRequest(effect.requestId, effect.hashes),
        );
        return;
      case 'wake':
        this.parts.timers.set(effect.afterMs, () => this.stepGossip({ kind: 'tick' }));
        return;
      case 'misbehaved':
        this.drop(effect.peer, effect.reason, effect.fault);
    }
  }

  private announceTransactions(
    peer: PeerId,
    transactions: readonly { hash: Hash32; raw: Uint8Array; type: number }[],
  ): void {
    const ready = this.ready.get(peer);
    if (!ready) return;
    const bytes = encodePooledHashes(
      ready.ethVersion,
      transactions.map(({ hash }) => hash),
      Uint8Array.from(transactions, ({ type }) => type),
      transactions.map(({ raw }) => raw.length),
    );
    this.sendEth(peer, ETH_MESSAGE.newPooledTransactionHashes, bytes);
  }

  private sendEth(peer: PeerId, code: number, bytes: Uint8Array): void {
    this.parts.links.send(peer, { protocol: 'eth', code, bytes });
  }

  private drop(peer: PeerId, reason: number, fault: string): void {
    this.parts.log('debug', 'Peer dropped', { peer: peer.slice(0, 16), reason, fault });
    this.parts.links.drop(peer, reason);
  }

  private chainHead() {
    const { number, hash, header } = this.parts.chain.head();
    const first = this.parts.chain.store.header(0)!.difficulty;
    return { number, hash, td: first + BigInt(number) * (number > 0 ? header.difficulty : 0n) };
  }

  private now(): number {
    return this.parts.clock.nowMs();
  }
}
