/** Metrics of a member of a Raft cluster. GoQuorum has none (raft/). */
import type { MetricsRegistry } from '../../../io/telemetry/metrics.ts';
import type { LedgerNode } from '../node/compose.ts';

/** Does nothing on a chain of another engine. */
export function watchRaft(metrics: MetricsRegistry, { raft }: Pick<LedgerNode, 'raft'>): void {
  if (!raft) return;
  const { self } = raft.cluster;
  metrics.probe('quorate/raft/id', () => self);
  metrics.probe('quorate/raft/term', () => raft.standing.term);
  // Raft id of the leader; 0: the cluster has none, or this member does not know it.
  metrics.probe('quorate/raft/leader', () => raft.standing.leader);
  metrics.probe('quorate/raft/minting', () => Number(raft.standing.role === 'leader'));
  metrics.probe('quorate/raft/applied/index', () => raft.applied);
  metrics.probe('quorate/raft/members', () => raft.cluster.members().length);
  metrics.probe(
    'quorate/raft/links',
    () => raft.standing.active.filter((id) => id !== self).length,
  );
  metrics.probe('quorate/raft/removed', () => Number(raft.isRemoved));
}
