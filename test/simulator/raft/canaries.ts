/** Planted bugs: each must be found by the checkers, or the simulator proves nothing. */
import type { Raft } from '../../../src/core/consensus/raft/raft.ts';
import type { RaftState } from '../../../src/core/consensus/raft/raft-state.ts';
import type { RaftCanary } from './world.ts';

/** Overrides a member of a class, in one instance. */
function override(target: object, name: string, descriptor: PropertyDescriptor): void {
  if (!(name in target)) throw new Error(`there is no ${name}`);
  Object.defineProperty(target, name, { ...descriptor, configurable: true });
}

function stateOf(raft: Raft): RaftState {
  return (raft as unknown as { state: RaftState }).state;
}

export const RAFT_CANARIES: readonly RaftCanary[] = [
  {
    name: 'raft-small-quorum',
    plant: (raft) =>
      override(stateOf(raft).members, 'quorum', {
        get: () => Math.max(1, Math.floor(raft.confState().nodes.length / 2)),
      }),
  },
  {
    name: 'raft-second-vote',
    plant: (raft) => override(stateOf(raft), 'votedFor', { get: () => 0, set: () => {} }),
  },
  {
    name: 'raft-stale-log-elected',
    plant: (raft) => override(raft.log, 'isUpToDate', { value: () => true }),
  },
  { name: 'raft-unsynced-log', isUnsynced: true },
];
