/**
 * How members of a Raft cluster communicate: etcd's rafthttp in the version that GoQuorum contains
 * (etcd 3.3 etcdserver/api/rafthttp). Every member opens two streams to every other one and reads
 * from them; messages without a stream are posted.
 */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ByteBounds, ByteBudget } from '../../core/base/byte-budget.ts';
import type { Log } from '../../core/base/ports.ts';
import type { MemberAddress } from '../../core/consensus/raft/address.ts';
import type { RaftLinkEvent, RaftLinks } from '../../core/consensus/raft/interface.ts';
import { decodeMessage, type RaftMessage } from '../../core/consensus/raft/messages.ts';
import { RAFT_FRAME_BYTES_MAX, type StreamKind } from '../../core/consensus/raft/stream-codec.ts';
import { addressBlock } from '../http/address-block.ts';
import { readBody } from '../http/body.ts';
import { listen } from '../http/listen.ts';
import { CLUSTER_ID, compatibilityFault, idText, parseId, SERVER_VERSION } from './http-headers.ts';
import { MemberLink } from './member-link.ts';

/**
 * Maximum number of senders whose address is not committed yet: a leader that brings a new member
 * up to date, and few others.
 */
const REMOTES_MAX = 64;
/** Maximum number of connections, of members and of other clients that find the port. */
const CONNECTIONS_MAX = 1_024;
/** Bounds on the bytes of messages that are being read. */
const BODIES: ByteBounds = { all: 256 * 1024 * 1024, ofSource: 128 * 1024 * 1024 };
const STREAM_PATH = /^\/raft\/stream\/(msgapp|message)\/([^/]*)$/;

export interface RaftTransportOptions {
  readonly id: number;
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly log: Log;
  /** Bounds on the bytes of messages that are read at the same time; undefined: BODIES. */
  readonly bodies?: ByteBounds;
  /** Maximum number of simultaneous connections; undefined: CONNECTIONS_MAX. */
  readonly connectionsMax?: number;
}

export class RaftTransport implements RaftLinks {
  private readonly options: RaftTransportOptions;
  private readonly server: Server;
  private readonly bodies: ByteBudget;
  private readonly members = new Map<number, MemberLink>();
  /** Senders that are not yet members to our knowledge: they are only answered, by posting. */
  private readonly remotes = new Map<number, MemberLink>();
  private sink: ((event: RaftLinkEvent) => void) | undefined;
  private isRemoved: (id: number) => boolean = () => false;
  private ownUrl: string | undefined;

  constructor(options: RaftTransportOptions) {
    this.options = options;
    this.bodies = new ByteBudget(options.bodies ?? BODIES);
    this.server = createServer((request, response) => this.serve(request, response));
    this.server.maxConnections = options.connectionsMax ?? CONNECTIONS_MAX;
    this.server.on('clientError', (_, socket) => socket.destroy());
  }

  /** Rejects with RAFT_LISTEN_FAILED. */
  async start(
    sink: (event: RaftLinkEvent) => void,
    isRemoved: (id: number) => boolean,
  ): Promise<void> {
    this.sink = sink;
    this.isRemoved = isRemoved;
    const { host, port } = this.options;
    await listen(this.server, { kind: 'tcp', host, port }, 'RAFT_LISTEN_FAILED');
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    this.sink = undefined;
    for (const link of [...this.members.values(), ...this.remotes.values()]) link.stop();
    this.members.clear();
    this.remotes.clear();
    if (!this.server.listening) return;
    await new Promise<void>((resolve) => {
      this.server.close(() => resolve());
      this.server.closeAllConnections();
    });
  }

  send(message: RaftMessage): void {
    (this.members.get(message.to) ?? this.remotes.get(message.to))?.send(message);
  }

  addMember(address: MemberAddress): void {
    const { raftId } = address;
    const url = urlOf(address);
    const known = this.members.get(raftId);
    if (known?.url === url || raftId === this.options.id) return;
    known?.stop();
    this.remotes.get(raftId)?.stop();
    this.remotes.delete(raftId);
    this.members.set(raftId, this.link(raftId, url, true));
  }

  removeMember(id: number): void {
    this.members.get(id)?.stop();
    this.members.delete(id);
  }

  setOwnAddress(address: MemberAddress): void {
    this.ownUrl = urlOf(address);
  }

  isActive(id: number): boolean {
    return this.members.get(id)?.isActive ?? false;
  }

  private link(remote: number, url: string, isReading: boolean): MemberLink {
    const { id: local, log } = this.options;
    return new MemberLink(
      {
        local,
        remote,
        url,
        log,
        ownUrl: () => this.ownUrl,
        received: (message) => this.emit({ kind: 'message', message }),
        unreachable: (id) => this.emit({ kind: 'unreachable', id }),
        snapshotSent: (id, isDelivered) => this.emit({ kind: 'snapshotSent', id, isDelivered }),
      },
      isReading,
    );
  }

