/**
 * The Raft protocol as etcd plays it, without clock, disk or network: inputs go into `step`, `ready` says what to store, send
 * and apply, in this order. Settings of the reference in consensus dossier §10.1.
 *
 * Beyond the reference, and harmless to its members: votes are asked for before a term is begun (pre-vote), and a leader that
 * hears no quorum for an election timeout steps down.
 */
import type { Prng } from '../../base/prng.ts';
import { Members } from './members.ts';
import {
  CONF_CHANGE,
  type ConfChange,
  type ConfState,
  ENTRY_TYPE,
  type Entry,
  type HardState,
  MESSAGE_TYPE,
  NO_SNAPSHOT,
  type RaftMessage,
  raftMessage,
  type Snapshot,
} from './messages.ts';
import type { Progress } from './progress.ts';
import { RaftLog } from './raft-log.ts';

/** One tick is 100 ms. */
export const TICK_MS = 100;
/** An election begins after this many ticks of silence, or up to twice as many. */
const ELECTION_TICKS = 10;
const APPEND_BYTES_MAX = 1024 * 1024;
/** Entries handed out at once. */
const APPLY_ENTRIES_MAX = 64;
/** Behind a snapshot so much of the log stays, for members that lag a little. */
const KEPT_ENTRIES = 256;
const KEPT_BYTES = 16 * 1024 * 1024;

const FORKED =
  "the leader's entries contradict entries that are committed here: this data folder, or the leader's, is of another cluster or was restored from a backup";

export type RaftRole = 'follower' | 'preCandidate' | 'candidate' | 'leader';

export interface RaftStart {
  readonly id: number;
  readonly hardState: HardState;
  /** What the log begins behind; index 0 where there is none. */
  readonly snapshot: Snapshot;
  /** On disk, from the first one kept: that may lie before the snapshot. */
  readonly entries: readonly Entry[];
  readonly chance: Prng;
}

/** To be carried out in this order: store (and sync), send, apply, `advance`. */
export interface Ready {
  readonly hardState: HardState | undefined;
  readonly entries: readonly Entry[];
  /** From the leader: replaces the whole log. */
  readonly snapshot: Snapshot | undefined;
  readonly messages: readonly RaftMessage[];
  readonly committed: readonly Entry[];
  /** A message that no sound cluster sends was left unanswered. */
  readonly fault: string | undefined;
}

export type RaftInput =
  | { readonly kind: 'tick' }
  | { readonly kind: 'message'; readonly message: RaftMessage }
  /** Dropped unless there is a leader to take it. */
  | { readonly kind: 'propose'; readonly entries: readonly Pick<Entry, 'type' | 'data'>[] }
  /** The transport could not deliver. */
  | { readonly kind: 'unreachable'; readonly id: number }
  | { readonly kind: 'snapshotSent'; readonly id: number; readonly isDelivered: boolean };

export class Raft {
  readonly id: number;
  readonly log: RaftLog;
  private readonly chance: Prng;
  private currentTerm: number;
  private votedFor: number;
  private stored: HardState;
  private currentRole: RaftRole = 'follower';
  private currentLeader = 0;
  private members: Members;
  private votes = new Map<number, boolean>();
  private electionElapsed = 0;
  private electionTimeout = 0;
  /** A membership change may be proposed once everything up to here is applied. */
  private pendingConfIndex = 0;
  private outbox: RaftMessage[] = [];
  private received: Snapshot | undefined;
  private fault: string | undefined;

  constructor({ id, hardState, snapshot, entries, chance }: RaftStart) {
    this.id = id;
    this.chance = chance;
    this.log = logOf(snapshot, entries);
    this.currentTerm = hardState.term;
    this.votedFor = hardState.vote;
    this.log.commitTo(hardState.commit);
    this.stored = this.hardState();
    this.members = new Members(snapshot.confState, id, this.log.lastIndex);
    this.becomeFollower(this.currentTerm, 0);
  }

  get term(): number {
    return this.currentTerm;
  }

  get role(): RaftRole {
    return this.currentRole;
  }

  /** 0: none known. */
  get leader(): number {
    return this.currentLeader;
  }

  confState(): ConfState {
    return this.members.confState();
  }

  /** How far the leader knows `id` to be; undefined for a member that it does not feed. */
  matchOf(id: number): number | undefined {
    return this.role === 'leader' ? this.members.progressOf(id)?.match : undefined;
  }

