/** State of a member of a Raft cluster, shared by election, leader and follower. */
import type { Prng } from '../../base/prng.ts';
import { Members } from './members.ts';
import {
  type Entry,
  type HardState,
  MESSAGE_TYPE,
  NO_SNAPSHOT,
  type RaftMessage,
  raftMessage,
  type Snapshot,
} from './messages.ts';
import { RaftLog } from './raft-log.ts';

/**
 * An election begins after this many ticks without a message of the leader, or up to twice as many.
 */
export const ELECTION_TICKS = 10;

export type RaftRole = 'follower' | 'preCandidate' | 'candidate' | 'leader';

export interface RaftStart {
  readonly id: number;
  readonly hardState: HardState;
  /** The snapshot that the log follows; index 0 when there is none. */
  readonly snapshot: Snapshot;
  /** Entries on disk, from the first one kept, which may be before the snapshot. */
  readonly entries: readonly Entry[];
  readonly chance: Prng;
}

export class RaftState {
  readonly id: number;
  readonly log: RaftLog;
  term: number;
  votedFor: number;
  role: RaftRole = 'follower';
  /** Raft id of the leader; 0: none known. */
  leader = 0;
  members: Members;
  votes = new Map<number, boolean>();
  electionElapsed = 0;
  electionTimeout = 0;
  /** A membership change may be proposed once everything up to here is applied. */
  pendingConfIndex = 0;
  outbox: RaftMessage[] = [];
  /** A snapshot from the leader that is not yet on disk. */
  received: Snapshot | undefined;
  fault: string | undefined;
  private readonly chance: Prng;

  constructor({ id, hardState, snapshot, entries, chance }: RaftStart) {
    this.id = id;
    this.chance = chance;
    this.log = logOf(snapshot, entries);
    this.term = hardState.term;
    this.votedFor = hardState.vote;
    this.log.commitTo(hardState.commit);
    this.members = new Members(snapshot.confState, id, this.log.lastIndex);
    this.becomeFollower(this.term, 0);
  }

  hardState(): HardState {
    return { term: this.term, vote: this.votedFor, commit: this.log.committed };
  }

  becomeFollower(term: number, leader: number): void {
    this.reset(term);
    this.role = 'follower';
    this.leader = leader;
  }

  /** Starts a term, or a new role within it. */
  reset(term: number): void {
    if (this.term !== term) {
      this.term = term;
      this.votedFor = 0;
    }
    this.leader = 0;
    this.electionElapsed = 0;
    this.drawElectionTimeout();
    this.votes = new Map();
  }

  drawElectionTimeout(): void {
    this.electionTimeout = ELECTION_TICKS + this.chance.below(ELECTION_TICKS);
  }

  /** Sends in the current term, unless `parts` name another. */
  send(parts: Partial<RaftMessage> & { type: number; to: number }): void {
    const term = parts.type === MESSAGE_TYPE.propose ? 0 : this.term;
    this.outbox.push(raftMessage({ term, ...parts, from: this.id }));
  }
}

function logOf(snapshot: Snapshot, entries: readonly Entry[]): RaftLog {
  const first = entries[0];
  // Entries before the snapshot are kept for members that lag a little; the oldest one serves only
  // to check the next one.
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