  private emit(event: RaftLinkEvent): void {
    this.sink?.(event);
  }

  // --- serving -----------------------------------------------------------------------------------------------------

  private serve(request: IncomingMessage, response: ServerResponse): void {
    const path = (request.url ?? '/').split('?')[0]!;
    if (path === '/raft') void this.servePost(request, response);
    else if (path === '/raft/probing') {
      const now = new Date().toISOString();
      response.setHeader('Content-Type', 'application/json');
      response.end(`${JSON.stringify({ OK: true, Now: now })}\n`);
    } else if (path.startsWith('/raft/stream/')) this.serveStream(path, request, response);
    else refuse(response, 404, '404 page not found');
  }

  private async servePost(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!hasMethod(request, response, 'POST')) return;
    response.setHeader('X-Etcd-Cluster-ID', CLUSTER_ID);
    const fault = compatibilityFault(request.headers);
    if (fault !== undefined) {
      refuse(response, 412, fault);
      return;
    }
    const from = parseId(request.headers['x-server-from']?.toString());
    if (from !== undefined && this.isRemoved(from)) {
      refuse(response, 403, 'removed member');
      return;
    }
    this.addRemote(from, request);
    const held = this.bodies.open(addressBlock(request.socket.remoteAddress));
    response.once('close', () => held.release());
    const body = await readBody(request, held, RAFT_FRAME_BYTES_MAX);
    if (typeof body === 'string') {
      response.setHeader('Connection', 'close');
      refuse(response, body === 'busy' ? 503 : 400, 'error reading raft message');
      return;
    }
    try {
      this.emit({ kind: 'message', message: decodeMessage(bytesOf(body)) });
    } catch {
      refuse(response, 400, 'error unmarshaling raft message');
      return;
    }
    response.writeHead(204).end();
  }

  private serveStream(path: string, request: IncomingMessage, response: ServerResponse): void {
    if (!hasMethod(request, response, 'GET')) return;
    response.setHeader('X-Server-Version', SERVER_VERSION);
    response.setHeader('X-Etcd-Cluster-ID', CLUSTER_ID);
    const fault = compatibilityFault(request.headers);
    const [, kind, text] = STREAM_PATH.exec(path) ?? [];
    const from = parseId(text);
    if (fault !== undefined) refuse(response, 412, fault);
    else if (kind === undefined) refuse(response, 404, 'invalid path');
    else if (from === undefined) refuse(response, 404, 'invalid from');
    else if (this.isRemoved(from)) refuse(response, 410, 'removed member');
    else this.attach(from, kind as StreamKind, request, response);
  }

  private attach(
    from: number,
    kind: StreamKind,
    request: IncomingMessage,
    response: ServerResponse,
  ): void {
    const member = this.members.get(from);
    if (!member) {
      this.addRemote(from, request);
      refuse(response, 404, 'error sender not found');
    } else if (request.headers['x-raft-to'] !== idText(this.options.id)) {
      refuse(response, 412, 'to field mismatch');
    } else {
      response.writeHead(200);
      response.flushHeaders();
      member.attach(kind, response);
    }
  }

  /**
   * Registers a sender that is not a known member; its request names the address for the answer.
   */
  private addRemote(from: number | undefined, request: IncomingMessage): void {
    const url = request.headers['x-peerurls']?.toString().split(',')[0];
    if (from === undefined || url === undefined || !/^http:\/\/[^/\s]+$/.test(url)) return;
    if (this.members.has(from) || this.remotes.has(from) || from === this.options.id) return;
    if (this.remotes.size >= REMOTES_MAX) return;
    this.remotes.set(from, this.link(from, url, false));
  }
}

/** A view of a large body, which is not copied; a small one shares its buffer with others. */
function bytesOf(body: Buffer): Uint8Array {
  const isAlone = body.byteLength === body.buffer.byteLength;
  return isAlone ? new Uint8Array(body.buffer) : new Uint8Array(body);
}

function urlOf({ hostname, raftPort }: MemberAddress): string {
  const host = hostname.includes(':') ? `[${hostname}]` : hostname;
  return `http://${host}:${raftPort}`;
}

function hasMethod(request: IncomingMessage, response: ServerResponse, method: string): boolean {
  if (request.method === method) return true;
  response.setHeader('Allow', method);
  refuse(response, 405, 'Method Not Allowed');
  return false;
}

function refuse(response: ServerResponse, status: number, text: string): void {
  response.statusCode = status;
  response.setHeader('Content-Type', 'text/plain; charset=utf-8');
  response.end(`${text}\n`);
}
