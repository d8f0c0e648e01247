/**
 * The Raft protocol of one member, with its log and its links to the others. All that it knows
 * about the chain is passed to it, so that it can run in a separate thread.
 */
import type { Hash32 } from '../../../../core/base/bytes.ts';
import { bareHex } from '../../../../core/base/hex.ts';
import type { Clock, Log, Timer, Timers } from '../../../../core/base/ports.ts';
import type { Prng } from '../../../../core/base/prng.ts';
import {
  encodeClusterSnapshot,
  type MemberAddress,
} from '../../../../core/consensus/raft/address.ts';
import type { RaftLinks } from '../../../../core/consensus/raft/interface.ts';
import type {
  ConfChange,
  ConfState,
  Entry,
  Snapshot,
} from '../../../../core/consensus/raft/messages.ts';
import { Raft, type RaftInput, type Ready, TICK_MS } from '../../../../core/consensus/raft/raft.ts';
import type { RaftRole } from '../../../../core/consensus/raft/raft-state.ts';
import type { RaftStore } from '../../../../core/store/raft-store.ts';
import { SerialQueue } from '../../../../core/store/serial-queue.ts';

/** State of the protocol. */
export interface RaftStanding {
  readonly role: RaftRole;
  readonly term: number;
  /** Raft id; 0: no leader is known. */
  readonly leader: number;
  readonly confState: ConfState;
  /** Raft ids of the members with an open link. */
  readonly active: readonly number[];
}

/** The cluster's members according to the applied entries of the log. */
export interface RaftMembers {
  readonly members: readonly MemberAddress[];
  readonly removedIds: readonly number[];
}

/** Inputs of the protocol. */
export interface RaftProtocol {
  /** Resolves when the member listens. Rejects with RAFT_LISTEN_FAILED. */
  start(side: RaftChainSide): Promise<void>;
  stop(): Promise<void>;
  /** Proposes an entry; it is dropped if there is no leader. */
  propose(entry: Pick<Entry, 'type' | 'data'>): void;
  /** A committed change of the members, called when the entry at `index` is applied. */
  change(index: number, change: Pick<ConfChange, 'type' | 'nodeId'>): void;
  applied(index: number): void;
  /**
   * Compacts the log: everything up to `index` is applied to the chain with this head, and to the
   * list of members.
   */
  compact(index: number, members: RaftMembers, headHash: Hash32, keepsTail: boolean): void;
  /** Sets the members to link with. */
  connect(members: RaftMembers): void;
}

/** Events for the chain's side. */
export interface RaftChainSide {
  /** Committed entries, in the order of the log. */
  committed(entries: readonly Entry[]): void;
  /** A snapshot from the leader; it must be applied before any entry committed later. */
  install(snapshot: Snapshot): void;
  standing(standing: RaftStanding): void;
}

export interface RaftMemberParts {
  readonly id: number;
  readonly store: Pick<RaftStore, 'contents' | 'save' | 'compact'>;
  readonly links: RaftLinks;
  readonly clock: Clock;
  readonly timers: Pick<Timers, 'set'>;
  readonly chance: Prng;
  readonly log: Log;
  fatal(error: unknown): void;
}

const INPUTS_MAX = 10_000;

export class RaftMember implements RaftProtocol {
  readonly raft: Raft;
  private readonly parts: RaftMemberParts;
  private readonly writes = new SerialQueue();
  private side: RaftChainSide | undefined;
  private members: readonly MemberAddress[] = [];
  private removed: ReadonlySet<number> = new Set();
  private nodeIds: ReadonlySet<string> = new Set();
  private mailbox: RaftInput[] = [];
  private isPumping = false;
  private isStopped = true;
  private ticker: Timer | undefined;
  private nextTickMs = 0;
  private lastStanding = '';

  constructor(parts: RaftMemberParts) {
    this.parts = parts;
    const { id, chance } = parts;
    const { hardState, snapshot, entries } = parts.store.contents;
    this.raft = new Raft({ id, hardState, snapshot, entries, chance });
  }

