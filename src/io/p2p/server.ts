/**
 * The node's end of the peer-to-peer network: listens, dials static nodes, keeps one session per
 * node id within the limits, and offers them to the node as `Links` (GoQuorum p2p/peer.go).
 */

import { randomInt } from 'node:crypto';
import { connect, createServer, isIP, type Server, type Socket } from 'node:net';
import { bareHex } from '../../core/base/hex.ts';
import { Lru } from '../../core/base/lru.ts';
import { type NodeKey, nodeKeyOf } from '../../core/base/node-key.ts';
import type { Slices } from '../../core/base/pace.ts';
import type { LinkEvent, LinkSink, Links, PeerId, PeerMessage } from '../../core/base/ports.ts';
import { addressOfPublicKey } from '../../core/base/secp256k1.ts';
import { DISCONNECT, disconnectText } from '../../core/wire/disconnect.ts';
import { type Enode, formatEnode } from '../../core/wire/enode.ts';
import { SNAPPY_BASE_VERSION } from '../../core/wire/hello.ts';
import { steadyClock } from '../host/clock.ts';
import { listen } from '../http/listen.ts';
import { hostPort, isLanAddress, plainAddress } from './addresses.ts';
import { Admission, dialPlaces, type Session } from './admission.ts';
import { Dialer } from './dialer.ts';
import { type DiscoveryService, discoveryOf } from './discovery.ts';
import {
  HELD_BYTES_MAX,
  INBOUND_HISTORY_MAX,
  PENDING_INBOUND_MAX,
  TIMINGS,
  type Timings,
} from './limits.ts';
import { NetRestrict } from './net-restrict.ts';
import { PeerConnection } from './peer.ts';
import type { Ending, PeerHost } from './peer-host.ts';
import { PeerTurns } from './peer-turns.ts';
import type { Candidate, ConnectedPeer, Listening, P2pOptions } from './server-options.ts';
import { PeerTraffic, watchTraffic } from './traffic.ts';

export class P2pServer implements Links {
  readonly id: PeerId;
  private readonly options: P2pOptions;
  private readonly timings: Timings;
  private readonly key: NodeKey;
  private readonly dialer: Dialer;
  private readonly networks: NetRestrict | undefined;
  private readonly trusted = new Map<PeerId, Enode>();
  private readonly sessions = new Map<PeerId, Session>();
  /** Connections before Hello, except those that are being closed. */
  private readonly pending = new Set<PeerConnection>();
  /** Sockets that are connecting. */
  private readonly dialling = new Set<Socket>();
  private readonly inboundHistory = new Lru<string, number>(INBOUND_HISTORY_MAX);
  private readonly sinks: LinkSink[] = [];
  private readonly host: PeerHost<PeerConnection>;
  private readonly traffic: PeerTraffic | undefined;
  private readonly admission: Admission;
  private listener: Server | undefined;
  private discovery: DiscoveryService | undefined;
  private sweeper: NodeJS.Timeout | undefined;
  private stopped = false;

  constructor(options: P2pOptions) {
    this.options = options;
    this.timings = options.timings ?? TIMINGS;
    this.key = nodeKeyOf(options.nodeKey);
    this.id = bareHex(this.key.publicKey);
    this.dialer = new Dialer(this.timings, () => randomInt(1 << 30) / (1 << 30));
    this.networks = options.netRestrict && new NetRestrict(options.netRestrict);
    for (const node of options.trustedNodes) this.trusted.set(node.id, node);
    for (const node of options.staticNodes) this.addPeer(node);
    this.host = this.makeHost();
    this.traffic = options.traffic && new PeerTraffic(options.traffic);
    const { id, trusted, sessions, dialer } = this;
    const { maxPeers, isKnown } = options;
    this.admission = new Admission({ id, maxPeers, trusted, sessions, dialer, isKnown });
  }

  /** Resolves when the server listens. Rejects with P2P_LISTEN_FAILED. */
  async start(): Promise<void> {
    if (this.options.listen) await this.listen(this.options.listen);
    this.discovery = discoveryOf(this.options, this.listening, this.networks);
    await this.discovery?.start();
    this.sweeper = setInterval(() => this.sweep(), this.timings.sweepMs);
    this.sweep();
  }

