/** The whole network at a glance: does it make blocks, who misses turns, who is behind. */
import { type Dashboard, graph, stat, table } from './panels.ts';

const I = 'instance=~"$instance"';

export const NETWORK: Dashboard = {
  uid: 'quorate-network',
  title: 'Quorate: network',
  about: 'The chain, agreement and private state of all nodes',
  instancesOf: 'chain_head_block',
  rows: [
    {
      title: 'Chain',
      panels: [
        stat('Head', 'The highest block of any node', `max(chain_head_block{${I}})`),
        stat(
          'Nodes behind',
          'Nodes more than 5 blocks behind the highest one',
          `count(max(chain_head_block{${I}}) - on() group_right() chain_head_block{${I}} > 5) or vector(0)`,
          { thresholds: { orange: 1, red: 2 } },
        ),
        stat(
          'Block time',
          'Seconds per block, over five minutes',
          `1 / max(rate(chain_head_block{${I}}[5m]))`,
          { unit: 's' },
        ),
        stat(
          'Next block late by',
          'QBFT and IBFT: since the next block was due. The chain stalls when it grows',
          `max(quorate_chain_late_seconds{${I}})`,
          { unit: 's', thresholds: { orange: 10, red: 60 } },
        ),
        stat(
          'Transactions',
          'Transactions per second in blocks, over a minute',
          `max(rate(quorate_transactions{${I}}[1m]))`,
          { unit: 'reqps' },
        ),
        stat('Nodes', 'Nodes that are scraped', `count(chain_head_block{${I}})`),
        graph('Head by node', 'Lines that part: a node does not follow', [
          { expr: `chain_head_block{${I}}` },
        ]),
        graph(
          'Blocks behind the highest',
          'Of each node',
          [{ expr: `max(chain_head_block{${I}}) - on() group_right() chain_head_block{${I}}` }],
          { thresholds: { orange: 5, red: 50 } },
        ),
        graph(
          'Transactions per second',
          'All, and private ones',
          [
            { expr: `max(rate(quorate_transactions{${I}}[1m]))`, legend: 'all' },
            { expr: `max(rate(quorate_private_transactions{${I}}[1m]))`, legend: 'private' },
          ],
          { unit: 'reqps' },
        ),
      ],
    },
    {
      title: 'Agreement: QBFT and IBFT',
      panels: [
        stat('Validators', 'Of the next block', `max(quorate_consensus_validators{${I}})`),
        stat(
          'Validators scraped and voting',
          'Nodes that are validators and do not abstain',
          `sum(quorate_consensus_validating{${I}} - quorate_consensus_abstaining{${I}})`,
        ),
        stat(
          'Round',
          'The highest round of any node: 0 when all is well',
          `max(quorate_consensus_round{${I}})`,
          { thresholds: { orange: 1, red: 3 } },
        ),
        stat(
          'Rounds that failed',
          'Over an hour, at the node that saw most',
          `max(increase(quorate_consensus_round_changes{${I}}[1h]))`,
          { thresholds: { orange: 1, red: 20 } },
        ),
        stat(
          'Time to commit',
          'From a proposal to its block on disk, median of the slowest node',
          `max(quorate_consensus_commit{quantile="0.5", ${I}})`,
          { unit: 'ns' },
        ),
        stat(
          'Abstaining',
          'Validators whose vote file is not complete',
          `sum(quorate_consensus_abstaining{${I}})`,
          { thresholds: { orange: 1, red: 1 } },
        ),
        graph('Round changes per minute', 'Of each node', [
          { expr: `rate(quorate_consensus_round_changes{${I}}[5m]) * 60` },
        ]),
        graph('Missed turns per hour, by validator', 'Rounds whose proposer made no block', [
          {
            expr: `max by (validator) (increase(quorate_consensus_missed_turns{${I}}[1h]))`,
            legend: '{{validator}}',
          },
        ]),
        graph(
          'Time to commit, 95 %',
          'From a proposal to its block on disk',
          [{ expr: `quorate_consensus_commit{quantile="0.95", ${I}}` }],
          { unit: 'ns' },
        ),
        graph(
          'Lag of the agreement thread',
          'How long it was blocked in the last second',
          [{ expr: `quorate_consensus_lag_ms{${I}}` }],
          { unit: 'ms', thresholds: { orange: 250, red: 1000 } },
        ),
        table(
          'Missed turns since the start, by validator',
          'As the node that counted most sees it',
          `max by (validator) (quorate_consensus_missed_turns{${I}})`,
          { width: 8, thresholds: { orange: 1, red: 10 } },
        ),
        graph('Votes on disk per second', 'Of each validator', [
          { expr: `rate(quorate_consensus_votes{${I}}[1m])` },
        ]),
      ],
    },
    {
      title: 'Raft',
      panels: [
        stat(
          'Members that know no leader',
          'More than half: no blocks are minted',
          `count(quorate_raft_leader{${I}} == 0) or vector(0)`,
          { thresholds: { orange: 1, red: 2 } },
        ),
        stat('Leader', 'Its raft id', `max(quorate_raft_leader{${I}})`),
        stat('Term', 'It grows with each election', `max(quorate_raft_term{${I}})`),
        stat('Members', 'Of the cluster', `max(quorate_raft_members{${I}})`),
        graph('Applied index', 'Last entry of the log that the chain has', [
          { expr: `quorate_raft_applied_index{${I}}` },
        ]),
        graph('Elections per hour', 'Growth of the term', [
          { expr: `increase(quorate_raft_term{${I}}[1h])` },
        ]),
        graph('Links to other members', 'Of each member', [{ expr: `quorate_raft_links{${I}}` }]),
      ],
    },
    {
      title: 'Peers, private state, machines',
      panels: [
        graph('Peers', 'Of each node', [{ expr: `p2p_peers{${I}}` }]),
        graph('Private state behind', 'Blocks', [{ expr: `quorate_private_behind_blocks{${I}}` }], {
          thresholds: { orange: 5, red: 50 },
        }),
        graph('Manager answers', '1: the private transaction manager answers its node', [
          { expr: `quorate_private_manager_up{${I}}` },
        ]),
        graph('Transactions in the pool', 'That can be executed', [
          { expr: `txpool_pending{${I}}` },
        ]),
        graph(
          'Processor',
          'Of each process: 100 % is a core',
          [{ expr: `system_cpu_procload{${I}}` }],
          { unit: 'percent' },
        ),
        graph(
          'Free disk',
          'Of the data folder',
          [{ expr: `quorate_disk_free_bytes{${I}} / quorate_disk_size_bytes{${I}}` }],
          { unit: 'percentunit', thresholds: { orange: 0.2, red: 0.1, low: true } },
        ),
      ],
    },
  ],
};
