/**
 * Node discovery, version 4: finds nodes through known ones. A node must prove its address before
 * other nodes get it, and before it gets a large answer (devp2p specification, discv4; EIP-868).
 */
import { equalBytes, type Hash32 } from '../base/bytes.ts';
import { bareHex } from '../base/hex.ts';
import { keccak256 } from '../base/keccak.ts';
import { Lru } from '../base/lru.ts';
import type { Machine } from '../base/machine.ts';
import type { Prng } from '../base/prng.ts';
import { mayRelay } from './addresses.ts';
import {
  BOND_MS,
  BONDS_MAX,
  BUCKET_NODES_MAX,
  EXPIRATION_SECONDS,
  LOOKUP_ALONE_MAX_MS,
  LOOKUP_NODES_MAX,
  LOOKUP_WAIT_MAX_MS,
  LOOKUP_WAIT_MIN_MS,
  MISSED_MAX,
  PENDING_MAX,
  REPLY_MS,
  REVALIDATE_MS,
  UNSIGNED_MAX,
} from './limits.ts';
import { Lookup } from './lookup.ts';
import { type DiscoveredNode, discoveredNode, type Endpoint } from './node.ts';
import {
  type DiscoveryPacket,
  NEIGHBORS_MAX,
  type OpenedPacket,
  openPacket,
  sealPacket,
  signedPart,
  type UnsignedPacket,
} from './packet.ts';
import { Rates } from './rates.ts';
import { Table } from './table.ts';

const VERSION = 4;

export interface Source {
  readonly ip: string;
  readonly port: number;
}

export type DiscoveryInput =
  | { readonly kind: 'packet'; readonly from: Source; readonly bytes: Uint8Array }
  /** Sent several times per second. */
  | { readonly kind: 'tick' }
  /** Nodes at which searches begin. */
  | { readonly kind: 'bootnodes'; readonly nodes: readonly DiscoveredNode[] }
  /** A signature that `sign` did not have. */
  | { readonly kind: 'signed'; readonly hash: Hash32; readonly signature: Uint8Array };

export interface DiscoveryEffect {
  readonly kind: 'send';
  readonly to: Source;
  readonly bytes: Uint8Array;
}

export interface DiscoveryParts {
  /** 64 bytes. */
  readonly publicKey: Uint8Array;
  /** r ‖ s ‖ v; undefined: the input `signed` has it later, or never. */
  readonly sign: (hash: Hash32) => Uint8Array | undefined;
  /** The signed record of this node, as RLP. */
  readonly record: Uint8Array;
  /** Address and ports of this node as other nodes see them. */
  readonly self: Endpoint;
  /** Sequence number of the record; must be higher than at the last start. */
  readonly recordSeq: bigint;
  /** Unix time in seconds, because packets expire. */
  readonly unixSeconds: () => number;
  readonly chance: Prng;
  /** Whether packets may be sent to this address. */
  readonly mayReach: (ip: string) => boolean;
}

/** When a node at an address last answered a ping, and sent one. */
interface Bond {
  readonly pongMs: number | undefined;
  readonly pingMs: number | undefined;
  /** Number of questions in a row that it did not answer. */
  readonly missed: number;
}

interface Question {
  readonly node: DiscoveredNode;
  /**
   * `pinged`: waits for a pong; `proving`: waits for the node's own ping; `asked`: waits for
   * neighbours.
   */
  state: 'pinged' | 'proving' | 'asked';
  pingHash: Uint8Array | undefined;
  deadlineMs: number;
  /** undefined: the question is only whether the node still answers. */
  readonly lookup: Lookup | undefined;
  readonly found: DiscoveredNode[];
}

