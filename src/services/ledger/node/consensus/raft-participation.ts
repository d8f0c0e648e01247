/**
 * The chain's side of Raft: applies committed entries, mints while this member leads, and changes
 * the membership.
 */
import type { Address, Hash32 } from '../../../../core/base/bytes.ts';
import { fail } from '../../../../core/base/errors.ts';
import { bareHex } from '../../../../core/base/hex.ts';
import type { Clock, Log, Timers } from '../../../../core/base/ports.ts';
import { type Block, encodeBlock } from '../../../../core/chain/block.ts';
import type { HeaderTemplate } from '../../../../core/consensus/header-template.ts';
import { encodeAddress, type MemberAddress } from '../../../../core/consensus/raft/address.ts';
import { type Applicant, Cluster } from '../../../../core/consensus/raft/cluster.ts';
import {
  CONF_CHANGE,
  type ConfChange,
  ENTRY_TYPE,
  encodeConfChange,
  type Snapshot,
} from '../../../../core/consensus/raft/messages.ts';
import type { TransactionPool } from '../../../../core/txpool/pool.ts';
import type { Chain } from '../chain/chain.ts';
import type { Checkpoint } from '../chain/checkpoints.ts';
import type { Events } from '../chain/events.ts';
import type { BlockBuilder } from './block-builder.ts';
import type { BlockSigning } from './block-signing.ts';
import { RaftApplier } from './raft-applier.ts';
import type { RaftProtocol, RaftStanding } from './raft-member.ts';
import { RaftMinter } from './raft-minter.ts';

export interface RaftSettings {
  readonly raftId: number;
  /** The initial members, including this one; empty for a member that joins later. */
  readonly bootstrap: readonly MemberAddress[];
  readonly blockTimeMs: number;
  readonly hasDns: boolean;
  readonly etherbase: Address;
}

/** Ports that only Raft uses. */
export interface RaftPorts {
  /** The protocol, in this thread or in another one. */
  readonly protocol: RaftProtocol;
  /** The newest snapshot in the member's log when it was opened. */
  readonly snapshot: Snapshot;
  /** Connects the peer-to-peer network to a member. */
  connect(address: MemberAddress): void;
  disconnect(nodeId: string): void;
}

export interface RaftParts extends RaftPorts {
  readonly chain: Chain;
  readonly pool: TransactionPool;
  readonly builder: BlockBuilder;
  readonly signBlock: BlockSigning;
  readonly events: Events;
  readonly clock: Clock;
  readonly calendar: Clock;
  readonly timers: Timers;
  readonly log: Log;
  readonly settings: RaftSettings;
  readonly checkpoint: Checkpoint;
  /** Requests the chain up to a block from peers. */
  seek(hash: Hash32): void;
  fatal(error: unknown): void;
}

export type RaftRoleName = 'minter' | 'verifier' | 'learner' | '';

const RAFT_ID_MAX = 0xffff;
const SEEK_MS = 500;
/** Delay before a membership change is retried: another one may have been in progress. */
const CHANGE_RETRY_MS = 1_000;
const CHANGE_TRIES_MAX = 10;

export class RaftParticipation {
  readonly cluster: Cluster;
  standing: RaftStanding;
  private readonly parts: RaftParts;
  private readonly minter: RaftMinter;
  private readonly applier: RaftApplier;
  private readonly endings: (() => void)[] = [];
  private readonly waiting = new Set<() => void>();
  /** Node ids of the members reported to the peer-to-peer network. */
  private connected: ReadonlySet<string> = new Set();
  private isStopped = true;
  private isMinter = false;
  private changes = 0;
  /**
   * Whether the chain is being fetched up to the block of a snapshot whose members already apply.
   */
  isFetching = false;

