/** How a member handles messages of its leader. */
import { Members } from './members.ts';
import { MESSAGE_TYPE, type RaftMessage } from './messages.ts';
import type { RaftState } from './raft-state.ts';

const FORKED =
  "the leader's entries contradict entries that are committed here: this data folder, or the leader's, is of another cluster or was restored from a backup";

export function follow(raft: RaftState, message: RaftMessage): void {
  const { type, from } = message;
  // A term has one leader: a second leader belongs to another cluster, or has lost its disk.
  if (raft.role === 'leader') return;
  if (raft.role !== 'follower') raft.becomeFollower(raft.term, from);
  raft.electionElapsed = 0;
  raft.leader = from;
  if (type === MESSAGE_TYPE.append) followAppend(raft, message);
  else if (type === MESSAGE_TYPE.snapshot) followSnapshot(raft, message);
  else {
    raft.log.commitTo(message.commit);
    raft.send({ type: MESSAGE_TYPE.heartbeatResponse, to: from, context: message.context });
  }
}

function followAppend(
  raft: RaftState,
  { from, index, logTerm, commit, entries }: RaftMessage,
): void {
  const { log } = raft;
  const answer = (parts: Partial<RaftMessage>) =>
    raft.send({ type: MESSAGE_TYPE.appendResponse, to: from, ...parts });
  if (index < log.committed) {
    answer({ index: log.committed });
    return;
  }
  // Decoded messages are untrusted: entries must be consecutive.
  if (entries.some((entry, at) => entry.index !== index + 1 + at)) return;
  const last = log.accept(index, logTerm, commit, entries);
  if (last === 'contradiction') raft.fault = FORKED;
  else if (last === 'behind') answer({ index, reject: true, rejectHint: log.lastIndex });
  else answer({ index: last });
}

function followSnapshot(raft: RaftState, { from, snapshot }: RaftMessage): void {
  const isNewer = snapshot.index > raft.log.committed;
  if (isNewer && raft.log.term(snapshot.index) === snapshot.term) {
    raft.log.commitTo(snapshot.index);
  } else if (isNewer) {
    raft.log.restore(snapshot);
    raft.received = snapshot;
    raft.members = new Members(snapshot.confState, raft.id, snapshot.index);
  }
  raft.send({ type: MESSAGE_TYPE.appendResponse, to: from, index: raft.log.committed });
}