  /** Sends Disconnect to all peers and resolves when every socket is closed. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearInterval(this.sweeper);
    this.discovery?.stop();
    for (const socket of this.dialling) socket.destroy();
    const closed: Promise<void>[] = [];
    const { listener } = this;
    if (listener) closed.push(new Promise((resolve) => listener.close(() => resolve())));
    for (const connection of [...this.pending, ...this.connections()]) {
      closed.push(new Promise((resolve) => connection.socket.once('close', () => resolve())));
      connection.disconnect(DISCONNECT.quitting, 'node stops');
    }
    await Promise.all(closed);
  }

  /** Where the server listens; undefined when it does not. */
  get listening(): Listening | undefined {
    const address = this.listener?.address();
    if (!address || typeof address === 'string') return undefined;
    const { address: host, port } = address;
    return { host: plainAddress(host), port, discovery: this.discovery?.listening };
  }

  events(sink: LinkSink): void {
    this.sinks.push(sink);
  }

  send(peer: PeerId, message: PeerMessage): void {
    const { connection } = this.sessions.get(peer) ?? {};
    const isSent = connection?.send(message.protocol, message.code, message.bytes);
    if (isSent) this.traffic?.add('egress/packets', 1);
  }

  drop(peer: PeerId, reason: number): void {
    this.sessions.get(peer)?.connection.disconnect(reason, 'dropped by the node');
  }

  /** Reports the ms that the node spent on a message which it processed later. */
  charge(peer: PeerId, ms: number): void {
    this.sessions.get(peer)?.connection.charge(ms);
  }

  peers(): ConnectedPeer[] {
    return [...this.sessions.values()].map((session) => session.info);
  }

  /** Dials a static node until it is connected. False: it is this node, or was added before. */
  addPeer(node: Enode): boolean {
    if (node.id === this.id) return false;
    const nowMs = steadyClock.nowMs();
    return this.dialer.add(node, nowMs, this.sessions.has(node.id));
  }

  /** Forgets a static node and ends its session. False when there was neither. */
  removePeer(id: PeerId): boolean {
    const kept = this.dialer.remove(id);
    const session = this.sessions.get(id);
    session?.connection.disconnect(DISCONNECT.requested, 'removed');
    return kept || session !== undefined;
  }

  /** A trusted node may connect even when all places are taken. */
  addTrustedPeer(node: Enode): void {
    this.trusted.set(node.id, node);
  }

  removeTrustedPeer(id: PeerId): void {
    this.trusted.delete(id);
  }

  private connections(): PeerConnection[] {
    return [...this.sessions.values()].map((session) => session.connection);
  }

  private async listen(at: { host: string; port: number }): Promise<void> {
    const listener = createServer((socket) => this.accept(socket));
    this.listener = listener;
    await listen(listener, { kind: 'tcp', ...at }, 'P2P_LISTEN_FAILED');
    listener.on('error', (error) => this.options.log('error', 'P2P listener failed', { error }));
  }

  private accept(socket: Socket): void {
    const remote = plainAddress(socket.remoteAddress ?? '');
    const { pendingMax = PENDING_INBOUND_MAX } = this.options;
    if (
      this.stopped ||
      this.networks?.contains(remote) === false ||
      this.countPendingInbound() >= pendingMax ||
      this.tooOften(remote)
    ) {
      socket.on('error', () => undefined);
      socket.destroy();
      return;
    }
    watchTraffic(this.options.traffic, socket, 'serves');
    this.pending.add(new PeerConnection(this.host, socket));
  }

  private countPendingInbound(): number {
    let count = 0;
    for (const connection of this.pending) if (connection.inbound) count++;
    return count;
  }

  private tooOften(remote: string): boolean {
    const nowMs = steadyClock.nowMs();
    if (isLanAddress(remote)) return false;
    const lastMs = this.inboundHistory.get(remote);
    this.inboundHistory.set(remote, nowMs);
    return lastMs !== undefined && nowMs - lastMs < this.timings.inboundThrottleMs;
  }