  step(input: RaftInput): void {
    switch (input.kind) {
      case 'tick':
        this.tick();
        break;
      case 'message':
        this.receive(input.message);
        break;
      case 'propose':
        this.propose(input.entries);
        break;
      case 'unreachable':
        if (this.role === 'leader') this.members.progressOf(input.id)?.unreachable();
        break;
      case 'snapshotSent':
        if (this.role !== 'leader') break;
        this.members.progressOf(input.id)?.snapshotSent(input.isDelivered);
        break;
    }
  }

  /** undefined: nothing to do. */
  ready(): Ready | undefined {
    const hardState = this.hardState();
    const entries = this.log.unstable();
    const isChanged =
      hardState.term !== this.stored.term ||
      hardState.vote !== this.stored.vote ||
      hardState.commit !== this.stored.commit;
    const committed = this.log.undelivered(APPLY_ENTRIES_MAX);
    if (
      !isChanged &&
      entries.length === 0 &&
      this.outbox.length === 0 &&
      !this.received &&
      this.fault === undefined &&
      committed.length === 0
    ) {
      return undefined;
    }
    const { outbox: messages, fault } = this;
    this.outbox = [];
    this.fault = undefined;
    return {
      hardState: isChanged ? hardState : undefined,
      entries,
      snapshot: this.received,
      messages,
      committed,
      fault,
    };
  }

  /** What `ready` said was stored and sent, and its entries are being applied; `applied` tells when they are. */
  advance(ready: Ready): void {
    if (ready.hardState) this.stored = ready.hardState;
    if (ready.snapshot === this.received) this.received = undefined;
    const last = ready.entries.at(-1);
    if (last) this.log.stableTo(last.index);
    const delivered = ready.committed.at(-1);
    if (delivered) this.log.delivered = Math.max(this.log.delivered, delivered.index);
  }

  applied(index: number): void {
    this.log.appliedTo(index);
  }

  /** A committed change of the members takes effect when it is applied. */
  applyConfChange(change: Pick<ConfChange, 'type' | 'nodeId'>): ConfState {
    const { type, nodeId } = change;
    if (type === CONF_CHANGE.removeNode) this.remove(nodeId);
    else if (type === CONF_CHANGE.addNode || type === CONF_CHANGE.addLearner) {
      this.members.add(nodeId, type === CONF_CHANGE.addLearner, this.log.lastIndex);
    }
    return this.confState();
  }

  private remove(id: number): void {
    this.members.remove(id);
    if (this.role !== 'leader') return;
    if (id === this.id) this.becomeFollower(this.currentTerm, 0);
    // The quorum may be smaller now.
    else if (this.tryCommit()) this.sendAppends();
  }

  /** A snapshot of what was applied up to `index`; a tail of the log before it is kept. Index of the first entry kept. */
  compact(index: number, data: Uint8Array): { snapshot: Snapshot; firstKept: number } {
    const snapshot = {
      data,
      index,
      term: this.log.term(index) ?? 0,
      confState: this.confState(),
    };
    const firstKept = this.log.tailStart(index, KEPT_ENTRIES, KEPT_BYTES);
    this.log.compact(snapshot, firstKept);
    return { snapshot, firstKept };
  }

  private hardState(): HardState {
    return { term: this.currentTerm, vote: this.votedFor, commit: this.log.committed };
  }

  // --- time ------------------------------------------------------------------------------------------------------

  private tick(): void {
    this.electionElapsed++;
    if (this.role === 'leader') {
      if (this.electionElapsed >= ELECTION_TICKS) {
        this.electionElapsed = 0;
        if (!this.members.hadActiveQuorum(this.id)) {
          this.becomeFollower(this.currentTerm, 0);
          return;
        }
      }
      for (const [id, progress] of this.members.othersThan(this.id))
        this.sendHeartbeat(id, progress);
      return;
    }
    if (this.members.isVoter(this.id) && this.electionElapsed >= this.electionTimeout) {
      this.electionElapsed = 0;
      if (!this.hasUnappliedConfChange()) this.campaign('preCandidate');
    }
  }

  private hasUnappliedConfChange(): boolean {
    return this.log.unapplied().some(({ type }) => type === ENTRY_TYPE.confChange);
  }

