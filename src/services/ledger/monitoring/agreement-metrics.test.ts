/** Metrics of agreement in networks over virtual links and time. */
import { afterEach, expect, it } from 'vitest';
import { RaftNetwork } from '../../../../test/support/raft-network.ts';
import { TOPOLOGY, ValidatorNetwork } from '../../../../test/support/validator-network.ts';
import { GENESIS } from '../../../../test/support/validator-transfers.ts';
import { MetricsRegistry } from '../../../io/telemetry/metrics.ts';
import { watchAgreement } from './agreement-metrics.ts';
import { watchRaft } from './raft-metrics.ts';

const LOST = TOPOLOGY.nodes[3]!;

let network: ValidatorNetwork | RaftNetwork;
afterEach(() => network.stop());

it.each([
  ['in this thread', false],
  ['in a thread of its own', true],
])('a validator that is gone misses its turns, and rounds change: %s', async (_, isApart) => {
  const qbft = new ValidatorNetwork(GENESIS);
  network = qbft;
  await qbft.start(4, () => ({ isApart }));
  const [first] = qbft.nodes;
  const metrics = new MetricsRegistry();
  watchAgreement(metrics, first!, { votesWritten: () => 7, nowMs: () => qbft.time.nowMs() });
  await qbft.reach(3);
  const before = metrics.snapshot();
  expect(before.quorate_consensus_validators).toBe(4);
  expect(before.quorate_consensus_validating).toBe(1);
  expect(before.quorate_consensus_abstaining).toBe(0);
  expect(before.quorate_consensus_votes).toBe(7);
  expect(before.quorate_chain_late_seconds).toBeLessThan(2);
  await qbft.nodes.pop()!.stop();
  await qbft.reach(14);
  await qbft.until(() => metrics.snapshot().quorate_consensus_height! >= 15, 'the next height');
  const after = metrics.snapshot();
  const missed = (address: string) =>
    after[`quorate_consensus_missed_turns{validator="${address}"}`];
  expect(missed(LOST.address)).toBeGreaterThanOrEqual(2);
  for (const { address } of TOPOLOGY.nodes.slice(0, 3)) expect(missed(address)).toBeLessThan(2);
  const changes = (of: Record<string, number>) => of.quorate_consensus_round_changes!;
  expect(changes(after) - changes(before)).toBeGreaterThanOrEqual(2);
  expect(after.consensus_istanbul_qbft_core_round).toBe(changes(after));
  expect(after.consensus_istanbul_qbft_core_sequence).toBeGreaterThanOrEqual(11);
  expect(after.consensus_istanbul_qbft_core_consensus_count).toBeGreaterThanOrEqual(10);
  expect(after.quorate_consensus_commit_mean).toBeGreaterThan(0);
  // Now there is no quorum either: the round increases, and the next block is late.
  await qbft.nodes.pop()!.stop();
  await qbft.until(() => metrics.snapshot().quorate_consensus_round! >= 2, 'round 2');
  expect(metrics.snapshot().quorate_chain_late_seconds).toBeGreaterThan(2);
  expect(metrics.exposition()).toMatch(
    new RegExp(`^quorate_consensus_missed_turns \\{validator="${LOST.address}"\\} [1-9]`, 'm'),
  );
});

it('a member of a Raft cluster tells its leader, term and log', async () => {
  const raft = new RaftNetwork(false);
  network = raft;
  await raft.start();
  const minter = await raft.minter();
  const [of, other] = [minter, raft.nodes.find((each) => each !== minter)!].map((node) => {
    const metrics = new MetricsRegistry();
    watchAgreement(metrics, node);
    watchRaft(metrics, node);
    return () => metrics.snapshot();
  });
  await raft.mine(3);
  const { self } = minter.raft!.cluster;
  expect(of!()).toMatchObject({
    ...{ quorate_raft_leader: self, quorate_raft_minting: 1, quorate_raft_members: 3 },
    ...{ quorate_raft_links: 2, quorate_raft_removed: 0, quorate_raft_id: self },
  });
  expect(of!().quorate_raft_term).toBeGreaterThan(0);
  expect(of!().quorate_raft_applied_index).toBeGreaterThanOrEqual(3);
  expect(other!()).toMatchObject({ quorate_raft_leader: self, quorate_raft_minting: 0 });
  expect(of!()).not.toHaveProperty('quorate_consensus_height');
});
