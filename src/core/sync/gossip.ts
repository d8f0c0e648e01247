/**
 * Spreads transactions: the node where one entered sends its body, nodes that relay it send its
 * hash, and hashes announced by peers are requested (GoQuorum eth/handler.go). Transactions are
 * collected for 5 ms or 8 KB, for longer under load, because a message costs its receiver a slice
 * of work and a request to its manager (docs/performance.md).
 */
import { type Address, bytesOfKey, type Hash32, keyOf } from '../base/bytes.ts';
import { Lru } from '../base/lru.ts';
import type { Machine } from '../base/machine.ts';
import type { PeerId } from '../base/ports.ts';
import { DISCONNECT } from '../wire/disconnect.ts';
import type {
  GossipDue,
  GossipEffect,
  GossipInput,
  GossipReceived,
  GossipTransaction,
  TurnedAway,
} from './gossip-types.ts';
import { KnownHashes } from './known-hashes.ts';
import { type PassedOn, PassedOnTransactions } from './passed-on.ts';

const GATHER_MS = 5;
/** While transactions keep coming, they are sent at this interval. */
const GATHER_UNDER_LOAD_MS = 25;
const GATHER_BYTES = 8 * 1024;
/**
 * Number of peers to which transactions of this node's clients are sent in full; the other peers
 * get hashes. Transactions from peers are announced to those that seem to lack them, since their
 * sender has probably sent them too. GoQuorum sends bodies to all peers.
 */
const BODY_PEERS_MAX = 16;
/** Announcements are collected for longer: the peer may announce the same hashes itself. */
const ANNOUNCE_GATHER_MS = 50;
/** Interval of announcements to peers that should have heard of the transaction from others. */
const UNHEARD_MS = 5_000;
/** Approximate maximum of one message; longer batches are split. */
const MESSAGE_BYTES_SOFT_MAX = 512 * 1024;
const ANNOUNCEMENT_HASHES_MAX = 4_096;
const REQUEST_HASHES_MAX = 256;
const REQUEST_TIMEOUT_MS = 5_000;
/** Wait before a peer is asked again after its transactions did not fit in the pool. */
const ROOM_WAIT_MS = 1_000;
/**
 * Maximum of hashes per peer that wait to be requested. Further ones are ignored: blocks bring the
 * transactions anyway.
 */
const WANTED_PER_PEER_MAX = 16_384;
const RECENTLY_SEEN_MAX = 32_768;
const TIMEOUTS_MAX = 5;

interface GossipPeer {
  readonly id: PeerId;
  /** keyOf its address. */
  readonly address: string;
  /** keyOf the addresses that it reported; peers that do not report get every announcement. */
  connections: ReadonlySet<string>;
  readonly known: KnownHashes;
  /** Keys of hashes that the peer has and that are not yet requested. */
  readonly wanted: Set<string>;
  request: { id: bigint; keys: readonly string[] } | undefined;
  /** No requests are sent to the peer until its transactions may fit in the pool. */
  isResting: boolean;
  timeouts: number;
}

interface Keyed {
  readonly transaction: GossipTransaction;
  readonly key: string;
}

export class Gossip implements Machine<GossipInput, GossipEffect> {
  private readonly peers = new Map<PeerId, GossipPeer>();
  /** Transactions from this node's clients, to be sent. */
  private own: Keyed[] = [];
  private ownBytes = 0;
  private isOwnAwaited = false;
  /** Transactions from peers, to be announced. */
  private readonly passedOn = new PassedOnTransactions();
  /** Keys of hashes requested from a peer, so that no other peer is asked for them. */
  private readonly underWay = new Map<string, PeerId>();
  /**
   * Keys of transactions that peers sent recently, and the first peer. They are in the pool,
   * refused or mined, so requesting them again is pointless.
   */
  private readonly seen = new Lru<string, PeerId>(RECENTLY_SEEN_MAX);
  private nextRequestId = 1n;
  private out: GossipEffect[] = [];

  step(input: GossipInput): readonly GossipEffect[] {
    this.out = [];
    switch (input.kind) {
      case 'joined':
        this.join(input.peer, input.address);
        break;
      case 'told':
        this.tell(input.peer, input.connections);
        break;
      case 'left':
        this.forget(input.peer);
        break;
      case 'admitted':
        this.gather(input.transactions);
        break;
      case 'unmined':
        this.sendAgain(input.transactions);
        break;
      case 'received':
        this.receive(input);
        break;
      case 'announced':
        this.hear(input.peer, input.hashes, input.wanted);
        break;
      case 'introduce':
        this.introduce(input.peer, input.transactions);
        break;
      case 'ownDue':
        this.isOwnAwaited = false;
        if (this.own.length === 0) break;
        this.flushOwn();
        this.awaitOwn(GATHER_UNDER_LOAD_MS);
        break;
      case 'passedOnDue':
        this.flushPassedOn();
        break;
      case 'unheardDue':
        this.flushUnheard();
        break;
      case 'roomDue':
        this.endRest(input.peer);
        break;
      case 'requestDue':
        this.giveUp(input.peer, input.requestId);
    }
    return this.out;
  }