  // --- roles -----------------------------------------------------------------------------------------------------

  private becomeFollower(term: number, leader: number): void {
    this.reset(term);
    this.currentRole = 'follower';
    this.currentLeader = leader;
  }

  private reset(term: number): void {
    if (this.currentTerm !== term) {
      this.currentTerm = term;
      this.votedFor = 0;
    }
    this.currentLeader = 0;
    this.electionElapsed = 0;
    this.electionTimeout = ELECTION_TICKS + this.chance.below(ELECTION_TICKS);
    this.votes = new Map();
  }

  private campaign(role: 'preCandidate' | 'candidate'): void {
    const isPreVote = role === 'preCandidate';
    if (isPreVote) {
      this.votes = new Map();
      this.electionTimeout = ELECTION_TICKS + this.chance.below(ELECTION_TICKS);
    } else {
      this.reset(this.currentTerm + 1);
      this.votedFor = this.id;
    }
    this.currentRole = role;
    this.currentLeader = 0;
    this.votes.set(this.id, true);
    if (this.members.quorum === 1) {
      this.elected();
      return;
    }
    for (const id of this.members.voterIds) {
      if (id === this.id) continue;
      this.send({
        type: isPreVote ? MESSAGE_TYPE.preVote : MESSAGE_TYPE.vote,
        to: id,
        term: isPreVote ? this.currentTerm + 1 : this.currentTerm,
        index: this.log.lastIndex,
        logTerm: this.log.lastTerm,
      });
    }
  }

  private elected(): void {
    if (this.role === 'preCandidate') this.campaign('candidate');
    else this.becomeLeader();
  }

  private becomeLeader(): void {
    this.reset(this.currentTerm);
    this.currentRole = 'leader';
    this.currentLeader = this.id;
    const last = this.log.lastIndex;
    this.members.startOver(this.id, last);
    // Changes of the members that earlier leaders left behind must be applied before a new one: at most one is under way.
    this.pendingConfIndex = last;
    this.appendOwn([{ type: ENTRY_TYPE.normal, data: new Uint8Array(0) }]);
    this.sendAppends();
  }

  private countVote(from: number, isGranted: boolean): void {
    if (!this.members.isVoter(from)) return;
    if (!this.votes.has(from)) this.votes.set(from, isGranted);
    const granted = [...this.votes.values()].filter(Boolean).length;
    if (granted >= this.members.quorum) this.elected();
    else if (this.votes.size - granted >= this.members.quorum)
      this.becomeFollower(this.currentTerm, 0);
  }

  // --- messages --------------------------------------------------------------------------------------------------

  private receive(message: RaftMessage): void {
    const { type, term, from } = message;
    if (message.to !== this.id) return;
    if (type === MESSAGE_TYPE.propose) {
      this.propose(message.entries);
      return;
    }
    // A term of 0 marks messages of a member to itself: none of them comes from outside.
    if (term === 0) return;
    if (term < this.currentTerm) {
      this.meetLowerTerm(message);
      return;
    }
    if (term > this.currentTerm) this.meetHigherTerm(message);
    switch (type) {
      case MESSAGE_TYPE.preVote:
      case MESSAGE_TYPE.vote:
        this.judgeVote(message);
        break;
      case MESSAGE_TYPE.preVoteResponse:
        if (this.role === 'preCandidate') this.countVote(from, !message.reject);
        break;
      case MESSAGE_TYPE.voteResponse:
        if (this.role === 'candidate') this.countVote(from, !message.reject);
        break;
      case MESSAGE_TYPE.append:
      case MESSAGE_TYPE.heartbeat:
      case MESSAGE_TYPE.snapshot:
        this.follow(message);
        break;
      case MESSAGE_TYPE.appendResponse:
      case MESSAGE_TYPE.heartbeatResponse:
        if (this.role === 'leader') this.hearMember(message);
        break;
    }
  }

  private meetHigherTerm({ type, term, from, reject }: RaftMessage): void {
    if (type === MESSAGE_TYPE.preVote) return;
    // A granted pre-vote carries the term that was asked for.
    if (type === MESSAGE_TYPE.preVoteResponse && !reject) return;
    const isOfLeader =
      type === MESSAGE_TYPE.append ||
      type === MESSAGE_TYPE.heartbeat ||
      type === MESSAGE_TYPE.snapshot;
    this.becomeFollower(term, isOfLeader ? from : 0);
  }