  private sweep(): void {
    const nowMs = steadyClock.nowMs();
    for (const connection of [...this.pending, ...this.connections()]) connection.sweep(nowMs);
    this.sendAway();
    this.takeFound(nowMs);
    for (const node of this.dialer.due(nowMs)) this.dial(node);
  }

  /** While places are free, a third of all places is for nodes that discovery finds. */
  private takeFound(nowMs: number): void {
    const { maxPeers } = this.options;
    if (!this.discovery || this.sessions.size >= maxPeers) return;
    const isHere = (id: PeerId) => id === this.id || this.sessions.has(id);
    this.dialer.addFound(this.discovery.nodes(), dialPlaces(maxPeers), isHere, nowMs);
  }

  /** Disconnects peers that permissioning no longer admits. */
  private sendAway(): void {
    const isRevoked = this.options.revoked?.();
    if (!isRevoked) return;
    for (const { info, connection } of this.sessions.values()) {
      if (!isRevoked(info)) continue;
      this.options.log('warn', 'Peer is no longer permitted', { id: info.id, enode: info.enode });
      connection.disconnect(DISCONNECT.requested, 'no longer permitted');
    }
  }

  private dial(node: Enode): void {
    const enode = formatEnode(node);
    const isOutside = isIP(node.host!) !== 0 && this.networks?.contains(node.host!) === false;
    if (isOutside || !this.permits({ id: node.id, enode, inbound: false })) {
      this.dialer.disconnected(node.id, steadyClock.nowMs());
      return;
    }
    const lookup = this.networks?.lookup;
    const socket = connect({ host: node.host!, port: node.tcpPort, ...(lookup && { lookup }) });
    this.dialling.add(socket);
    socket.once('close', () => this.dialling.delete(socket));
    const failed = (why: string) => {
      socket.destroy();
      this.settleDial(node.id);
      this.options.log('debug', 'Dialing a node failed', { enode, error: why });
    };
    const onError = (error: Error) => failed(error.message);
    socket.setTimeout(this.timings.dialMs, () => failed('dial timeout'));
    socket.once('error', onError);
    socket.once('connect', () => {
      this.dialling.delete(socket);
      socket.setTimeout(0);
      socket.removeListener('error', onError);
      socket.removeAllListeners('timeout');
      if (this.stopped || !this.dialer.wants(node.id)) {
        socket.destroy();
        return;
      }
      watchTraffic(this.options.traffic, socket, 'dials');
      this.pending.add(new PeerConnection(this.host, socket, { key: node.publicKey, enode }));
    });
  }

  /**
   * Called when a dial or a session has ended: the node is dialled again later, unless there is
   * another session with it.
   */
  private settleDial(id: PeerId): void {
    if (this.sessions.has(id)) this.dialer.connected(id, steadyClock.nowMs());
    else this.dialer.disconnected(id, steadyClock.nowMs());
  }

  private permits(candidate: Candidate): boolean {
    if (!this.options.mayConnect || this.options.mayConnect(candidate)) return true;
    const direction = candidate.inbound ? 'INCOMING' : 'OUTGOING';
    const short = (id: string) => `id=${id.slice(0, 4)}…${id.slice(-4)}`;
    this.options.log('warn', 'permission denied', {
      detail: `${short(this.id)} ${direction} ${short(candidate.id)}`,
      enode: candidate.enode,
    });
    return false;
  }

  private makeHost(): PeerHost<PeerConnection> {
    const { options } = this;
    return {
      key: this.key,
      hello: {
        version: SNAPPY_BASE_VERSION,
        clientName: options.clientName,
        capabilities: options.protocols,
        listenPort: 0,
        id: this.key.publicKey,
      },
      protocols: options.protocols,
      timings: this.timings,
      turns: new PeerTurns(options.costClock),
      burdened: () => this.lighten(),
      backlog: ({ id }) => options.backlog?.(id) ?? 0,
      identified: (connection) => this.identified(connection),
      greeted: (connection) => this.greeted(connection),
      message: ({ id }, protocol, code, bytes) => this.received(id, protocol.name, code, bytes),
      failed: (connection, error) =>
        this.options.log('error', 'Handling a peer message failed', { id: connection.id, error }),
      ended: (connection, ending) => this.ended(connection, ending),
    };
  }