  private join(id: PeerId, address: Address): void {
    const known = new KnownHashes();
    const none = { connections: new Set<string>(), request: undefined };
    const calm = { isResting: false, timeouts: 0 };
    this.peers.set(id, { id, address: keyOf(address), known, wanted: new Set(), ...none, ...calm });
  }

  private tell(id: PeerId, connections: readonly Address[]): void {
    const peer = this.peers.get(id);
    if (peer) peer.connections = new Set(connections.map(keyOf));
  }

  private forget(id: PeerId): void {
    const peer = this.peers.get(id);
    if (!peer) return;
    this.peers.delete(id);
    this.release(peer);
    this.askAll();
  }

  /** Ends a peer's request, so that other peers may be asked for the same hashes. */
  private release(peer: GossipPeer): void {
    for (const key of peer.request?.keys ?? []) this.underWay.delete(key);
    peer.request = undefined;
  }

  private gather(transactions: readonly GossipTransaction[]): void {
    if (this.peers.size === 0) return;
    for (const transaction of transactions) {
      const key = keyOf(transaction.hash);
      const source = this.seen.get(key);
      if (source !== undefined) this.gatherPassedOn({ transaction, key, source });
      else this.gatherOwn({ transaction, key });
    }
  }

  private gatherOwn(item: Keyed): void {
    this.awaitOwn(GATHER_MS);
    this.own.push(item);
    this.ownBytes += item.transaction.raw.length;
    if (this.ownBytes >= GATHER_BYTES) this.flushOwn();
  }

  private awaitOwn(afterMs: number): void {
    if (this.isOwnAwaited) return;
    this.isOwnAwaited = true;
    this.out.push({ kind: 'wake', afterMs, due: { kind: 'ownDue' } });
  }

  private gatherPassedOn(item: PassedOn): void {
    const size = this.passedOn.add(item);
    if (size === 1)
      this.out.push({ kind: 'wake', afterMs: ANNOUNCE_GATHER_MS, due: { kind: 'passedOnDue' } });
    if (size >= ANNOUNCEMENT_HASHES_MAX) this.flushPassedOn();
  }

  private flushOwn(): void {
    const batch = this.own;
    this.own = [];
    this.ownBytes = 0;
    let bodies = 0;
    for (const peer of this.peers.values()) {
      const lacking = lackedBy(peer, batch);
      if (lacking.length === 0) continue;
      if (bodies++ < BODY_PEERS_MAX) this.sendBodies(peer.id, lacking);
      else this.sendHashes(peer.id, lacking);
    }
  }

  /** Sends to peers that get bodies; those that get hashes do not request what they have seen. */
  private sendAgain(transactions: readonly GossipTransaction[]): void {
    const peers = [...this.peers.keys()].slice(0, BODY_PEERS_MAX);
    for (const peer of peers) this.sendBodies(peer, transactions);
  }

  private flushPassedOn(): void {
    const { batch, mayWait } = this.passedOn.takeBatch();
    const waiting = new Set<PassedOn>();
    for (const peer of this.peers.values()) {
      const soon = batch.filter((item) => {
        const isHeard = mayWait && this.hears(peer, item) && !peer.known.has(item.key);
        if (isHeard) waiting.add(item);
        return !isHeard;
      });
      this.sendHashes(peer.id, lackedBy(peer, soon));
    }
    if (this.passedOn.wait(waiting)) this.wakeForUnheard();
  }

  /** Whether the peer gets the transaction from the one that sent it here. */
  private hears({ address }: GossipPeer, { source }: PassedOn): boolean {
    return this.peers.get(source)?.connections.has(address) ?? false;
  }

  /** Announces what should have reached all peers, to those that may still lack it. */
  private flushUnheard(): void {
    const { overdue, isMore } = this.passedOn.takeOverdue();
    for (const peer of this.peers.values()) this.sendHashes(peer.id, lackedBy(peer, overdue));
    if (isMore) this.wakeForUnheard();
  }

  private wakeForUnheard(): void {
    this.out.push({ kind: 'wake', afterMs: UNHEARD_MS, due: { kind: 'unheardDue' } });
  }

  private sendBodies(peer: PeerId, transactions: readonly GossipTransaction[]): void {
    let part: GossipTransaction[] = [];
    let size = 0;
    for (const transaction of transactions) {
      part.push(transaction);
      size += transaction.raw.length;
      if (size < MESSAGE_BYTES_SOFT_MAX) continue;
      this.out.push({ kind: 'sendTransactions', peer, transactions: part });
      part = [];
      size = 0;
    }
    if (part.length > 0) this.out.push({ kind: 'sendTransactions', peer, transactions: part });
  }

