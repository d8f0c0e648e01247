/** Carries out the effects of transaction gossip, and receives what peers send and announce. */
import type { Address, Hash32 } from '../../../../core/base/bytes.ts';
import type { Slices } from '../../../../core/base/pace.ts';
import type { PeerId, PeerInfo, Timers } from '../../../../core/base/ports.ts';
import { decodeTransaction, type Transaction } from '../../../../core/chain/transaction.ts';
import { Gossip } from '../../../../core/sync/gossip.ts';
import type {
  GossipEffect,
  GossipInput,
  GossipTransaction,
} from '../../../../core/sync/gossip-types.ts';
import type { TransactionPool } from '../../../../core/txpool/pool.ts';
import { DISCONNECT } from '../../../../core/wire/disconnect.ts';
import { ETH_MESSAGE } from '../../../../core/wire/eth.ts';
import {
  encodeHashRequest,
  encodePooledHashes,
  encodeTransactions,
} from '../../../../core/wire/eth-encode.ts';
import { LEGACY_ETH_VERSION } from '../../../../core/wire/legacy-eth.ts';
import type { Events } from '../chain/events.ts';
import type { TransactionIntake } from '../sending/transaction-intake.ts';
import type { EthLink } from './eth-link.ts';

/** Number of transactions of a message that are decoded in one slice. */
const SLICE_ITEMS = 64;

export interface GossipDriverParts {
  readonly pool: TransactionPool;
  readonly intake: TransactionIntake;
  readonly link: EthLink;
  readonly events: Events;
  readonly timers: Timers;
}

export class GossipDriver {
  private readonly parts: GossipDriverParts;
  private readonly gossip = new Gossip();
  private readonly endings: (() => void)[] = [];

  constructor(parts: GossipDriverParts) {
    this.parts = parts;
  }

  start(): void {
    const { events } = this.parts;
    this.endings.push(
      events.on('pending', (transactions) => this.step({ kind: 'admitted', transactions })),
      events.on('unmined', (transactions) => this.step({ kind: 'unmined', transactions })),
    );
  }

  stop(): void {
    for (const end of this.endings.splice(0)) end();
  }

  /** Sends at once the transactions of clients that wait for others, to be sent with them. */
  flush(): void {
    this.step({ kind: 'ownDue' });
  }

  joined({ id: peer, address }: PeerInfo): void {
    this.step({ kind: 'joined', peer, address });
    this.step({ kind: 'introduce', peer, transactions: [...this.parts.pool.pending()] });
  }

  /** A peer reported its connections. */
  told(peer: PeerId, connections: readonly Address[]): void {
    this.step({ kind: 'told', peer, connections });
  }

  left(peer: PeerId): void {
    this.step({ kind: 'left', peer });
  }

  /** Complete transactions; `requestId`: the request that they answer. */
  *received(
    peer: PeerId,
    raws: readonly Uint8Array[],
    requestId: bigint | undefined,
  ): Slices<void> {
    const transactions: Transaction[] = [];
    try {
      for (const [index, raw] of raws.entries()) {
        transactions.push(decodeTransaction(raw.slice()));
        if (index % SLICE_ITEMS === 0) yield;
      }
    } catch (error) {
      this.parts.link.drop(peer, DISCONNECT.subprotocolError, (error as Error).message);
      return;
    }
    yield;
    const refused = this.parts.intake.receive(
      peer,
      transactions.filter(({ hash }) => !this.parts.pool.has(hash)),
    );
    const received = { kind: 'received', peer, hashes: hashesOf(transactions), requestId } as const;
    const isFull = refused.length > 0;
    const turnedAway = { hashes: hashesOf(refused), canAsk: this.announces(peer) };
    this.step(isFull ? { ...received, turnedAway } : received);
  }

  *announced(peer: PeerId, hashes: readonly Hash32[]): Slices<void> {
    const wanted = hashes.filter((hash) => !this.parts.pool.has(hash));
    yield;
    this.step({ kind: 'announced', peer, hashes, wanted });
  }

  private step(input: GossipInput): void {
    for (const effect of this.gossip.step(input)) this.carry(effect);
  }

  private carry(effect: GossipEffect): void {
    const { link, timers } = this.parts;
    switch (effect.kind) {
      case 'sendTransactions':
        link.send(
          effect.peer,
          ETH_MESSAGE.transactions,
          encodeTransactions(effect.transactions.map(({ raw }) => raw)),
        );
        return;
      case 'announce':
        this.announce(effect.peer, effect.transactions);
        return;
      case 'getTransactions':
        link.send(
          effect.peer,
          ETH_MESSAGE.getPooledTransactions,
          encodeHashRequest(effect.requestId, effect.hashes),
        );
        return;
      case 'wake':
        timers.set(effect.afterMs, () => this.step(effect.due));
        return;
      case 'misbehaved':
        link.drop(effect.peer, effect.reason, effect.fault);
    }
  }

  /**
   * Whether transactions can be announced to a peer by hash: earlier versions of eth only send them
   * in full, and cannot request them.
   */
  private announces(peer: PeerId): boolean {
    return (this.parts.link.versionOf(peer) ?? 0) > LEGACY_ETH_VERSION;
  }

  private announce(peer: PeerId, all: readonly GossipTransaction[]): void {
    // Peers know those that are in blocks by now.
    const transactions = all.filter(({ hash }) => this.parts.pool.has(hash));
    const version = this.parts.link.versionOf(peer);
    if (version === undefined || transactions.length === 0) return;
    if (!this.announces(peer)) {
      const bytes = encodeTransactions(transactions.map(({ raw }) => raw));
      this.parts.link.send(peer, ETH_MESSAGE.transactions, bytes);
      return;
    }
    const bytes = encodePooledHashes(
      version,
      transactions.map(({ hash }) => hash),
      Uint8Array.from(transactions, ({ type }) => type),
      transactions.map(({ raw }) => raw.length),
    );
    this.parts.link.send(peer, ETH_MESSAGE.newPooledTransactionHashes, bytes);
  }
}

function hashesOf(transactions: readonly Transaction[]): Hash32[] {
  return transactions.map(({ hash }) => hash);
}