export class Discovery implements Machine<DiscoveryInput, DiscoveryEffect> {
  /** The record of this node, as RLP. */
  readonly record: Uint8Array;
  private readonly parts: DiscoveryParts;
  private readonly own: DiscoveredNode;
  private readonly table: Table;
  private readonly rates = new Rates();
  /** Packets whose signature is awaited, by the hash that is signed. */
  private readonly unsigned = new Lru<string, UnsignedPacket>(UNSIGNED_MAX);
  private readonly bonds = new Lru<string, Bond>(BONDS_MAX);
  private readonly questions = new Map<string, Question>();
  private bootnodes: readonly DiscoveredNode[] = [];
  private lookup: Lookup | undefined;
  private lookupDueMs: number | undefined;
  private lookupWaitMs = LOOKUP_WAIT_MIN_MS;
  private hasFound = false;
  private revalidateDueMs: number | undefined;
  private nowMs = 0;
  private sent: DiscoveryEffect[] = [];

  constructor(parts: DiscoveryParts) {
    this.parts = parts;
    this.own = discoveredNode(parts.publicKey, parts.self);
    this.table = new Table(this.own.place);
    this.record = parts.record;
  }

  /** Nodes that have proven their address and accept connections. */
  nodes(): DiscoveredNode[] {
    return this.table.nodes().filter(({ tcp }) => tcp !== 0);
  }

  step(input: DiscoveryInput, nowMs: number): readonly DiscoveryEffect[] {
    this.nowMs = nowMs;
    this.sent = [];
    if (input.kind === 'tick') this.tick();
    else if (input.kind === 'packet') this.arrived(input.from, input.bytes);
    else if (input.kind === 'signed') this.signed(input.hash, input.signature);
    else this.bootnodes = input.nodes.filter(({ id }) => id !== this.own.id);
    return this.sent;
  }

  // --- packets -------------------------------------------------------------------------------------------------------

  private arrived(from: Source, bytes: Uint8Array): void {
    const { mayReach, unixSeconds } = this.parts;
    if (from.port === 0 || !mayReach(from.ip) || !mayRelay(from.ip, from.ip)) return;
    if (!this.rates.mayRead(from.ip, this.nowMs)) return;
    try {
      const opened = openPacket(bytes);
      const { packet } = opened;
      if ('expiration' in packet && packet.expiration < unixSeconds()) return;
      if (this.isUnasked(packet)) return;
      const node = discoveredNode(opened.sender(), { ip: from.ip, udp: from.port, tcp: 0 });
      if (node.id !== this.own.id) this.take(node, opened);
    } catch {
      // Invalid packets are not logged.
    }
  }

  /** An answer that matches no question is dropped before its signature is verified. */
  private isUnasked(packet: DiscoveryPacket): boolean {
    if (packet.kind === 'neighbors') return this.questions.size === 0;
    if (packet.kind !== 'pong') return false;
    for (const { pingHash } of this.questions.values())
      if (pingHash && equalBytes(pingHash, packet.pingHash)) return false;
    return true;
  }

  private take(node: DiscoveredNode, { packet, hash }: OpenedPacket): void {
    const { kind } = packet;
    if (kind === 'ping') this.pinged({ ...node, tcp: packet.from.tcp }, hash);
    else if (kind === 'pong') this.ponged(node, packet.pingHash);
    else if (kind === 'neighbors') this.told(node, packet.nodes);
    else if (!this.isProven(node)) return;
    else if (kind === 'findnode') this.tell(node, packet.target);
    else if (kind === 'enrRequest')
      this.send(node, { kind: 'enrResponse', requestHash: hash, record: this.record });
  }

  private pinged(node: DiscoveredNode, pingHash: Uint8Array): void {
    const { recordSeq } = this.parts;
    this.send(node, { kind: 'pong', to: node, pingHash, ...this.dated(), recordSeq });
    this.note(node, { pingMs: this.nowMs });
    const question = this.questions.get(node.id);
    if (question?.state === 'proving') this.find(question);
    if (this.isProven(node)) this.hold(node);
    else if (!question && this.rates.mayAskForProof(this.nowMs)) this.ping(node, undefined);
  }