  /** Tells a leader or candidate of an old term that its time is over. */
  private meetLowerTerm({ type, from }: RaftMessage): void {
    if (type === MESSAGE_TYPE.append || type === MESSAGE_TYPE.heartbeat) {
      this.send({ type: MESSAGE_TYPE.appendResponse, to: from, term: this.currentTerm });
    } else if (type === MESSAGE_TYPE.preVote) {
      this.send({
        type: MESSAGE_TYPE.preVoteResponse,
        to: from,
        term: this.currentTerm,
        reject: true,
      });
    }
  }

  private judgeVote({ type, from, term, index, logTerm }: RaftMessage): void {
    const isPreVote = type === MESSAGE_TYPE.preVote;
    const responseType = isPreVote ? MESSAGE_TYPE.preVoteResponse : MESSAGE_TYPE.voteResponse;
    // Who hears a leader does not help to unseat it. Votes themselves are not withheld: members of the reference know no
    // pre-vote, and could not come back.
    const isLeaderAlive =
      isPreVote && this.currentLeader !== 0 && this.electionElapsed < ELECTION_TICKS;
    const isFree =
      this.votedFor === 0 || this.votedFor === from || (isPreVote && term > this.currentTerm);
    if (isFree && !isLeaderAlive && this.log.isUpToDate(index, logTerm)) {
      this.send({ type: responseType, to: from, term });
      if (isPreVote) return;
      this.electionElapsed = 0;
      this.votedFor = from;
    } else {
      this.send({ type: responseType, to: from, term: this.currentTerm, reject: true });
    }
  }

  // --- following -------------------------------------------------------------------------------------------------

  private follow(message: RaftMessage): void {
    const { type, from } = message;
    // Two leaders of one term cannot be: whoever claims it is not of this cluster, or lost its disk.
    if (this.role === 'leader') return;
    if (this.role !== 'follower') this.becomeFollower(this.currentTerm, from);
    this.electionElapsed = 0;
    this.currentLeader = from;
    if (type === MESSAGE_TYPE.append) this.followAppend(message);
    else if (type === MESSAGE_TYPE.snapshot) this.followSnapshot(message);
    else {
      this.log.commitTo(message.commit);
      this.send({ type: MESSAGE_TYPE.heartbeatResponse, to: from, context: message.context });
    }
  }

  private followAppend({ from, index, logTerm, commit, entries }: RaftMessage): void {
    const { log } = this;
    const answer = (parts: Partial<RaftMessage>) =>
      this.send({ type: MESSAGE_TYPE.appendResponse, to: from, ...parts });
    if (index < log.committed) {
      answer({ index: log.committed });
      return;
    }
    // What the transport has decoded may be anything: entries must follow one another.
    if (entries.some((entry, at) => entry.index !== index + 1 + at)) return;
    const last = log.accept(index, logTerm, commit, entries);
    if (last === 'contradiction') this.fault = FORKED;
    else if (last === 'behind') answer({ index, reject: true, rejectHint: log.lastIndex });
    else answer({ index: last });
  }

  private followSnapshot({ from, snapshot }: RaftMessage): void {
    const isNewer = snapshot.index > this.log.committed;
    if (isNewer && this.log.term(snapshot.index) === snapshot.term) {
      this.log.commitTo(snapshot.index);
    } else if (isNewer) {
      this.log.restore(snapshot);
      this.received = snapshot;
      this.members = new Members(snapshot.confState, this.id, snapshot.index);
    }
    this.send({ type: MESSAGE_TYPE.appendResponse, to: from, index: this.log.committed });
  }

  // --- leading ---------------------------------------------------------------------------------------------------

  private propose(entries: readonly Pick<Entry, 'type' | 'data'>[]): void {
    if (this.role !== 'leader') {
      if (this.currentLeader === 0 || entries.length === 0) return;
      const asked = entries.map(({ type, data }) => ({ type, data, term: 0, index: 0 }));
      this.send({ type: MESSAGE_TYPE.propose, to: this.currentLeader, entries: asked });
      return;
    }
    if (!this.members.isVoter(this.id)) return;
    this.appendOwn(entries);
    this.sendAppends();
  }