  constructor(parts: RaftParts) {
    this.parts = parts;
    const { settings, snapshot } = parts;
    this.cluster = new Cluster(settings.raftId);
    const { confState } = snapshot;
    this.standing = { role: 'follower', term: 0, leader: 0, confState, active: [] };
    this.minter = new RaftMinter({
      ...parts,
      ...settings,
      propose: (block) => this.proposeBlock(block),
    });
    this.applier = new RaftApplier({
      ...parts,
      cluster: this.cluster,
      snapshotIndex: snapshot.index,
      refused: (block) => this.minter.refused(block),
      membersChanged: () => this.connectMembers(),
      removed: () => void this.stop(),
      obtain: (hash) => this.obtain(hash),
      applied: () => this.wake(),
    });
  }

  async start(): Promise<void> {
    const { protocol, events, log, settings, snapshot } = this.parts;
    this.isStopped = false;
    log('info', 'startRaft', { 'raft ID': settings.raftId });
    if (snapshot.index > 0) this.applier.install(snapshot);
    else for (const address of settings.bootstrap) this.cluster.set(address);
    this.connectMembers();
    await protocol.start({
      committed: (entries) => this.applier.apply(entries),
      install: (taken) => this.applier.install(taken),
      standing: (standing) => this.follow(standing),
    });
    this.endings.push(
      events.on('committed', ({ block }) => this.minter.accepted(block)),
      events.on('pending', () => this.minter.request()),
      events.on('released', () => this.minter.request()),
    );
    log('info', 'raft node started');
  }

  async stop(): Promise<void> {
    if (this.isStopped) return;
    this.isStopped = true;
    this.minter.stop();
    this.applier.stop();
    for (const end of this.endings.splice(0)) end();
    for (const wake of this.waiting) wake();
    await this.parts.protocol.stop();
  }

  /** Index of the last entry of the log that is applied to the chain. */
  get applied(): number {
    return this.applier.applied;
  }

  /** Whether there is a link to the member. */
  isActive(raftId: number): boolean {
    return this.standing.active.includes(raftId);
  }

  // --- operators' requests
  // ------------------------------------------------------------------------------------------

  get isRemoved(): boolean {
    return this.cluster.isRemoved(this.cluster.self);
  }

  roleOf(id: number): RaftRoleName {
    if (id === this.standing.leader) return 'minter';
    const { nodes, learners } = this.standing.confState;
    if (learners.includes(id)) return 'learner';
    return nodes.includes(id) ? 'verifier' : '';
  }

  leaderAddress(): MemberAddress | undefined {
    return this.cluster.get(this.standing.leader);
  }

  template(): HeaderTemplate {
    return this.minter.template();
  }

  /**
   * Resolves with the raft id of the new member, once the cluster has added it. Throws
   * RAFT_MEMBER_REFUSED, RAFT_NOT_COMMITTED.
   */
  async add(
    parse: () => Applicant & { readonly publicKey: Uint8Array },
    url: string,
    isLearner: boolean,
  ): Promise<number> {
    this.checkMember();
    if (this.isLearner(this.cluster.self)) throw refused("learner node can't add peer or learner");
    const node = parse();
    this.cluster.checkApplicant(node, url, this.parts.settings.hasDns);
    const addressAs = (raftId: number): MemberAddress => ({
      raftId,
      nodeId: node.publicKey,
      hostname: node.host!,
      p2pPort: node.tcpPort,
      raftPort: node.raftPort!,
    });
    let raftId = this.cluster.nextId();
    if (raftId > RAFT_ID_MAX) throw refused('all raft ids have been used: none is ever reused');
    const type = isLearner ? CONF_CHANGE.addLearner : CONF_CHANGE.addNode;
    await this.change(
      () => {
        // Another node may have got this id meanwhile.
        if (this.cluster.get(raftId) || this.cluster.isRemoved(raftId)) {
          raftId = this.cluster.nextId();
        }
        return { type, nodeId: raftId, context: encodeAddress(addressAs(raftId)) };
      },
      () => bareHex(this.cluster.get(raftId)?.nodeId ?? new Uint8Array(0)) === node.id,
    );
    return raftId;
  }

  async promote(raftId: number): Promise<void> {
    this.checkMember();
    if (this.isLearner(this.cluster.self)) throw refused("learner node can't promote to peer");
    if (!this.isLearner(raftId)) {
      throw refused(`${raftId} is not a learner. only learner can be promoted to peer`);
    }
    await this.change(
      () => ({ type: CONF_CHANGE.addNode, nodeId: raftId, context: new Uint8Array(0) }),
      () => !this.isLearner(raftId),
    );
  }

