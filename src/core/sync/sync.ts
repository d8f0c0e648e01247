/**
 * Sync, headers first: selects what to request from which peer, and the order in which blocks reach
 * the importer (GoQuorum eth/handler.go). BFT blocks are final, so a peer whose chain forks below
 * our head is useless.
 */
import { equalBytes, type Hash32, keyOf } from '../base/bytes.ts';
import { Lru } from '../base/lru.ts';
import type { Machine } from '../base/machine.ts';
import type { PeerId } from '../base/ports.ts';
import { DISCONNECT } from '../wire/disconnect.ts';
import type { BlockId, RawBlock, RawBody } from '../wire/eth.ts';
import { decodeHeaders } from './decode-headers.ts';
import { bodyMatches, HEADERS_AHEAD_MAX, Pipeline } from './pipeline.ts';
import { isBetter, newSyncPeer, type SyncPeer } from './sync-peer.ts';
import type { ChainHead, SyncEffect, SyncHeader, SyncInput, SyncProgress } from './sync-types.ts';

export const SYNC_TICK_MS = 250;
const HEADERS_PER_REQUEST = 192;
const BODIES_PER_REQUEST = 64;
const REQUEST_TIMEOUT_MS = 10_000;
/** How long no requests are sent to a peer that failed to answer. */
const PEER_PAUSE_MS = 2_000;
/** Missing or empty replies in a row, after which the session ends. */
const STRIKES_MAX = 3;
/**
 * Delay before announced blocks at the head are fetched: a validator usually decides them itself
 * within this time.
 */
const ANNOUNCE_WAIT_MS = 500;
/** Number of missing blocks that counts as "at the head". */
const NEAR_BLOCKS = 2;
const BAD_BLOCKS_MAX = 128;

export class Sync implements Machine<SyncInput, SyncEffect> {
  private readonly peers = new Map<PeerId, SyncPeer>();
  private readonly pipeline: Pipeline;
  private readonly badBlocks = new Lru<string, true>(BAD_BLOCKS_MAX);
  private head: ChainHead;
  private nextRequestId = 1n;
  private nextBatch = 1;
  private readonly batches = new Map<number, number>();
  private behindSinceMs: number | undefined;
  private startingBlock: number | undefined;
  private out: SyncEffect[] = [];

  constructor(head: ChainHead) {
    this.head = head;
    this.pipeline = new Pipeline(head);
  }

  /** undefined while at the head, or one block behind it. */
  get progress(): SyncProgress | undefined {
    if (this.startingBlock === undefined) return undefined;
    return {
      startingBlock: this.startingBlock,
      currentBlock: this.head.number,
      highestBlock: Math.max(this.target(), this.head.number),
    };
  }

  /** Amounts held between peers and the importer, for metrics. */
  get held(): { headers: number; bodyBytes: number } {
    return { headers: this.pipeline.length, bodyBytes: this.pipeline.heldBodyBytes };
  }

  step(input: SyncInput, nowMs: number): readonly SyncEffect[] {
    this.out = [];
    this.take(input, nowMs);
    this.schedule(nowMs);
    return this.out;
  }

  private take(input: SyncInput, nowMs: number): void {
    switch (input.kind) {
      case 'joined':
        this.join(input.peer, input.head, input.td);
        return;
      case 'left':
        this.forget(input.peer);
        return;
      case 'headers':
        this.takeHeaders(input.peer, input.requestId, input.headers, nowMs);
        return;
      case 'bodies':
        this.takeBodies(input.peer, input.requestId, input.bodies, nowMs);
        return;
      case 'announced':
        this.takeAnnouncement(input.peer, input.blocks);
        return;
      case 'newBlock':
        this.takeNewBlock(input.peer, input.block);
        return;
      case 'verified':
        this.takeVerdict(input.batch, input.fault);
        return;
      case 'importFailed':
        this.takeImportFailure(input.hash, input.fault);
        return;
      case 'head':
        this.head = input.head;
        this.pipeline.advance(input.head);
        return;
      case 'tick':
        this.expire(nowMs);
    }
  }

  private join(id: PeerId, head: Hash32, td: bigint): void {
    this.peers.set(id, newSyncPeer(id, { hash: head, td }, this.head));
  }

  private forget(id: PeerId): void {
    const peer = this.peers.get(id);
    if (peer?.bodies) this.pipeline.markAsked(peer.bodies.headers, undefined);
    this.peers.delete(id);
  }

  private blame(id: PeerId, reason: number, fault: string): void {
    if (!this.peers.has(id)) return;
    this.forget(id);
    this.out.push({ kind: 'misbehaved', peer: id, reason, fault });
  }

  /** Counts a missing or useless reply. */
  private strike(peer: SyncPeer, nowMs: number, fault: string): void {
    peer.strikes++;
    peer.pausedUntilMs = nowMs + PEER_PAUSE_MS;
    if (peer.strikes >= STRIKES_MAX) this.blame(peer.id, DISCONNECT.uselessPeer, fault);
  }