  private appendOwn(entries: readonly Pick<Entry, 'type' | 'data'>[]): void {
    let index = this.log.lastIndex;
    const own: Entry[] = [];
    for (const { type, data } of entries) {
      index++;
      const isChange = type === ENTRY_TYPE.confChange;
      const isRefused = isChange && this.pendingConfIndex > this.log.applied;
      if (isChange && !isRefused) this.pendingConfIndex = index;
      // As in the reference, a change that comes too early becomes an empty entry.
      own.push(
        isRefused
          ? { type: ENTRY_TYPE.normal, data: new Uint8Array(0), term: this.currentTerm, index }
          : { type, data, term: this.currentTerm, index },
      );
    }
    this.log.append(own);
    this.members.progressOf(this.id)?.acknowledge(index);
    this.tryCommit();
  }

  private tryCommit(): boolean {
    const index = this.members.quorumIndex();
    // Only entries of its own term are committed by counting; older ones with them (Raft §5.4.2).
    if (index <= this.log.committed || this.log.term(index) !== this.currentTerm) return false;
    this.log.commitTo(index);
    return true;
  }

  private hearMember({ type, from, index, reject, rejectHint }: RaftMessage): void {
    const progress = this.members.progressOf(from);
    if (!progress) return;
    if (type === MESSAGE_TYPE.heartbeatResponse) {
      progress.heard();
      if (progress.match < this.log.lastIndex) this.sendAppend(from, progress);
      return;
    }
    progress.isRecentlyActive = true;
    if (reject) {
      if (progress.reject(index, rejectHint)) this.sendAppend(from, progress);
      return;
    }
    if (index > this.log.lastIndex) return;
    const wasPaused = progress.isPaused;
    if (!progress.acknowledge(index)) return;
    if (this.tryCommit()) this.sendAppends();
    else if (wasPaused || progress.next <= this.log.lastIndex) this.sendAppend(from, progress);
  }

  private sendAppends(): void {
    for (const [id, progress] of this.members.othersThan(this.id)) this.sendAppend(id, progress);
  }

  private sendAppend(to: number, progress: Progress): void {
    if (progress.isPaused) return;
    const { log } = this;
    const logTerm = log.term(progress.next - 1);
    if (logTerm === undefined) {
      this.sendSnapshot(to, progress);
      return;
    }
    const entries = log.slice(progress.next, log.lastIndex, APPEND_BYTES_MAX);
    const index = progress.next - 1;
    progress.sent(index + entries.length, entries.length === 0);
    this.send({
      type: MESSAGE_TYPE.append,
      to,
      index,
      logTerm,
      entries,
      commit: log.committed,
    });
  }

  private sendSnapshot(to: number, progress: Progress): void {
    const { snapshot } = this.log;
    // Without a sign of life a snapshot would be lost.
    if (!progress.isRecentlyActive || snapshot.index === 0) return;
    progress.becomeSnapshot(snapshot.index);
    this.send({ type: MESSAGE_TYPE.snapshot, to, snapshot });
  }

  private sendHeartbeat(to: number, progress: Progress): void {
    // What is not known to agree must not be called committed.
    const commit = Math.min(progress.match, this.log.committed);
    this.send({ type: MESSAGE_TYPE.heartbeat, to, commit });
  }

  private send(parts: Partial<RaftMessage> & { type: number; to: number }): void {
    const term = parts.type === MESSAGE_TYPE.propose ? 0 : this.currentTerm;
    this.outbox.push(raftMessage({ term, ...parts, from: this.id }));
  }
}

function logOf(snapshot: Snapshot, entries: readonly Entry[]): RaftLog {
  const first = entries[0];
  // Entries before the snapshot are kept for members that lag a little; the oldest only says what the next follows.
  if (first && snapshot.index > 0 && first.index <= snapshot.index) {
    const log = new RaftLog(first, entries.slice(1));
    log.committed = snapshot.index;
    log.applied = snapshot.index;
    log.delivered = snapshot.index;
    log.compact(snapshot, log.firstIndex);
    return log;
  }
  const log = new RaftLog(snapshot, entries);
  if (snapshot !== NO_SNAPSHOT && snapshot.index > 0) log.compact(snapshot, log.firstIndex);
  return log;
}

/** What a new cluster of `members` (id and address) writes before anything else: the same bytes at each of them. */
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