  async remove(raftId: number): Promise<void> {
    this.checkMember();
    if (this.isLearner(this.cluster.self) && raftId !== this.cluster.self) {
      throw refused("learner node can't remove other peer");
    }
    await this.change(
      () => ({ type: CONF_CHANGE.removeNode, nodeId: raftId, context: new Uint8Array(0) }),
      () => this.cluster.isRemoved(raftId),
    );
  }

  private checkMember(): void {
    if (this.isRemoved) throw refused('node not part of raft cluster. operations not allowed');
  }

  private isLearner(id: number): boolean {
    return this.standing.confState.learners.includes(id);
  }

  /**
   * Proposes the change until it is committed: GoQuorum answers at once, and loses proposals that
   * no leader accepted.
   */
  private async change(next: () => Omit<ConfChange, 'id'>, isDone: () => boolean): Promise<void> {
    for (let tries = 0; tries < CHANGE_TRIES_MAX && !this.isStopped; tries++) {
      const data = encodeConfChange({ id: ++this.changes, ...next() });
      if (!this.isStopped) this.parts.protocol.propose({ type: ENTRY_TYPE.confChange, data });
      if (await this.comesTrue(isDone, CHANGE_RETRY_MS)) return;
    }
    if (isDone()) return;
    throw fail(
      'RAFT_NOT_COMMITTED',
      'the cluster did not accept the change within 10 seconds: it needs a minter and more than half of its peers (see raft_cluster). The change may still take effect when they are back',
    );
  }

  private comesTrue(isDone: () => boolean, withinMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const end = () => {
        timer.cancel();
        this.waiting.delete(check);
        resolve(isDone());
      };
      const check = () => {
        if (isDone() || this.isStopped) end();
      };
      const timer = this.parts.timers.set(withinMs, end);
      this.waiting.add(check);
      check();
    });
  }

  // --- following the protocol --------------------------------------------------------------------------------------

  private follow(standing: RaftStanding): void {
    if (this.isStopped) return;
    this.standing = standing;
    this.followRole();
    this.wake();
  }

  private followRole(): void {
    const isMinter = this.standing.role === 'leader';
    if (isMinter === this.isMinter) return;
    this.isMinter = isMinter;
    const { log, checkpoint } = this.parts;
    const name = isMinter ? 'MINTER' : this.isLearner(this.cluster.self) ? 'LEARNER' : 'VERIFIER';
    checkpoint(`BECAME-${name}`);
    log('info', 'Raft role', { role: name.toLowerCase(), term: this.standing.term });
    if (isMinter) this.minter.start();
    else this.minter.stop();
  }

  private proposeBlock(block: Block): void {
    if (this.isStopped) return;
    this.parts.protocol.propose({ type: ENTRY_TYPE.normal, data: encodeBlock(block) });
  }

  private wake(): void {
    for (const check of [...this.waiting]) check();
  }

  private connectMembers(): void {
    const { protocol, connect, disconnect } = this.parts;
    const { removedIds, self } = this.cluster;
    const members = this.cluster.members();
    protocol.connect({ members, removedIds });
    for (const address of members) if (address.raftId !== self) connect(address);
    const nodeIds = new Set(members.map(({ nodeId }) => bareHex(nodeId)));
    for (const nodeId of this.connected) if (!nodeIds.has(nodeId)) disconnect(nodeId);
    this.connected = nodeIds;
  }

  private async obtain(hash: Hash32): Promise<boolean> {
    const { chain, seek } = this.parts;
    this.isFetching = true;
    while (!this.isStopped && !chain.has(hash)) {
      seek(hash);
      await this.comesTrue(() => chain.has(hash), SEEK_MS);
    }
    this.isFetching = false;
    return chain.has(hash);
  }
}

function refused(text: string): Error {
  return fail('RAFT_MEMBER_REFUSED', text);
}
