/** This node's part in a Raft cluster: drives the protocol over its store and its links, mints while it leads, changes the members. */
import type { Address, Hash32 } from '../../../../core/base/bytes.ts';
import { fail } from '../../../../core/base/errors.ts';
import { bareHex } from '../../../../core/base/hex.ts';
import type { Clock, Log, Timer, Timers } from '../../../../core/base/ports.ts';
import type { Prng } from '../../../../core/base/prng.ts';
import { type Block, encodeBlock } from '../../../../core/chain/block.ts';
import type { ConsensusSigner } from '../../../../core/consensus/bft/interface.ts';
import type { HeaderTemplate } from '../../../../core/consensus/header-template.ts';
import { encodeAddress, type MemberAddress } from '../../../../core/consensus/raft/address.ts';
import { type Applicant, Cluster } from '../../../../core/consensus/raft/cluster.ts';
import type { RaftLinks } from '../../../../core/consensus/raft/interface.ts';
import {
  CONF_CHANGE,
  type ConfChange,
  ENTRY_TYPE,
  encodeConfChange,
} from '../../../../core/consensus/raft/messages.ts';
import {
  bootstrapEntries,
  Raft,
  type RaftInput,
  type Ready,
  TICK_MS,
} from '../../../../core/consensus/raft/raft.ts';
import type { RaftStore } from '../../../../core/store/raft-store.ts';
import { SerialQueue } from '../../../../core/store/serial-queue.ts';
import type { TransactionPool } from '../../../../core/txpool/pool.ts';
import type { Chain } from '../chain/chain.ts';
import type { Checkpoint } from '../chain/checkpoints.ts';
import type { Events } from '../chain/events.ts';
import type { BlockBuilder } from './block-builder.ts';
import { RaftApplier } from './raft-applier.ts';
import { RaftMinter } from './raft-minter.ts';

export interface RaftSettings {
  readonly raftId: number;
  /** The members that begin the cluster, this one among them; empty for one that joins. */
  readonly bootstrap: readonly MemberAddress[];
  readonly blockTimeMs: number;
  readonly hasDns: boolean;
  readonly etherbase: Address;
}

/** What the node offers of the outside to Raft alone. */
export interface RaftPorts {
  readonly links: RaftLinks;
  readonly store: RaftStore;
  /** Connects the peer-to-peer network to a member. */
  connect(address: MemberAddress): void;
  disconnect(nodeId: string): void;
}

export interface RaftParts extends RaftPorts {
  readonly chain: Chain;
  readonly pool: TransactionPool;
  readonly builder: BlockBuilder;
  readonly signer: ConsensusSigner;
  readonly events: Events;
  readonly clock: Clock;
  readonly calendar: Clock;
  readonly timers: Timers;
  readonly chance: Prng;
  readonly log: Log;
  readonly settings: RaftSettings;
  readonly checkpoint: Checkpoint;
  /** Asks peers for the chain up to a block. */
  seek(hash: Hash32): void;
  fatal(error: unknown): void;
}

export type RaftRoleName = 'minter' | 'verifier' | 'learner' | '';

const INPUTS_MAX = 10_000;
const RAFT_ID_MAX = 0xffff;
const SEEK_MS = 500;
/** A change of the members is asked for again after this time: another one may have been under way. */
const CHANGE_RETRY_MS = 1_000;
const CHANGE_TRIES_MAX = 10;

export class RaftParticipation {
  readonly cluster: Cluster;
  readonly raft: Raft;
  private readonly parts: RaftParts;
  private readonly minter: RaftMinter;
  private readonly applier: RaftApplier;
  private readonly writes = new SerialQueue();
  private readonly endings: (() => void)[] = [];
  private readonly waiting = new Set<() => void>();
  /** Members that the peer-to-peer network was told of, by node id. */
  private connected: ReadonlySet<string> = new Set();
  private mailbox: RaftInput[] = [];
  private isPumping = false;
  private isStopped = true;
  private isMinter = false;
  private ticker: Timer | undefined;
  private nextTickMs = 0;
  private changes = 0;