  async start(side: RaftChainSide): Promise<void> {
    this.side = side;
    this.isStopped = false;
    await this.parts.links.start(
      (event) => this.post(event),
      (id) => this.removed.has(id),
    );
    this.nextTickMs = this.parts.clock.nowMs() + TICK_MS;
    this.schedule();
    void this.pump();
  }

  async stop(): Promise<void> {
    if (this.isStopped) return;
    this.isStopped = true;
    this.ticker?.cancel();
    await this.parts.links.stop();
    await this.writes.run(async () => {});
  }

  propose(entry: Pick<Entry, 'type' | 'data'>): void {
    this.post({ kind: 'propose', entries: [entry] });
  }

  change(index: number, change: Pick<ConfChange, 'type' | 'nodeId'>): void {
    if (this.isOvertaken(index)) return;
    this.raft.applyConfChange(change);
    this.tellStanding();
  }

  applied(index: number): void {
    if (!this.isOvertaken(index)) this.raft.applied(index);
    void this.pump();
  }

  compact(
    index: number,
    { members, removedIds }: RaftMembers,
    headHash: Hash32,
    keepsTail: boolean,
  ): void {
    const { raft } = this;
    if (index <= raft.log.snapshot.index) return;
    const { nodes, learners } = raft.confState();
    const ids = new Set([...nodes, ...learners]);
    const addresses = members.filter(({ raftId }) => ids.has(raftId));
    const data = encodeClusterSnapshot({ addresses, removedIds, headHash });
    const { snapshot, firstKept } = raft.compact(index, data, keepsTail);
    this.writes
      .run(() => this.parts.store.compact(snapshot, firstKept))
      .catch((error: unknown) => {
        if (!this.isStopped) this.parts.fatal(error);
      });
  }

  connect({ members, removedIds }: RaftMembers): void {
    const { links, id } = this.parts;
    const kept = new Set(members.map(({ raftId }) => raftId));
    for (const { raftId } of this.members) if (!kept.has(raftId)) links.removeMember(raftId);
    for (const address of members) {
      if (address.raftId === id) links.setOwnAddress(address);
      else links.addMember(address);
    }
    this.members = members;
    this.removed = new Set(removedIds);
    this.nodeIds = new Set(members.map(({ nodeId }) => bareHex(nodeId)));
  }

  /** Whether the node with this id, 128 hex digits, is a member. */
  hasNode(nodeId: string): boolean {
    return this.nodeIds.has(nodeId);
  }

  /** Whether a newer snapshot that includes the entry has arrived from the leader. */
  private isOvertaken(index: number): boolean {
    const { log } = this.raft;
    return index <= log.snapshot.index && index <= log.applied;
  }

  // --- driving -----------------------------------------------------------------------------------------------------

  private post(input: RaftInput): void {
    if (this.isStopped) return;
    if (input.kind === 'message' && this.mailbox.length >= INPUTS_MAX) return;
    this.mailbox.push(input);
    void this.pump();
  }

  /**
   * Ticks missed by a busy process are skipped: its own pause must not look like a failed leader.
   */
  private schedule(): void {
    const { timers, clock } = this.parts;
    const delayMs = Math.max(0, this.nextTickMs - clock.nowMs());
    this.ticker = timers.set(delayMs, () => {
      this.nextTickMs = Math.max(this.nextTickMs + TICK_MS, clock.nowMs());
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
        this.tellStanding();
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
    if (ready.snapshot) this.side?.install(ready.snapshot);
    for (const message of ready.messages) links.send(message);
    if (ready.committed.length > 0) this.side?.committed(ready.committed);
  }

  private tellStanding(): void {
    const { raft } = this;
    const { role, term, leader } = raft;
    const ids = this.members.map(({ raftId }) => raftId);
    const active = ids.filter((id) => this.parts.links.isActive(id));
    const standing = { role, term, leader, confState: raft.confState(), active };
    const text = JSON.stringify(standing);
    if (text === this.lastStanding) return;
    this.lastStanding = text;
    this.side?.standing(standing);
  }
}