  private ponged(node: DiscoveredNode, pingHash: Uint8Array): void {
    const question = this.questions.get(node.id);
    if (!question?.pingHash || !equalBytes(question.pingHash, pingHash)) return;
    if (question.node.ip !== node.ip) return;
    this.note(node, { pongMs: this.nowMs, missed: 0 });
    this.hold(question.node);
    question.pingHash = undefined;
    if (!question.lookup) this.questions.delete(node.id);
    if (!question.lookup || question.state !== 'pinged') return;
    if (this.isProvenTo(node)) this.find(question);
    else {
      question.state = 'proving';
      question.deadlineMs = this.nowMs + REPLY_MS;
    }
  }

  /** Sends the nodes nearest to a key, in packets of the allowed length. */
  private tell(node: DiscoveredNode, target: Uint8Array): void {
    const near = this.table
      .closest(keccak256(target), BUCKET_NODES_MAX)
      .filter(({ ip }) => mayRelay(node.ip, ip));
    for (let at = 0; at === 0 || at < near.length; at += NEIGHBORS_MAX) {
      const nodes = near.slice(at, at + NEIGHBORS_MAX);
      this.send(node, { kind: 'neighbors', nodes, ...this.dated() });
    }
  }

  private told(node: DiscoveredNode, nodes: readonly DiscoveredNode[]): void {
    const question = this.questions.get(node.id);
    if (question?.state !== 'asked' || question.node.ip !== node.ip) return;
    for (const each of nodes) {
      const isUsable = each.udp !== 0 && each.id !== this.own.id && mayRelay(node.ip, each.ip);
      if (!isUsable || !this.parts.mayReach(each.ip)) continue;
      question.found.push(each);
      if (question.found.length === LOOKUP_NODES_MAX) break;
    }
    if (question.found.length === LOOKUP_NODES_MAX) this.settle(question);
  }

  // --- time ----------------------------------------------------------------------------------------------------------

  private tick(): void {
    for (const question of [...this.questions.values()])
      if (question.deadlineMs <= this.nowMs) this.late(question);
    this.revalidate();
    this.search();
  }

  private late(question: Question): void {
    if (question.state === 'proving') {
      this.find(question);
      return;
    }
    if (question.pingHash) this.missed(question.node);
    this.settle(question);
  }

  private missed(node: DiscoveredNode): void {
    const missed = 1 + (this.bonds.get(keyOf(node))?.missed ?? 0);
    if (missed >= MISSED_MAX) this.table.remove(node.id);
    this.note(node, { missed });
  }

  private revalidate(): void {
    this.revalidateDueMs ??= this.nowMs + REVALIDATE_MS;
    if (this.nowMs < this.revalidateDueMs) return;
    this.revalidateDueMs = this.nowMs + REVALIDATE_MS;
    const node = this.table.stalest((bound) => this.parts.chance.below(bound));
    if (node && !this.questions.has(node.id)) this.ping(node, undefined);
  }

  private search(): void {
    if (!this.lookup && this.nowMs >= (this.lookupDueMs ?? 0)) this.begin();
    const { lookup } = this;
    if (!lookup) return;
    for (const node of lookup.next()) this.ask(node, lookup);
    if (lookup.isIdle) this.end();
  }

  private begin(): void {
    const isFirst = this.lookupDueMs === undefined;
    const random = () => new Uint8Array(64).map(() => this.parts.chance.below(256));
    const target = isFirst ? this.own.publicKey : random();
    const place = keccak256(target);
    const lookup = new Lookup(this.own.id, target, place);
    lookup.learn(this.table.closest(place, LOOKUP_NODES_MAX));
    if (this.table.size < LOOKUP_NODES_MAX) lookup.learn(this.bootnodes);
    this.hasFound = false;
    this.lookup = lookup;
  }

  /** Searches follow each other quickly as long as they find new nodes. */
  private end(): void {
    this.lookup = undefined;
    const longest = this.table.size > 0 ? LOOKUP_WAIT_MAX_MS : LOOKUP_ALONE_MAX_MS;
    const longer = Math.min(2 * this.lookupWaitMs, longest);
    this.lookupWaitMs = this.hasFound ? LOOKUP_WAIT_MIN_MS : longer;
    this.lookupDueMs = this.nowMs + this.lookupWaitMs;
  }

