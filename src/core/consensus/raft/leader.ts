/** The leader: appends entries, sends them to members, and counts what a quorum has stored. */
import { ENTRIES_MAX, ENTRY_TYPE, type Entry, MESSAGE_TYPE, type RaftMessage } from './messages.ts';
import type { Progress } from './progress.ts';
import { ELECTION_TICKS, type RaftState } from './raft-state.ts';

const APPEND_BYTES_MAX = 1024 * 1024;

export function becomeLeader(raft: RaftState): void {
  raft.reset(raft.term);
  raft.role = 'leader';
  raft.leader = raft.id;
  const last = raft.log.lastIndex;
  raft.members.startOver(raft.id, last);
  // At most one membership change is in progress: those of earlier leaders must be applied first.
  raft.pendingConfIndex = last;
  appendOwn(raft, [{ type: ENTRY_TYPE.normal, data: new Uint8Array(0) }]);
  sendAppends(raft);
}

export function propose(raft: RaftState, entries: readonly Pick<Entry, 'type' | 'data'>[]): void {
  if (raft.role !== 'leader') {
    if (raft.leader === 0 || entries.length === 0) return;
    const asked = entries.map(({ type, data }) => ({ type, data, term: 0, index: 0 }));
    raft.send({ type: MESSAGE_TYPE.propose, to: raft.leader, entries: asked });
    return;
  }
  if (!raft.members.isVoter(raft.id)) return;
  appendOwn(raft, entries);
  sendAppends(raft);
}

function appendOwn(raft: RaftState, entries: readonly Pick<Entry, 'type' | 'data'>[]): void {
  let index = raft.log.lastIndex;
  const own: Entry[] = [];
  for (const { type, data } of entries) {
    index++;
    const isChange = type === ENTRY_TYPE.confChange;
    const isRefused = isChange && raft.pendingConfIndex > raft.log.applied;
    if (isChange && !isRefused) raft.pendingConfIndex = index;
    // As in GoQuorum, a change that is proposed too early becomes an empty entry.
    own.push(
      isRefused
        ? { type: ENTRY_TYPE.normal, data: new Uint8Array(0), term: raft.term, index }
        : { type, data, term: raft.term, index },
    );
  }
  raft.log.append(own);
  raft.members.progressOf(raft.id)?.acknowledge(index);
  tryCommit(raft);
}

function tryCommit(raft: RaftState): boolean {
  const index = raft.members.quorumIndex();
  // Only entries of the leader's own term are committed by counting; older ones follow with them
  // (Raft §5.4.2).
  if (index <= raft.log.committed || raft.log.term(index) !== raft.term) return false;
  raft.log.commitTo(index);
  return true;
}

export function hearMember(
  raft: RaftState,
  { type, from, index, reject, rejectHint }: RaftMessage,
): void {
  const progress = raft.members.progressOf(from);
  if (!progress) return;
  if (type === MESSAGE_TYPE.heartbeatResponse) {
    progress.heard();
    if (progress.match < raft.log.lastIndex) sendAppend(raft, from, progress);
    return;
  }
  progress.isRecentlyActive = true;
  if (reject) {
    if (progress.reject(index, rejectHint)) sendAppend(raft, from, progress);
    return;
  }
  if (index > raft.log.lastIndex) return;
  const wasPaused = progress.isPaused;
  if (!progress.acknowledge(index)) return;
  if (tryCommit(raft)) sendAppends(raft);
  else if (wasPaused || progress.next <= raft.log.lastIndex) sendAppend(raft, from, progress);
}

function sendAppends(raft: RaftState): void {
  for (const [id, progress] of raft.members.othersThan(raft.id)) sendAppend(raft, id, progress);
}

function sendAppend(raft: RaftState, to: number, progress: Progress): void {
  if (progress.isPaused) return;
  const { log } = raft;
  const logTerm = log.term(progress.next - 1);
  if (logTerm === undefined) {
    sendSnapshot(raft, to, progress);
    return;
  }
  const last = Math.min(log.lastIndex, progress.next + ENTRIES_MAX - 1);
  const entries = log.slice(progress.next, last, APPEND_BYTES_MAX);
  const index = progress.next - 1;
  progress.sent(index + entries.length, entries.length === 0);
  raft.send({
    type: MESSAGE_TYPE.append,
    to,
    index,
    logTerm,
    entries,
    commit: log.committed,
  });
}

function sendSnapshot(raft: RaftState, to: number, progress: Progress): void {
  const { snapshot } = raft.log;
  // The member must be alive, or the snapshot would be lost.
  if (!progress.isRecentlyActive || snapshot.index === 0) return;
  progress.becomeSnapshot(snapshot.index);
  raft.send({ type: MESSAGE_TYPE.snapshot, to, snapshot });
}

function sendHeartbeat(raft: RaftState, to: number, progress: Progress): void {
  // An entry that may differ in the member's log must not be reported as committed.
  const commit = Math.min(progress.match, raft.log.committed);
  raft.send({ type: MESSAGE_TYPE.heartbeat, to, commit });
}

/** A tick of the leader's clock. It steps down when it no longer hears a quorum. */
export function tickLeader(raft: RaftState): void {
  if (raft.electionElapsed >= ELECTION_TICKS) {
    raft.electionElapsed = 0;
    if (!raft.members.hadActiveQuorum(raft.id)) {
      raft.becomeFollower(raft.term, 0);
      return;
    }
  }
  for (const [id, progress] of raft.members.othersThan(raft.id)) sendHeartbeat(raft, id, progress);
}

/** A member has left: the quorum may have become smaller. */
export function memberLeft(raft: RaftState, id: number): void {
  if (id === raft.id) raft.becomeFollower(raft.term, 0);
  else if (tryCommit(raft)) sendAppends(raft);
}