  private sendHashes(peer: PeerId, transactions: readonly GossipTransaction[]): void {
    for (let at = 0; at < transactions.length; at += ANNOUNCEMENT_HASHES_MAX) {
      const part = transactions.slice(at, at + ANNOUNCEMENT_HASHES_MAX);
      this.out.push({ kind: 'announce', peer, transactions: part });
    }
  }

  private introduce(id: PeerId, transactions: readonly GossipTransaction[]): void {
    const peer = this.peers.get(id);
    if (!peer) return;
    const lacking = transactions.filter((transaction) => peer.known.add(keyOf(transaction.hash)));
    this.sendHashes(id, lacking);
  }

  private receive({ peer: id, hashes, requestId, turnedAway }: GossipReceived): void {
    const peer = this.peers.get(id);
    if (!peer) return;
    for (const hash of hashes) {
      const key = keyOf(hash);
      peer.known.add(key);
      if (!this.seen.has(key)) this.seen.set(key, id);
      this.underWay.delete(key);
    }
    if (requestId !== undefined && peer.request?.id === requestId) {
      const cutOff = this.cutOff(peer.request.keys);
      this.release(peer);
      for (const key of cutOff) this.want(peer, key);
      peer.timeouts = 0;
    }
    if (turnedAway) this.turnAway(peer, turnedAway);
    this.askAll();
  }

  /**
   * Hashes of a request that did not fit into the reply. Replies have the order of the request, so
   * these come after the last received one; the peer no longer has the other missing ones.
   */
  private cutOff(asked: readonly string[]): readonly string[] {
    const last = asked.findLastIndex((key) => this.seen.has(key));
    return last < 0 ? [] : asked.slice(last + 1);
  }

  private want(peer: GossipPeer, key: string): void {
    if (peer.wanted.size >= WANTED_PER_PEER_MAX || this.seen.has(key)) return;
    peer.wanted.add(key);
  }

  /** Counts them as never sent; requests them from the peer again once the pool may have space. */
  private turnAway(peer: GossipPeer, { hashes, canAsk }: TurnedAway): void {
    for (const hash of hashes) {
      const key = keyOf(hash);
      this.seen.delete(key);
      if (canAsk) this.want(peer, key);
    }
    if (!canAsk || peer.isResting) return;
    peer.isResting = true;
    this.out.push({ kind: 'wake', afterMs: ROOM_WAIT_MS, due: { kind: 'roomDue', peer: peer.id } });
  }

  private endRest(id: PeerId): void {
    const peer = this.peers.get(id);
    if (!peer) return;
    peer.isResting = false;
    this.ask(peer);
  }

  private hear(id: PeerId, hashes: readonly Hash32[], wanted: readonly Hash32[]): void {
    const peer = this.peers.get(id);
    if (!peer) return;
    for (const hash of hashes) peer.known.add(keyOf(hash));
    for (const hash of wanted) this.want(peer, keyOf(hash));
    this.ask(peer);
  }

  private askAll(): void {
    for (const peer of this.peers.values()) this.ask(peer);
  }

  /** Sends one request at a time per peer, for hashes not requested from other peers. */
  private ask(peer: GossipPeer): void {
    if (peer.request || peer.isResting || peer.wanted.size === 0) return;
    const keys: string[] = [];
    for (const key of peer.wanted) {
      if (this.underWay.has(key)) continue;
      peer.wanted.delete(key);
      if (this.seen.has(key)) continue;
      keys.push(key);
      if (keys.length === REQUEST_HASHES_MAX) break;
    }
    if (keys.length === 0) return;
    for (const key of keys) this.underWay.set(key, peer.id);
    const id = this.nextRequestId++;
    peer.request = { id, keys };
    const hashes = keys.map(bytesOfKey);
    this.out.push({ kind: 'getTransactions', peer: peer.id, requestId: id, hashes });
    const due: GossipDue = { kind: 'requestDue', peer: peer.id, requestId: id };
    this.out.push({ kind: 'wake', afterMs: REQUEST_TIMEOUT_MS, due });
  }

  /** A request has timed out, unless it was answered: asks other peers. */
  private giveUp(id: PeerId, requestId: bigint): void {
    const peer = this.peers.get(id);
    if (peer?.request?.id !== requestId) return;
    this.release(peer);
    if (++peer.timeouts >= TIMEOUTS_MAX) {
      this.peers.delete(id);
      const fault = 'announces transactions but does not send them';
      this.out.push({ kind: 'misbehaved', peer: id, reason: DISCONNECT.uselessPeer, fault });
    }
    this.askAll();
  }
}

/** The transactions that the peer does not know; marks them as known. */
function lackedBy(peer: GossipPeer, batch: readonly Keyed[]): GossipTransaction[] {
  const lacking: GossipTransaction[] = [];
  for (const { key, transaction } of batch) if (peer.known.add(key)) lacking.push(transaction);
  return lacking;
}
