/**
 * In a Raft cluster, a node that the contracts deactivate or denylist is no longer a member
 * (GoQuorum permission/core/types/backend.go DisconnectNode). Every member except the node
 * itself proposes the removal; repeated removals have no effect. To return, the node must be active
 * again and needs a new id (`raft_addPeer`).
 */
import { bareHex } from '../../../../core/base/hex.ts';
import type { Log } from '../../../../core/base/ports.ts';
import { NodeChanges } from '../../../../core/permission/node-changes.ts';
import { NODE_STATUS } from '../../../../core/permission/records.ts';
import type { RaftParticipation } from '../consensus/raft-participation.ts';
import type { NetworkPermissions } from './network-permissions.ts';

const CUT_OFF: readonly number[] = [NODE_STATUS.deactivated, NODE_STATUS.blacklisted];

export function removeFromCluster(
  permissions: NetworkPermissions,
  raft: Pick<RaftParticipation, 'cluster' | 'isFetching' | 'remove'>,
  log: Log,
): void {
  const changes = new NodeChanges();
  const take = () => changes.take(permissions.registry.nodes.all());
  take();
  permissions.onChange(() => {
    const cutOff = take().filter(({ status }) => CUT_OFF.includes(status));
    // These blocks are older than the snapshot whose members apply: the node may have returned
    // since.
    if (raft.isFetching) return;
    for (const { id, url } of cutOff) {
      const member = raft.cluster.members().find(({ nodeId }) => bareHex(nodeId) === id);
      if (!member || member.raftId === raft.cluster.self) continue;
      const { raftId } = member;
      log('info', 'Removing a node from the cluster: the contracts have cut it off', {
        ...{ 'raft id': raftId, url },
      });
      raft.remove(raftId).catch((error: Error) => {
        log('warn', 'A node could not be removed from the cluster', {
          ...{ 'raft id': raftId, url, err: error.message },
        });
      });
    }
  });
}
