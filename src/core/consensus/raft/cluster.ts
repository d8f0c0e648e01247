/**
 * Present and past members of the cluster, by address: GoQuorum never reuses an id (GoQuorum
 * raft/handler.go).
 */
import { fail } from '../../base/errors.ts';
import { bareHex, fromHex } from '../../base/hex.ts';
import { isIpv4, parseIp } from '../../base/ip-address.ts';
import { keccak256 } from '../../base/keccak.ts';
import type { MemberAddress } from './address.ts';

/** A candidate for membership: an enode URL, parsed. */
export interface Applicant {
  /** 128 hex digits. */
  readonly id: string;
  readonly host: string | undefined;
  readonly tcpPort: number;
  readonly raftPort: number | undefined;
}

export class Cluster {
  readonly self: number;
  private readonly addresses = new Map<number, MemberAddress>();
  private removed = new Set<number>();

  constructor(self: number) {
    this.self = self;
  }

  get own(): MemberAddress | undefined {
    return this.addresses.get(this.self);
  }

  /** Sorted by raft id, including this node. */
  members(): MemberAddress[] {
    return [...this.addresses.values()].sort((a, b) => a.raftId - b.raftId);
  }

  get(id: number): MemberAddress | undefined {
    return this.addresses.get(id);
  }

  set(address: MemberAddress): void {
    this.addresses.set(address.raftId, address);
  }

  remove(id: number): void {
    this.addresses.delete(id);
    this.removed.add(id);
  }

  /** Restores a snapshot; `removed`: ids of former members. */
  replace(addresses: readonly MemberAddress[], removed: readonly number[]): number[] {
    this.removed = new Set(removed);
    const kept = new Set(addresses.map(({ raftId }) => raftId));
    const gone = [...this.addresses.keys()].filter((id) => !kept.has(id));
    for (const id of gone) this.addresses.delete(id);
    for (const address of addresses) this.set(address);
    return gone;
  }

  isRemoved(id: number): boolean {
    return this.removed.has(id);
  }

  get removedIds(): number[] {
    return [...this.removed].sort((a, b) => a - b);
  }

  hasNode(nodeId: string): boolean {
    return this.find(nodeId) !== undefined;
  }

  find(nodeId: string): MemberAddress | undefined {
    return this.members().find((member) => bareHex(member.nodeId) === nodeId);
  }

  nextId(): number {
    return Math.max(this.self, ...this.addresses.keys(), ...this.removed) + 1;
  }

  /** Throws RAFT_MEMBER_REFUSED with GoQuorum's text when the node may not be added. */
  checkApplicant(node: Applicant, url: string, hasDns: boolean): void {
    const ip = node.host === undefined ? undefined : parseIp(node.host);
    if (!hasDns) {
      if (node.host !== undefined && !ip) throw refused('raft must enable dns to use hostname');
      if (!ip || !isIpv4(ip)) {
        throw refused(`expected IPv4 address (with length 4), but got IP of length ${ip ? 16 : 0}`);
      }
    }
    if (node.raftPort === undefined) {
      throw refused(`enodeId is missing raftport querystring parameter: ${url}`);
    }
    if (this.own && bareHex(this.own.nodeId) === node.id) {
      throw refused(
        `enode is this enode (self): node with this enode has already been added to the cluster: ${shortId(node.id)}`,
      );
    }
    for (const member of this.members()) {
      if (member.raftId !== this.self) checkAgainst(member, node);
    }
  }
}

function checkAgainst(member: MemberAddress, node: Applicant): void {
  const nodeId = bareHex(member.nodeId);
  if (nodeId === node.id) {
    throw refused(
      `node with this enode has already been added to the cluster: ${shortId(node.id)}`,
    );
  }
  // Unlike GoQuorum, which compares two unknown addresses as equal, names are compared as names.
  if (member.hostname !== node.host) return;
  const who = `existing node ${shortId(nodeId)} with raft ID ${member.raftId}`;
  if (member.p2pPort === node.tcpPort) {
    throw refused(`${who} is already using eth p2p at ${node.host}:${node.tcpPort}`);
  }
  if (member.raftPort === node.raftPort) {
    throw refused(`${who} is already using raft at ${node.host}:${node.raftPort}`);
  }
}

/** The short name of a node in GoQuorum's texts: the hash of its public key. */
function shortId(nodeId: string): string {
  return bareHex(keccak256(fromHex(nodeId)));
}

function refused(text: string): Error {
  return fail('RAFT_MEMBER_REFUSED', text);
}