  constructor(parts: RaftParts) {
    this.parts = parts;
    const { settings, store } = parts;
    this.cluster = new Cluster(settings.raftId);
    const { hardState, snapshot, entries } = store.contents;
    this.raft = new Raft({
      id: settings.raftId,
      hardState,
      snapshot,
      entries,
      chance: parts.chance,
    });
    this.minter = new RaftMinter({
      ...parts,
      ...settings,
      propose: (block) => this.proposeBlock(block),
    });
    this.applier = new RaftApplier({
      ...parts,
      raft: this.raft,
      cluster: this.cluster,
      snapshotIndex: snapshot.index,
      refused: (block) => this.minter.refused(block),
      membersChanged: (gone) => this.connectMembers(gone),
      removed: () => void this.stop(),
      saveSnapshot: (taken, firstKept) => this.write(() => store.compact(taken, firstKept)),
      obtain: (hash) => this.obtain(hash),
      applied: () => this.tellApplied(),
    });
  }

  async start(): Promise<void> {
    const { links, events, log, settings, store } = this.parts;
    const { snapshot } = store.contents;
    this.isStopped = false;
    log('info', 'startRaft', { 'raft ID': this.raft.id });
    if (snapshot.index > 0) this.applier.install(snapshot);
    else for (const address of settings.bootstrap) this.cluster.set(address);
    this.connectMembers([]);
    await links.start(
      (event) => this.post(event),
      (id) => this.cluster.isRemoved(id),
    );
    this.endings.push(
      events.on('committed', ({ block }) => this.minter.accepted(block)),
      events.on('pending', () => this.minter.request()),
      events.on('released', () => this.minter.request()),
    );
    this.nextTickMs = this.parts.clock.nowMs() + TICK_MS;
    this.schedule();
    log('info', 'raft node started');
    void this.pump();
  }

  async stop(): Promise<void> {
    if (this.isStopped) return;
    this.isStopped = true;
    this.ticker?.cancel();
    this.minter.stop();
    this.applier.stop();
    for (const end of this.endings.splice(0)) end();
    for (const wake of this.waiting) wake();
    await this.parts.links.stop();
    await this.writes.run(async () => {});
  }

  get links(): Pick<RaftLinks, 'isActive'> {
    return this.parts.links;
  }

  // --- what operators ask ------------------------------------------------------------------------------------------

  get isRemoved(): boolean {
    return this.cluster.isRemoved(this.raft.id);
  }

  roleOf(id: number): RaftRoleName {
    if (id === this.raft.leader) return 'minter';
    const { nodes, learners } = this.raft.confState();
    if (learners.includes(id)) return 'learner';
    return nodes.includes(id) ? 'verifier' : '';
  }

  leaderAddress(): MemberAddress | undefined {
    return this.cluster.get(this.raft.leader);
  }

  template(): HeaderTemplate {
    return this.minter.template();
  }

