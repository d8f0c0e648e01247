/** One node, or several beside each other: its work, its clients, its peers and its machine. */
import { type Dashboard, graph, type Panel, type Query, stat } from './panels.ts';

const I = 'instance=~"$instance"';
const NS = { unit: 'ns' } as const;
const BPS = { unit: 'Bps' } as const;

/** A duration of geth's: its median, and the time that 95 of 100 do not exceed. */
function duration(title: string, about: string, name: string): Panel {
  return graph(
    title,
    about,
    [
      { expr: `${name}{quantile="0.5", ${I}}`, legend: '{{instance}} median' },
      { expr: `${name}{quantile="0.95", ${I}}`, legend: '{{instance}} 95 %' },
    ],
    NS,
  );
}

const rate = (name: string, legend: string): Query => ({
  expr: `rate(${name}{${I}}[1m])`,
  legend: `{{instance}} ${legend}`,
});

export const NODE: Dashboard = {
  uid: 'quorate-node',
  title: 'Quorate: node',
  about: 'Blocks, pool, JSON-RPC, peers, private state and machine of a node',
  instancesOf: 'chain_head_block',
  rows: [
    {
      title: 'State',
      panels: [
        stat('Head', 'Number of the last block', `max(chain_head_block{${I}})`),
        stat('Peers', 'Connected', `min(p2p_peers{${I}})`, {
          thresholds: { orange: 2, red: 1, low: true },
        }),
        stat('Pending', 'Transactions that can be executed', `sum(txpool_pending{${I}})`),
        stat(
          'Private state behind',
          'Blocks: it follows when the manager answers',
          `max(quorate_private_behind_blocks{${I}})`,
          { thresholds: { orange: 5, red: 50 } },
        ),
        stat('Manager', '1: it answers', `min(quorate_private_manager_up{${I}})`, {
          thresholds: { orange: 1, red: 1, low: true },
        }),
        stat(
          'Node key',
          '1: the proxy that has it signs. No data: the key is on the disk',
          `min(quorate_nodekey_up{${I}})`,
          { thresholds: { orange: 1, red: 1, low: true } },
        ),
        stat(
          'Free disk',
          'Of the data folder',
          `min(quorate_disk_free_bytes{${I}} / quorate_disk_size_bytes{${I}})`,
          { unit: 'percentunit', thresholds: { orange: 0.2, red: 0.1, low: true } },
        ),
      ],
    },
    {
      title: 'Blocks',
      panels: [
        duration('Execution', 'Of a block, with its state root', 'chain_execution'),
        duration('Validation', 'Of a block', 'chain_validation'),
        duration('Writing', 'Of a block, until it is on disk', 'chain_write'),
        duration('From decision to disk', 'Of a block', 'chain_inserts'),
        graph('Gas of the last block', 'Used', [{ expr: `quorate_block_gasused{${I}}` }]),
        graph(
          'Transactions per second',
          'All, and private ones',
          [rate('quorate_transactions', 'all'), rate('quorate_private_transactions', 'private')],
          { unit: 'reqps' },
        ),
      ],
    },
    {
      title: 'Transaction pool',
      panels: [
        graph('Transactions', 'That can be executed, that wait behind a gap, from clients', [
          { expr: `txpool_pending{${I}}`, legend: '{{instance}} pending' },
          { expr: `txpool_queued{${I}}`, legend: '{{instance}} queued' },
          { expr: `txpool_local{${I}}`, legend: '{{instance}} local' },
        ]),
        graph('Offered per second', 'What happened to transactions that came', [
          rate('txpool_valid', 'valid'),
          rate('txpool_invalid', 'invalid'),
          rate('txpool_known', 'known'),
          rate('txpool_underpriced', 'underpriced'),
          rate('txpool_overflowed', 'overflowed'),
        ]),
        graph('Left the pool without a block, per second', 'Why', [
          rate('txpool_pending_replace', 'replaced'),
          rate('txpool_pending_ratelimit', 'limit'),
          rate('txpool_pending_nofunds', 'no funds'),
          rate('txpool_queued_eviction', 'waited too long'),
        ]),
      ],
    },
    {
      title: 'JSON-RPC',
      panels: [
        graph(
          'Calls per second',
          'By outcome',
          [rate('rpc_success', 'success'), rate('rpc_failure', 'failure')],
          { unit: 'reqps' },
        ),
        duration('Duration', 'Of all calls', 'rpc_duration_all'),
        graph(
          'Slowest methods',
          'The time that 95 of 100 calls do not exceed',
          [
            {
              expr: `topk(10, {__name__=~"rpc_duration_.+_success", quantile="0.95", ${I}})`,
              legend: '{{instance}} {{__name__}}',
            },
          ],
          NS,
        ),
      ],
    },
    {
      title: 'Peers',
      panels: [
        graph('Peers', 'Connected', [{ expr: `p2p_peers{${I}}` }]),
        graph(
          'Traffic',
          'From and to peers',
          [rate('p2p_ingress', 'in'), rate('p2p_egress', 'out')],
          BPS,
        ),
        graph('Connections per second', 'Opened by this node, and by others', [
          rate('p2p_dials', 'opened'),
          rate('p2p_serves', 'accepted'),
        ]),
      ],
    },
    {
      title: 'Private state',
      panels: [
        graph('Behind', 'Blocks', [{ expr: `quorate_private_behind_blocks{${I}}` }], {
          thresholds: { orange: 5, red: 50 },
        }),
        graph('Diverged', '1: it differs from other parties', [
          { expr: `quorate_private_diverged{${I}}` },
        ]),
        graph('Payloads missing and lost', 'docs/operation.md', [
          { expr: `quorate_private_payloads_missing{${I}}`, legend: '{{instance}} missing' },
          { expr: `quorate_private_payloads_lost{${I}}`, legend: '{{instance}} lost' },
        ]),
      ],
    },
    {
      title: 'Disk',
      panels: [
        graph(
          'Read',
          'Index and block log',
          [
            rate('eth_db_chaindata_disk_read', 'index'),
            rate('eth_db_chaindata_ancient_read', 'blocks'),
          ],
          BPS,
        ),
        graph(
          'Written',
          'Index and block log',
          [
            rate('eth_db_chaindata_disk_write', 'index'),
            rate('eth_db_chaindata_ancient_write', 'blocks'),
          ],
          BPS,
        ),
        graph(
          'Size',
          'Index and block log',
          [
            { expr: `eth_db_chaindata_disk_size{${I}}`, legend: '{{instance}} index' },
            { expr: `eth_db_chaindata_ancient_size{${I}}`, legend: '{{instance}} blocks' },
          ],
          { unit: 'bytes' },
        ),
      ],
    },
    {
      title: 'Machine',
      panels: [
        graph(
          'Processor',
          '100 % is a core',
          [
            { expr: `system_cpu_procload{${I}}`, legend: '{{instance}} process' },
            { expr: `system_cpu_sysload{${I}}`, legend: '{{instance}} machine' },
            { expr: `system_cpu_syswait{${I}}`, legend: '{{instance}} waiting for disks' },
          ],
          { unit: 'percent' },
        ),
        graph(
          'Memory',
          'Live objects, and the whole process',
          [
            { expr: `system_memory_used{${I}}`, legend: '{{instance}} objects' },
            { expr: `system_memory_held{${I}}`, legend: '{{instance}} process' },
          ],
          { unit: 'bytes' },
        ),
        graph(
          'Garbage collection',
          'Share of time in which it stopped everything else',
          [{ expr: `rate(system_memory_pauses{${I}}[1m]) / 1e9` }],
          { unit: 'percentunit' },
        ),
        graph(
          'Lag of threads',
          'How long they were blocked in the last second',
          [
            { expr: `quorate_consensus_lag_ms{${I}}`, legend: '{{instance}} agreement' },
            { expr: `quorate_chain_lag_ms{${I}}`, legend: '{{instance}} chain' },
          ],
          { unit: 'ms', thresholds: { orange: 250, red: 1000 } },
        ),
        graph(
          'Disk of the process',
          'Read and written',
          [rate('system_disk_readbytes', 'read'), rate('system_disk_writebytes', 'written')],
          BPS,
        ),
        graph('Threads', 'Of the process', [{ expr: `system_cpu_threads{${I}}` }]),
      ],
    },
  ],
};