  private takeHeaders(
    id: PeerId,
    requestId: bigint,
    raws: readonly Uint8Array[],
    nowMs: number,
  ): void {
    const peer = this.peers.get(id);
    const request = peer?.headers;
    // The reply came too late, or was never requested.
    if (!peer || !request || request.id !== requestId) return;
    peer.headers = undefined;
    if (raws.length > request.amount) {
      this.blame(id, DISCONNECT.breachOfProtocol, 'more headers than asked for');
      return;
    }
    const headers = decodeHeaders(raws);
    if (!headers) {
      this.blame(id, DISCONNECT.breachOfProtocol, 'invalid header');
      return;
    }
    const { origin } = request;
    if (typeof origin === 'number') this.takeBatch(peer, headers, origin, nowMs);
    else this.takeProbe(peer, origin, headers, nowMs);
  }

  private takeProbe(
    peer: SyncPeer,
    hash: Hash32,
    headers: readonly SyncHeader[],
    nowMs: number,
  ): void {
    const first = headers[0];
    if (!first) {
      this.strike(peer, nowMs, 'does not send the header of its own head');
      return;
    }
    if (!equalBytes(first.hash, hash)) {
      this.blame(peer.id, DISCONNECT.breachOfProtocol, 'not the requested header');
      return;
    }
    peer.needsProbe = false;
    peer.strikes = 0;
    peer.best = Math.max(peer.best ?? 0, first.header.number);
  }

  private takeBatch(
    peer: SyncPeer,
    batch: readonly SyncHeader[],
    from: number,
    nowMs: number,
  ): void {
    if (batch.length === 0) {
      peer.best = Math.min(peer.best ?? 0, from - 1);
      this.strike(peer, nowMs, 'does not send the headers that it announced');
      return;
    }
    const broken = batch.findIndex(
      ({ header }, i) =>
        header.number !== from + i || (i > 0 && !equalBytes(header.parentHash, batch[i - 1]!.hash)),
    );
    if (broken >= 0) {
      this.blame(peer.id, DISCONNECT.breachOfProtocol, 'headers that are not linked');
      return;
    }
    peer.strikes = 0;
    const { tip } = this.pipeline;
    const fresh = batch.filter(({ header }) => header.number > tip.number);
    const first = fresh[0];
    if (!first || first.header.number !== tip.number + 1) return;
    if (!equalBytes(first.header.parentHash, tip.hash)) {
      if (tip.verified) {
        const fault = `its chain forks from ours at block ${first.header.number}`;
        this.blame(peer.id, DISCONNECT.uselessPeer, fault);
      } else {
        // One of two peers is lying. The check of the earlier headers will show which one.
        peer.pausedUntilMs = nowMs + SYNC_TICK_MS;
      }
      return;
    }
    this.append(peer.id, fresh);
  }

  private append(from: PeerId, headers: readonly SyncHeader[]): void {
    if (headers.some((item) => this.badBlocks.has(keyOf(item.hash)))) {
      this.blame(from, DISCONNECT.breachOfProtocol, 'block already known to be bad');
      return;
    }
    const batch = this.nextBatch++;
    this.batches.set(batch, headers.length);
    this.pipeline.append(headers, from, batch);
    this.out.push({ kind: 'verifyHeaders', batch, headers });
  }

  private takeVerdict(batch: number, fault: { index: number; text: string } | undefined): void {
    const count = this.batches.get(batch);
    this.batches.delete(batch);
    if (count === undefined) return;
    this.pipeline.markVerified(batch, fault ? fault.index : count);
    if (!fault) return;
    const from = this.pipeline.removeFrom(batch, fault.index);
    if (from !== undefined) this.blame(from, DISCONNECT.breachOfProtocol, fault.text);
  }

  private takeImportFailure(hash: Hash32, fault: string): void {
    this.badBlocks.set(keyOf(hash), true);
    const block = this.pipeline.find(hash);
    this.pipeline.clear();
    if (block) this.blame(block.from, DISCONNECT.breachOfProtocol, fault);
  }

  private takeBodies(
    id: PeerId,
    requestId: bigint,
    bodies: readonly RawBody[],
    nowMs: number,
  ): void {
    const peer = this.peers.get(id);
    const request = peer?.bodies;
    if (!peer || !request || request.id !== requestId) return;
    peer.bodies = undefined;
    this.pipeline.markAsked(request.headers, undefined);
    if (bodies.length === 0) {
      peer.best = Math.min(peer.best ?? 0, request.headers[0]!.header.number - 1);
      this.strike(peer, nowMs, 'does not send the bodies of blocks that it announced');
      return;
    }
    // Replies keep the order of the request and omit what the peer lacks.
    let at = 0;
    for (const item of request.headers) {
      const body = bodies[at];
      if (!body) break;
      if (!bodyMatches(item.header, body)) continue;
      this.pipeline.fill(item, body);
      at++;
    }
    if (at < bodies.length) {
      this.blame(id, DISCONNECT.breachOfProtocol, 'body of no requested header');
      return;
    }
    peer.strikes = 0;
  }

