/**
 * The Raft protocol as etcd implements it, without clock, disk or network: inputs go into `step`;
 * `ready` says what to store, send and apply, in this order. Settings as in GoQuorum
 * raft/handler.go.
 *
 * Unlike GoQuorum, but compatible with its members: a pre-vote precedes each new term, and a leader
 * that hears no quorum for an election timeout steps down.
 */
import { campaign, countVote, judgeVote } from './election.ts';
import { follow } from './follower.ts';
import { hearMember, memberLeft, propose, tickLeader } from './leader.ts';
import {
  CONF_CHANGE,
  type ConfChange,
  type ConfState,
  ENTRY_TYPE,
  type Entry,
  type HardState,
  MESSAGE_TYPE,
  type RaftMessage,
  type Snapshot,
} from './messages.ts';
import type { RaftLog } from './raft-log.ts';
import { type RaftRole, type RaftStart, RaftState } from './raft-state.ts';

/** One tick is 100 ms. */
export const TICK_MS = 100;
/** Maximum of entries handed out but not yet applied. */
const APPLY_ENTRIES_MAX = 64;
/** How much of the log stays after a snapshot, for members that lag a little. */
const KEPT_ENTRIES = 256;
const KEPT_BYTES = 16 * 1024 * 1024;

/** To be carried out in this order: store (and sync), send, apply, `advance`. */
export interface Ready {
  /**
   * Term, vote and commit index to store; undefined: unchanged. To be on disk before any message is
   * sent.
   */
  readonly hardState: HardState | undefined;
  /**
   * To append to the stored log, replacing what it has from the first one's index on. To be on disk
   * before any message is sent.
   */
  readonly entries: readonly Entry[];
  /** Snapshot from the leader: replaces the whole log. To be on disk before any message is sent. */
  readonly snapshot: Snapshot | undefined;
  /** To send once all of the above is on disk; may be lost. */
  readonly messages: readonly RaftMessage[];
  /**
   * To apply, in order; a quorum has them on disk. At most APPLY_ENTRIES_MAX wait to be applied.
   */
  readonly committed: readonly Entry[];
  /** Set when a message that no correct cluster sends was ignored. */
  readonly fault: string | undefined;
}

export type RaftInput =
  | { readonly kind: 'tick' }
  | { readonly kind: 'message'; readonly message: RaftMessage }
  /** Dropped if no leader is known. */
  | { readonly kind: 'propose'; readonly entries: readonly Pick<Entry, 'type' | 'data'>[] }
  /** The transport could not deliver a message. */
  | { readonly kind: 'unreachable'; readonly id: number }
  | { readonly kind: 'snapshotSent'; readonly id: number; readonly isDelivered: boolean };

export class Raft {
  private readonly state: RaftState;
  /** The part that is on disk. */
  private stored: HardState;

  constructor(start: RaftStart) {
    this.state = new RaftState(start);
    this.stored = this.state.hardState();
  }

  get id(): number {
    return this.state.id;
  }

  get log(): RaftLog {
    return this.state.log;
  }

  get term(): number {
    return this.state.term;
  }

  get role(): RaftRole {
    return this.state.role;
  }

  /** Raft id of the leader; 0: none known. */
  get leader(): number {
    return this.state.leader;
  }

  confState(): ConfState {
    return this.state.members.confState();
  }

  step(input: RaftInput): void {
    const { state } = this;
    switch (input.kind) {
      case 'tick':
        this.tick();
        break;
      case 'message':
        if (input.message.to === state.id) this.receive(input.message);
        break;
      case 'propose':
        propose(state, input.entries);
        break;
      case 'unreachable':
        if (state.role === 'leader') state.members.progressOf(input.id)?.unreachable();
        break;
      case 'snapshotSent':
        if (state.role !== 'leader') break;
        state.members.progressOf(input.id)?.snapshotSent(input.isDelivered);
        break;
    }
  }

  /** undefined: nothing to do. */
  ready(): Ready | undefined {
    const { state, stored } = this;
    const hardState = state.hardState();
    const isChanged =
      hardState.term !== stored.term ||
      hardState.vote !== stored.vote ||
      hardState.commit !== stored.commit;
    const ready: Ready = {
      hardState: isChanged ? hardState : undefined,
      entries: state.log.unstable(),
      snapshot: state.received,
      messages: state.outbox,
      committed: state.log.undelivered(this.roomToApply()),
      fault: state.fault,
    };
    state.outbox = [];
    state.fault = undefined;
    return isEmpty(ready) ? undefined : ready;
  }

  private roomToApply(): number {
    const { delivered, applied } = this.log;
    return Math.max(0, APPLY_ENTRIES_MAX - (delivered - applied));
  }

  /**
   * The output of `ready` was stored and sent, and its entries are being applied; `applied` reports
   * when that is finished.
   */
  advance(ready: Ready): void {
    if (ready.hardState) this.stored = ready.hardState;
    if (ready.snapshot === this.state.received) this.state.received = undefined;
    const last = ready.entries.at(-1);
    if (last) this.log.stableTo(last.index);
    const delivered = ready.committed.at(-1);
    if (delivered) this.log.delivered = Math.max(this.log.delivered, delivered.index);
  }