  // --- questions -----------------------------------------------------------------------------------------------------

  private ask(node: DiscoveredNode, lookup: Lookup): void {
    const isProven = this.isProven(node);
    const isBusy = this.questions.has(node.id) || this.questions.size >= PENDING_MAX;
    if (isBusy || (!isProven && !this.rates.mayAskForProof(this.nowMs))) {
      lookup.answered([]);
      return;
    }
    const question = this.ping(node, lookup);
    if (isProven && this.isProvenTo(node)) this.find(question);
  }

  /**
   * A node that was recently asked for neighbours was also pinged recently, so its address is
   * proven.
   */
  private ping(node: DiscoveredNode, lookup: Lookup | undefined): Question {
    const { self, recordSeq } = this.parts;
    const ping = { kind: 'ping', version: VERSION, from: self, to: node, recordSeq } as const;
    const deadlineMs = this.nowMs + REPLY_MS;
    const question: Question = {
      ...{ node, state: 'pinged', pingHash: undefined, deadlineMs, lookup, found: [] },
    };
    this.questions.set(node.id, question);
    this.send(node, { ...ping, ...this.dated() }, (hash) => {
      question.pingHash = hash;
    });
    return question;
  }

  private find(question: Question): void {
    question.state = 'asked';
    question.deadlineMs = this.nowMs + REPLY_MS;
    const { target } = question.lookup!;
    this.send(question.node, { kind: 'findnode', target, ...this.dated() });
  }

  private settle(question: Question): void {
    this.questions.delete(question.node.id);
    question.lookup?.answered(question.found);
  }

  // --- what is known -------------------------------------------------------------------------------------------------

  private hold(node: DiscoveredNode): void {
    if (this.table.add(node)) {
      this.hasFound = true;
      this.lookupWaitMs = LOOKUP_WAIT_MIN_MS;
    }
  }

  private note(node: DiscoveredNode, news: Partial<Bond>): void {
    const key = keyOf(node);
    const before = this.bonds.get(key) ?? { pongMs: undefined, pingMs: undefined, missed: 0 };
    this.bonds.set(key, { ...before, ...news });
  }

  /** Whether the node has answered a ping that was sent to this address. */
  private isProven(node: DiscoveredNode): boolean {
    return isFresh(this.bonds.get(keyOf(node))?.pongMs, this.nowMs);
  }

  /** Whether we have answered the node's ping, which proves our address to it. */
  private isProvenTo(node: DiscoveredNode): boolean {
    return isFresh(this.bonds.get(keyOf(node))?.pingMs, this.nowMs);
  }

  private dated(): { readonly expiration: number } {
    return { expiration: this.parts.unixSeconds() + EXPIRATION_SECONDS };
  }

  /** Sends a packet once it is signed; `sent` receives its hash. */
  private send(
    { ip, udp }: DiscoveredNode,
    packet: DiscoveryPacket,
    sent?: UnsignedPacket['sent'],
  ): void {
    const unsigned = { to: { ip, port: udp }, signed: signedPart(packet), sent };
    const hash = keccak256(unsigned.signed);
    const signature = this.parts.sign(hash);
    if (signature) this.seal(unsigned, signature);
    else this.unsigned.set(bareHex(hash), unsigned);
  }

  private signed(hash: Hash32, signature: Uint8Array): void {
    const name = bareHex(hash);
    const unsigned = this.unsigned.get(name);
    this.unsigned.delete(name);
    if (unsigned) this.seal(unsigned, signature);
  }

  private seal({ to, signed, sent }: UnsignedPacket, signature: Uint8Array): void {
    const { bytes, hash } = sealPacket(signed, signature);
    this.sent.push({ kind: 'send', to, bytes });
    sent?.(hash);
  }
}

function keyOf({ id, ip }: DiscoveredNode): string {
  return `${id}@${ip}`;
}

function isFresh(sinceMs: number | undefined, nowMs: number): boolean {
  return sinceMs !== undefined && nowMs - sinceMs < BOND_MS;
}