  private takeAnnouncement(id: PeerId, blocks: readonly BlockId[]): void {
    const peer = this.peers.get(id);
    if (!peer) return;
    for (const block of blocks) this.raise(peer, block);
  }

  private raise(peer: SyncPeer, block: BlockId): void {
    if (block.number <= (peer.best ?? -1)) return;
    peer.best = block.number;
    peer.head = block.hash.slice();
    peer.needsProbe = false;
  }

  /** A block that a peer sent unrequested at the head is imported without further requests. */
  private takeNewBlock(id: PeerId, block: RawBlock): void {
    const peer = this.peers.get(id);
    if (!peer) return;
    const [item] = decodeHeaders([block.header]) ?? [];
    if (!item) {
      this.blame(id, DISCONNECT.breachOfProtocol, 'block without a valid header');
      return;
    }
    const { header, hash } = item;
    this.raise(peer, { number: header.number, hash });
    const { tip } = this.pipeline;
    if (header.number !== tip.number + 1 || !equalBytes(header.parentHash, tip.hash)) return;
    // COMPAT: a NewBlock whose body does not match its header is ignored, not punished.
    if (!bodyMatches(header, block.body)) return;
    this.append(id, [item]);
    this.pipeline.fill(item, block.body);
  }

  private expire(nowMs: number): void {
    for (const peer of [...this.peers.values()]) {
      const isLate = (request: { sinceMs: number } | undefined) =>
        request !== undefined && nowMs - request.sinceMs >= REQUEST_TIMEOUT_MS;
      const late = isLate(peer.headers) || isLate(peer.bodies);
      if (!late) continue;
      if (isLate(peer.headers)) peer.headers = undefined;
      if (peer.bodies && isLate(peer.bodies)) {
        this.pipeline.markAsked(peer.bodies.headers, undefined);
        peer.bodies = undefined;
      }
      this.strike(peer, nowMs, 'does not answer requests');
    }
  }

  private target(): number {
    let target = 0;
    for (const peer of this.peers.values()) target = Math.max(target, peer.best ?? 0);
    return target;
  }

  private schedule(nowMs: number): void {
    const target = this.target();
    const gap = target - this.head.number;
    if (gap <= 0) {
      this.behindSinceMs = undefined;
      this.startingBlock = undefined;
    } else {
      this.behindSinceMs ??= nowMs;
      if (gap > NEAR_BLOCKS) this.startingBlock ??= this.head.number;
    }
    this.probe(nowMs);
    this.askHeaders(target, gap, nowMs);
    this.askBodies(nowMs);
    const blocks = this.pipeline.takeReady();
    if (blocks.length > 0) this.out.push({ kind: 'import', blocks });
  }

  private probe(nowMs: number): void {
    for (const peer of this.peers.values()) {
      if (!peer.needsProbe || peer.headers || peer.pausedUntilMs > nowMs) continue;
      this.request(peer, peer.head, 1, nowMs);
    }
  }

  private request(peer: SyncPeer, origin: Hash32 | number, amount: number, nowMs: number): void {
    const requestId = this.nextRequestId++;
    peer.headers = { id: requestId, sinceMs: nowMs, origin, amount };
    const query = { origin, amount, skip: 0, reverse: false };
    this.out.push({ kind: 'getHeaders', peer: peer.id, requestId, query });
  }

  /** Requests one batch at a time, after the last known header. */
  private askHeaders(target: number, gap: number, nowMs: number): void {
    const { tip } = this.pipeline;
    if (target <= tip.number || this.pipeline.length > HEADERS_AHEAD_MAX - HEADERS_PER_REQUEST) {
      return;
    }
    const isNear = gap <= NEAR_BLOCKS;
    if (isNear && nowMs - (this.behindSinceMs ?? nowMs) < ANNOUNCE_WAIT_MS) return;
    let chosen: SyncPeer | undefined;
    for (const peer of this.peers.values()) {
      if (typeof peer.headers?.origin === 'number') return;
      if (peer.headers || peer.pausedUntilMs > nowMs || (peer.best ?? 0) <= tip.number) continue;
      if (!chosen || isBetter(peer, chosen)) chosen = peer;
    }
    if (!chosen) return;
    const amount = Math.min(HEADERS_PER_REQUEST, target - tip.number);
    this.request(chosen, tip.number + 1, amount, nowMs);
  }

  private askBodies(nowMs: number): void {
    for (const peer of this.peers.values()) {
      if (peer.bodies || peer.pausedUntilMs > nowMs || peer.best === undefined) continue;
      const headers = this.pipeline.wantedBodies(BODIES_PER_REQUEST, peer.best);
      if (headers.length === 0) continue;
      const requestId = this.nextRequestId++;
      peer.bodies = { id: requestId, sinceMs: nowMs, headers };
      this.pipeline.markAsked(headers, peer.id);
      const hashes = headers.map((item) => item.hash);
      this.out.push({ kind: 'getBodies', peer: peer.id, requestId, hashes });
    }
  }
}