  applied(index: number): void {
    this.log.appliedTo(index);
  }

  /** A committed change of the members takes effect when it is applied. */
  applyConfChange({ type, nodeId }: Pick<ConfChange, 'type' | 'nodeId'>): ConfState {
    const { state } = this;
    if (type === CONF_CHANGE.removeNode) {
      state.members.remove(nodeId);
      if (state.role === 'leader') memberLeft(state, nodeId);
    } else if (type === CONF_CHANGE.addNode || type === CONF_CHANGE.addLearner) {
      state.members.add(nodeId, type === CONF_CHANGE.addLearner, state.log.lastIndex);
    }
    return this.confState();
  }

  /**
   * Takes a snapshot of what was applied up to `index`. With `keepsTail`, a tail of the log before
   * it is kept. `firstKept`: index of the first entry kept.
   */
  compact(
    index: number,
    data: Uint8Array,
    keepsTail = true,
  ): { snapshot: Snapshot; firstKept: number } {
    const snapshot = {
      data,
      index,
      term: this.log.term(index) ?? 0,
      confState: this.confState(),
    };
    const firstKept = keepsTail ? this.log.tailStart(index, KEPT_ENTRIES, KEPT_BYTES) : index + 1;
    this.log.compact(snapshot, firstKept);
    return { snapshot, firstKept };
  }

  private tick(): void {
    const { state } = this;
    state.electionElapsed++;
    if (state.role === 'leader') {
      tickLeader(state);
      return;
    }
    if (!state.members.isVoter(state.id) || state.electionElapsed < state.electionTimeout) return;
    state.electionElapsed = 0;
    // A member that has not applied a membership change would count with the wrong quorum.
    const isUnsettled = state.log.unapplied().some(({ type }) => type === ENTRY_TYPE.confChange);
    if (!isUnsettled) campaign(state, 'preCandidate');
  }

  private receive(message: RaftMessage): void {
    const { state } = this;
    const { type, term, from } = message;
    if (type === MESSAGE_TYPE.propose) {
      // Only members forward proposals; each entry of a stranger would be written by all of them.
      if (state.members.progressOf(from)) propose(state, message.entries);
      return;
    }
    // Term 0 marks a member's messages to itself: none arrives from outside.
    if (term === 0) return;
    if (term < state.term) {
      meetLowerTerm(state, message);
      return;
    }
    if (term > state.term) meetHigherTerm(state, message);
    switch (type) {
      case MESSAGE_TYPE.preVote:
      case MESSAGE_TYPE.vote:
        judgeVote(state, message);
        break;
      case MESSAGE_TYPE.preVoteResponse:
        if (state.role === 'preCandidate') countVote(state, from, !message.reject);
        break;
      case MESSAGE_TYPE.voteResponse:
        if (state.role === 'candidate') countVote(state, from, !message.reject);
        break;
      case MESSAGE_TYPE.append:
      case MESSAGE_TYPE.heartbeat:
      case MESSAGE_TYPE.snapshot:
        follow(state, message);
        break;
      case MESSAGE_TYPE.appendResponse:
      case MESSAGE_TYPE.heartbeatResponse:
        if (state.role === 'leader') hearMember(state, message);
        break;
    }
  }
}

function isEmpty({ hardState, entries, snapshot, messages, committed, fault }: Ready): boolean {
  const isIdle = entries.length === 0 && messages.length === 0 && committed.length === 0;
  return isIdle && !hardState && !snapshot && fault === undefined;
}

function meetHigherTerm(state: RaftState, { type, term, from, reject }: RaftMessage): void {
  if (type === MESSAGE_TYPE.preVote) return;
  // A granted pre-vote carries the requested term.
  if (type === MESSAGE_TYPE.preVoteResponse && !reject) return;
  const isOfLeader =
    type === MESSAGE_TYPE.append ||
    type === MESSAGE_TYPE.heartbeat ||
    type === MESSAGE_TYPE.snapshot;
  state.becomeFollower(term, isOfLeader ? from : 0);
}

/** Tells a leader or candidate of an old term about the new one. */
function meetLowerTerm(state: RaftState, { type, from }: RaftMessage): void {
  if (type === MESSAGE_TYPE.append || type === MESSAGE_TYPE.heartbeat) {
    state.send({ type: MESSAGE_TYPE.appendResponse, to: from });
  } else if (type === MESSAGE_TYPE.preVote) {
    state.send({ type: MESSAGE_TYPE.preVoteResponse, to: from, reject: true });
  }
}

/**
 * The first entries that a new cluster writes, one for each encoded change that adds a member: the
 * same bytes at each member.
 */
export function bootstrapEntries(changes: readonly Uint8Array[]): {
  entries: Entry[];
  hardState: HardState;
} {
  const entries = changes.map((data, at) => ({
    type: ENTRY_TYPE.confChange,
    term: 1,
    index: at + 1,
    data,
  }));
  return { entries, hardState: { term: 1, vote: 0, commit: entries.length } };
}