  /** The raft id of the new member, once the cluster has taken it. Throws RAFT_MEMBER_REFUSED, RAFT_NOT_COMMITTED. */
  async add(
    parse: () => Applicant & { readonly publicKey: Uint8Array },
    url: string,
    isLearner: boolean,
  ): Promise<number> {
    this.checkMember();
    if (this.isLearner(this.raft.id)) throw refused("learner node can't add peer or learner");
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
    if (raftId > RAFT_ID_MAX)
      throw refused('all raft ids have been given: none is ever used twice');
    const type = isLearner ? CONF_CHANGE.addLearner : CONF_CHANGE.addNode;
    await this.change(
      () => {
        // Somebody else may have got the id meanwhile.
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
    if (this.isLearner(this.raft.id)) throw refused("learner node can't promote to peer");
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
    if (this.isLearner(this.raft.id) && raftId !== this.raft.id) {
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
    return this.raft.confState().learners.includes(id);
  }

  /**
   * Proposes until it has come out of the log: GoQuorum answers at once, and loses what no leader
   * took.
   */
  private async change(next: () => Omit<ConfChange, 'id'>, isDone: () => boolean): Promise<void> {
    for (let tries = 0; tries < CHANGE_TRIES_MAX && !this.isStopped; tries++) {
      const data = encodeConfChange({ id: ++this.changes, ...next() });
      this.post({ kind: 'propose', entries: [{ type: ENTRY_TYPE.confChange, data }] });
      if (await this.comesTrue(isDone, CHANGE_RETRY_MS)) return;
    }
    if (isDone()) return;
    throw fail(
      'RAFT_NOT_COMMITTED',
      'the cluster has not taken the change within 10 seconds: it needs a minter and more than half of its peers (see raft_cluster). The change may still take effect when they are back',
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

  // --- driving -----------------------------------------------------------------------------------------------------

  private post(input: RaftInput): void {
    if (this.isStopped) return;
    if (input.kind === 'message' && this.mailbox.length >= INPUTS_MAX) return;
    this.mailbox.push(input);
    void this.pump();
  }

  /** Ticks that a busy process missed are not made up for: its own pause must not look like a dead leader. */
  private schedule(): void {
    const delayMs = Math.max(0, this.nextTickMs - this.parts.clock.nowMs());
    this.ticker = this.parts.timers.set(delayMs, () => {
      this.nextTickMs = Math.max(this.nextTickMs + TICK_MS, this.parts.clock.nowMs());
      this.post({ kind: 'tick' });
      this.schedule();
    });
  }

  private async pump(): Promise<void> {
    if (this.isPumping) return;
    this.isPumping = true;
    try {
      while (!this.isStopped) {
        for (const input of this.mailbox.splice(0)) this.raft.step(input);
        this.followRole();
        const ready = this.raft.ready();
        if (!ready) break;
        await this.carry(ready);
      }
    } catch (error) {
      if (!this.isStopped) this.parts.fatal(error);
    } finally {
      this.isPumping = false;
    }
  }

  private async carry(ready: Ready): Promise<void> {
    const { store, links, log } = this.parts;
    if (ready.fault !== undefined) log('error', 'A raft message was refused', { why: ready.fault });
    await this.writes.run(() => store.save(ready));
    this.raft.advance(ready);
    if (ready.snapshot) this.applier.install(ready.snapshot);
    for (const message of ready.messages) links.send(message);
    this.applier.apply(ready.committed);
  }

  private write(job: () => Promise<void>): void {
    this.writes.run(job).catch((error: unknown) => {
      if (!this.isStopped) this.parts.fatal(error);
    });
  }

  private followRole(): void {
    const isMinter = this.raft.role === 'leader';
    if (isMinter === this.isMinter) return;
    this.isMinter = isMinter;
    const { log, checkpoint } = this.parts;
    const name = isMinter ? 'MINTER' : this.isLearner(this.raft.id) ? 'LEARNER' : 'VERIFIER';
    checkpoint(`BECAME-${name}`);
    log('info', 'Raft role', { role: name.toLowerCase(), term: this.raft.term });
    if (isMinter) this.minter.start();
    else this.minter.stop();
  }

  private proposeBlock(block: Block): void {
    const entries = [{ type: ENTRY_TYPE.normal, data: encodeBlock(block) }];
    this.post({ kind: 'propose', entries });
  }

  private tellApplied(): void {
    for (const check of [...this.waiting]) check();
    void this.pump();
  }

  private connectMembers(gone: readonly number[]): void {
    const { links, connect, disconnect } = this.parts;
    for (const id of gone) links.removeMember(id);
    for (const address of this.cluster.members()) {
      if (address.raftId === this.raft.id) links.setOwnAddress(address);
      else {
        links.addMember(address);
        connect(address);
      }
    }
    const members = new Set(this.cluster.members().map(({ nodeId }) => bareHex(nodeId)));
    for (const nodeId of this.connected) if (!members.has(nodeId)) disconnect(nodeId);
    this.connected = members;
  }

  private async obtain(hash: Hash32): Promise<boolean> {
    const { chain, seek } = this.parts;
    while (!this.isStopped && !chain.has(hash)) {
      seek(hash);
      await this.comesTrue(() => chain.has(hash), SEEK_MS);
    }
    return chain.has(hash);
  }
}

/** A new cluster begins its log with its members, the same bytes at each of them. */
export async function bootstrapStore(
  store: RaftStore,
  members: readonly MemberAddress[],
): Promise<void> {
  const { hardState, snapshot, entries } = store.contents;
  const isBlank = hardState.term === 0 && snapshot.index === 0 && entries.length === 0;
  if (!isBlank || members.length === 0) return;
  const changes = members.map((address) =>
    encodeConfChange({
      id: 0,
      type: CONF_CHANGE.addNode,
      nodeId: address.raftId,
      context: encodeAddress(address),
    }),
  );
  await store.save(bootstrapEntries(changes));
}

function refused(text: string): Error {
  return fail('RAFT_MEMBER_REFUSED', text);
}
