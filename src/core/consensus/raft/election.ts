/**
 * Elections: votes are requested, given and counted, first without starting a term (pre-vote), then
 * for real.
 */
import { becomeLeader } from './leader.ts';
import { MESSAGE_TYPE, type RaftMessage } from './messages.ts';
import { ELECTION_TICKS, type RaftState } from './raft-state.ts';

export function campaign(raft: RaftState, role: 'preCandidate' | 'candidate'): void {
  const isPreVote = role === 'preCandidate';
  if (isPreVote) {
    raft.votes = new Map();
    raft.drawElectionTimeout();
  } else {
    raft.reset(raft.term + 1);
    raft.votedFor = raft.id;
  }
  raft.role = role;
  raft.leader = 0;
  raft.votes.set(raft.id, true);
  if (raft.members.quorum === 1) {
    elected(raft);
    return;
  }
  for (const id of raft.members.voterIds) {
    if (id === raft.id) continue;
    raft.send({
      type: isPreVote ? MESSAGE_TYPE.preVote : MESSAGE_TYPE.vote,
      to: id,
      term: isPreVote ? raft.term + 1 : raft.term,
      index: raft.log.lastIndex,
      logTerm: raft.log.lastTerm,
    });
  }
}

function elected(raft: RaftState): void {
  if (raft.role === 'preCandidate') campaign(raft, 'candidate');
  else becomeLeader(raft);
}

export function countVote(raft: RaftState, from: number, isGranted: boolean): void {
  if (!raft.members.isVoter(from)) return;
  if (!raft.votes.has(from)) raft.votes.set(from, isGranted);
  const granted = [...raft.votes.values()].filter(Boolean).length;
  if (granted >= raft.members.quorum) elected(raft);
  else if (raft.votes.size - granted >= raft.members.quorum) raft.becomeFollower(raft.term, 0);
}

export function judgeVote(
  raft: RaftState,
  { type, from, term, index, logTerm }: RaftMessage,
): void {
  const isPreVote = type === MESSAGE_TYPE.preVote;
  const responseType = isPreVote ? MESSAGE_TYPE.preVoteResponse : MESSAGE_TYPE.voteResponse;
  // A member that hears its leader refuses pre-votes, but not votes: members running GoQuorum have
  // no pre-vote and could never return.
  const isLeaderAlive = isPreVote && raft.leader !== 0 && raft.electionElapsed < ELECTION_TICKS;
  const isFree = raft.votedFor === 0 || raft.votedFor === from || (isPreVote && term > raft.term);
  if (isFree && !isLeaderAlive && raft.log.isUpToDate(index, logTerm)) {
    raft.send({ type: responseType, to: from, term });
    if (isPreVote) return;
    raft.electionElapsed = 0;
    raft.votedFor = from;
  } else {
    raft.send({ type: responseType, to: from, term: raft.term, reject: true });
  }
}
