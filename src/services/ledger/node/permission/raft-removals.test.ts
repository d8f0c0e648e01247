import { expect, it } from 'vitest';
import { fromHex } from '../../../../core/base/hex.ts';
import { NODE_STATUS } from '../../../../core/permission/records.ts';
import type { RaftParticipation } from '../consensus/raft-participation.ts';
import type { NetworkPermissions } from './network-permissions.ts';
import { removeFromCluster } from './raft-removals.ts';

const idOf = (raftId: number) => raftId.toString(16).repeat(128);

/**
 * A cluster of three, of which this is the first member, in a network whose contracts contain all
 * three.
 */
function clusterOf() {
  const statuses = [NODE_STATUS.approved, NODE_STATUS.approved, NODE_STATUS.approved] as number[];
  const listeners: (() => void)[] = [];
  const removed: number[] = [];
  const permissions = {
    registry: {
      nodes: {
        all: () => statuses.map((status, at) => ({ id: idOf(at + 1), url: `n${at + 1}`, status })),
      },
    },
    onChange: (listener: () => void) => listeners.push(listener),
  };
  const raft = {
    isFetching: false,
    cluster: {
      self: 1,
      members: () => [1, 2, 3].map((raftId) => ({ raftId, nodeId: fromHex(`0x${idOf(raftId)}`) })),
    },
    remove: async (raftId: number) => void removed.push(raftId),
  };
  removeFromCluster(
    permissions as unknown as NetworkPermissions,
    raft as unknown as RaftParticipation,
    () => {},
  );
  const change = (raftId: number, status: number) => {
    statuses[raftId - 1] = status;
    for (const listener of listeners) listener();
  };
  return { raft, removed, change };
}

it('removes who is deactivated or denylisted, once, and never itself', () => {
  const { removed, change } = clusterOf();
  change(2, NODE_STATUS.deactivated);
  change(1, NODE_STATUS.deactivated);
  change(3, NODE_STATUS.blacklisted);
  change(3, NODE_STATUS.recovering);
  expect(removed).toEqual([2, 3]);
});

it('does not go by blocks from before the members that a snapshot named', () => {
  const { raft, removed, change } = clusterOf();
  raft.isFetching = true;
  change(2, NODE_STATUS.deactivated);
  change(2, NODE_STATUS.approved);
  raft.isFetching = false;
  change(3, NODE_STATUS.deactivated);
  expect(removed).toEqual([3]);
});