  private identified(connection: PeerConnection): number | 'silent' | undefined {
    const { id } = connection;
    const refusal = this.admission.refusal(connection, id);
    if (refusal !== undefined) return refusal;
    // COMPAT: a peer that permissioning refuses gets no reason.
    if (connection.inbound && !this.permits({ id, enode: connection.enode, inbound: true })) {
      return 'silent';
    }
    return undefined;
  }

  private greeted(connection: PeerConnection): number | undefined {
    const { id } = connection;
    const refusal = this.admission.refusal(connection, id);
    if (refusal !== undefined) return refusal;
    this.pending.delete(connection);
    if (this.admission.isFull(connection, id)) {
      const leaving = this.admission.placeFor(connection, id);
      leaving?.connection.disconnect(DISCONNECT.tooManyPeers, 'its place is given to another');
    }
    const held = this.sessions.get(id);
    if (held) held.connection.disconnect(DISCONNECT.alreadyConnected, 'superseded');
    const info = this.describe(connection, id);
    this.sessions.set(id, { connection, info });
    this.dialer.connected(id, steadyClock.nowMs());
    this.options.log('debug', 'Adding p2p peer', {
      peercount: this.sessions.size,
      id,
      addr: info.remoteAddress,
      name: info.clientName,
    });
    this.publish({ kind: 'joined', peer: info });
    return undefined;
  }

  private describe(connection: PeerConnection, id: PeerId): ConnectedPeer {
    const { socket } = connection;
    return {
      id,
      address: addressOfPublicKey(connection.remoteKey!),
      enode: connection.dialled ?? connection.enode,
      clientName: connection.clientName,
      capabilities: new Map(connection.shared.map((p) => [p.name, p.version])),
      offered: connection.offered,
      inbound: connection.inbound,
      trusted: this.trusted.has(id),
      static: this.dialer.has(id),
      remoteAddress: hostPort(socket.remoteAddress, socket.remotePort),
      localAddress: hostPort(socket.localAddress, socket.localPort),
    };
  }

  private received(peer: PeerId, protocol: string, code: number, bytes: Uint8Array) {
    this.traffic?.add('ingress/packets', 1);
    return this.publish({ kind: 'message', peer, message: { protocol, code, bytes } });
  }

  /** Disconnects the peers that hold the most bytes, until all together are within the bound. */
  private lighten(): void {
    const { heldBytesMax = HELD_BYTES_MAX } = this.options;
    const all = this.connections().sort((a, b) => b.heldBytes - a.heldBytes);
    let held = all.reduce((sum, { heldBytes }) => sum + heldBytes, 0);
    for (const connection of all) {
      if (held <= heldBytesMax) return;
      held -= connection.heldBytes;
      connection.disconnect(DISCONNECT.networkError, 'holds too much of the memory for peers');
    }
  }

  private ended(connection: PeerConnection, ending: Ending): void {
    this.pending.delete(connection);
    const { id } = connection;
    const joined = this.sessions.get(id)?.connection === connection;
    if (joined) this.sessions.delete(id);
    if (joined || !connection.inbound) this.settleDial(id);
    this.options.log('debug', joined ? 'Removing p2p peer' : 'P2P connection refused or failed', {
      peercount: this.sessions.size,
      id,
      reason: disconnectText(ending.reason),
      req: ending.remote,
      detail: ending.detail,
    });
    if (joined) this.publish({ kind: 'left', peer: id, reason: ending.reason });
  }

  private publish(event: LinkEvent): Slices<void> | undefined {
    let work: Slices<void> | undefined;
    for (const sink of this.sinks) work = sink(event) ?? work;
    return work;
  }
}
