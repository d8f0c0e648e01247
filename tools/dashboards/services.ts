/** The services beside the nodes: what they answer, what waits, what fails. */
import { type Dashboard, graph, type Panel, type Row, stat } from './panels.ts';

const I = 'instance=~"$instance"';

/** The time that 95 of 100 requests do not exceed, from a histogram. */
function latency(name: string, by: string): string {
  return `histogram_quantile(0.95, sum by (le, ${by}) (rate(${name}_bucket{${I}}[5m])))`;
}

function requests(service: string): Panel[] {
  const total = `${service}_http_requests_total`;
  return [
    graph(
      'Requests per second',
      'By status',
      [{ expr: `sum by (status) (rate(${total}{${I}}[1m]))`, legend: '{{status}}' }],
      { unit: 'reqps' },
    ),
    graph(
      'Failed requests per second',
      'Status 5xx, by route',
      [
        {
          expr: `sum by (route) (rate(${total}{status=~"5..", ${I}}[5m])) or vector(0)`,
          legend: '{{route}}',
        },
      ],
      { unit: 'reqps' },
    ),
    graph(
      'Duration, 95 %',
      'By route',
      [
        {
          expr: latency(`${service}_http_request_duration_seconds`, 'route'),
          legend: '{{route}}',
        },
      ],
      { unit: 's' },
    ),
  ];
}

const freeDisk = stat(
  'Free disk',
  'Of the data folder',
  `min(quorate_disk_free_bytes{${I}} / quorate_disk_size_bytes{${I}})`,
  { unit: 'percentunit', thresholds: { orange: 0.2, red: 0.1, low: true } },
);

/** Of services other than the manager, which has those of a node. */
const PROCESS: Row = {
  title: 'Process',
  panels: [
    graph('Processor', 'Share of a core', [{ expr: `rate(process_cpu_seconds_total{${I}}[1m])` }], {
      unit: 'percentunit',
    }),
    graph('Memory', 'Of the process', [{ expr: `process_resident_memory_bytes{${I}}` }], {
      unit: 'bytes',
    }),
    graph('Open files', 'And connections', [{ expr: `process_open_fds{${I}}` }]),
  ],
};

export const MANAGER: Dashboard = {
  uid: 'quorate-manager',
  title: 'Quorate: private transaction manager',
  about: 'Payloads, peers and requests of private transaction managers',
  instancesOf: 'ptm_peers',
  rows: [
    {
      title: 'State',
      panels: [
        stat('Peers', 'Managers that are known', `min(ptm_peers{${I}})`),
        stat('Payloads', 'In the embedded store', `sum(ptm_payloads_stored{${I}})`),
        stat('Store', 'Size', `sum(ptm_store_bytes{${I}})`, { unit: 'bytes' }),
        stat('Owed', 'Payloads that wait for a peer that is away', `sum(ptm_payloads_owed{${I}})`, {
          thresholds: { orange: 1, red: 1000 },
        }),
        stat(
          'Missing',
          'Payloads that peers list as ours, but nobody supplies',
          `sum(ptm_payloads_missing{${I}})`,
          { thresholds: { orange: 1, red: 1 } },
        ),
        freeDisk,
      ],
    },
    {
      title: 'Payloads',
      panels: [
        graph('Pushed and failed, per second', 'To peers', [
          { expr: `rate(ptm_payloads_pushed_total{${I}}[1m])`, legend: '{{instance}} pushed' },
          { expr: `rate(ptm_push_failures_total{${I}}[1m])`, legend: '{{instance}} failed' },
        ]),
        graph('Owed', 'Payloads, and recipients', [
          { expr: `ptm_payloads_owed{${I}}`, legend: '{{instance}} payloads' },
          { expr: `ptm_recipients_owed{${I}}`, legend: '{{instance}} recipients' },
        ]),
        graph('Resent and fetched, per second', 'To peers that are back; from peers', [
          { expr: `rate(ptm_payloads_resent_total{${I}}[5m])`, legend: '{{instance}} resent' },
          { expr: `rate(ptm_payloads_fetched_total{${I}}[5m])`, legend: '{{instance}} fetched' },
        ]),
        graph('Asked for by nodes, per second', 'By answer', [
          { expr: `rate(ptm_asked_held_total{${I}}[1m])`, legend: '{{instance}} held' },
          { expr: `rate(ptm_asked_not_held_total{${I}}[1m])`, legend: '{{instance}} not held' },
          { expr: `rate(ptm_asked_not_ours_total{${I}}[1m])`, legend: '{{instance}} not ours' },
          { expr: `rate(ptm_asked_damaged_total{${I}}[1m])`, legend: '{{instance}} damaged' },
        ]),
        graph('Peers', 'Known, and those whose list of payloads differs', [
          { expr: `ptm_peers{${I}}`, legend: '{{instance}} known' },
          { expr: `ptm_peers_differing{${I}}`, legend: '{{instance}} differing' },
        ]),
      ],
    },
    { title: 'Requests', panels: requests('ptm') },
    {
      title: 'Process',
      panels: [
        graph('Processor', '100 % is a core', [{ expr: `system_cpu_procload{${I}}` }], {
          unit: 'percent',
        }),
        graph('Memory', 'Of the process', [{ expr: `system_memory_held{${I}}` }], {
          unit: 'bytes',
        }),
      ],
    },
  ],
};

export const SIGNER: Dashboard = {
  uid: 'quorate-signer',
  title: 'Quorate: signing proxy',
  about: 'Calls, signatures and nonces of signing proxies',
  instancesOf: 'signer_nonces_pending',
  rows: [
    {
      title: 'State',
      panels: [
        stat('Accounts', 'Loaded', `sum(signing_signers_loaded_count{${I}})`),
        stat('Requests under way', 'Over HTTP', `sum(http_requests_in_flight{${I}})`),
        stat(
          'Waiting',
          'For a nonce, a signature or the node',
          `sum(signer_requests_waiting{${I}})`,
        ),
        stat('Pending nonces', 'Not in a block yet', `sum(signer_nonces_pending{${I}})`),
        stat(
          'Stuck for',
          'The account that waits longest has had nothing mined',
          `max(signer_nonces_stuck_seconds{${I}})`,
          { unit: 's', thresholds: { orange: 60, red: 300 } },
        ),
        freeDisk,
      ],
    },
    {
      title: 'Calls',
      panels: [
        graph(
          'Calls per second',
          'By outcome',
          [
            {
              expr: `sum by (outcome) (rate(signer_rpc_requests_total{${I}}[1m]))`,
              legend: '{{outcome}}',
            },
          ],
          { unit: 'reqps' },
        ),
        graph(
          'Calls per second, by method',
          'forwarded: the node answers them',
          [
            {
              expr: `sum by (method) (rate(signer_rpc_requests_total{${I}}[1m]))`,
              legend: '{{method}}',
            },
          ],
          { unit: 'reqps' },
        ),
        graph(
          'Duration, 95 %',
          'By method',
          [{ expr: latency('signer_rpc_duration_seconds', 'method'), legend: '{{method}}' }],
          { unit: 's' },
        ),
        graph('Refused per second', 'By the policy, by a rate, without a valid token', [
          {
            expr: `sum by (reason) (rate(signer_refusals_total{${I}}[5m]))`,
            legend: '{{reason}}',
          },
          { expr: `sum(rate(signer_unauthorized_total{${I}}[5m]))`, legend: 'unauthorized' },
        ]),
      ],
    },
    {
      title: 'Transactions',
      panels: [
        graph('Signatures per second', 'By outcome', [
          {
            expr: `sum by (outcome) (rate(signer_signatures_total{${I}}[1m]))`,
            legend: '{{outcome}}',
          },
        ]),
        graph('Sent per second', "By the node's answer", [
          {
            expr: `sum by (outcome) (rate(signer_sends_total{${I}}[1m]))`,
            legend: '{{outcome}}',
          },
        ]),
        graph('Pending nonces', 'Not in a block yet', [{ expr: `signer_nonces_pending{${I}}` }]),
      ],
    },
    PROCESS,
  ],
};

export const STAKING: Dashboard = {
  uid: 'quorate-staking',
  title: 'Quorate: staking',
  about: 'Tokens, stakes and deposits of the staking service',
  instancesOf: 'staking_tokens_issued_total',
  rows: [
    {
      title: 'State',
      panels: [
        stat(
          'Stakes waiting',
          'Queued or submitted',
          `sum(staking_stakes{state=~"QUEUED|SUBMITTED", ${I}})`,
        ),
        stat('Stakes failed', 'Somebody must look', `sum(staking_stakes{state="FAILED", ${I}})`, {
          thresholds: { orange: 1, red: 1 },
        }),
        stat(
          'Oldest stake waiting',
          'Since it was made',
          `max(staking_oldest_stake_seconds{state=~"QUEUED|SUBMITTED", ${I}})`,
          { unit: 's', thresholds: { orange: 300, red: 1800 } },
        ),
        stat('Pending nonces', 'Deposits not in a block yet', `sum(staking_nonces_pending{${I}})`),
        stat('Signing key', 'Age', `max(staking_signing_key_age_seconds{${I}})`, { unit: 's' }),
        freeDisk,
      ],
    },
    {
      title: 'Tokens and deposits',
      panels: [
        graph('Tokens per second', 'Issued', [
          { expr: `rate(staking_tokens_issued_total{${I}}[1m])` },
        ]),
        graph('Refused requests for tokens, per second', 'By reason', [
          {
            expr: `sum by (reason) (rate(staking_token_refusals_total{${I}}[5m]))`,
            legend: '{{reason}}',
          },
        ]),
        graph(
          'Oldest pending deposit',
          'Its transaction is in no block yet',
          [{ expr: `staking_oldest_nonce_seconds{${I}}` }],
          { unit: 's', thresholds: { orange: 60, red: 300 } },
        ),
      ],
    },
    { title: 'Requests', panels: requests('staking') },
    PROCESS,
  ],
};

export const RAMP: Dashboard = {
  uid: 'quorate-ramp',
  title: 'Quorate: on- and off-ramp',
  about: 'Orders, payouts, prices and webhooks of the ramp',
  instancesOf: 'ramp_stuck_orders',
  rows: [
    {
      title: 'State',
      panels: [
        stat('Open orders', 'Of all states', `sum(ramp_orders{${I}})`),
        stat('Stuck orders', 'Too long in one state', `sum(ramp_stuck_orders{${I}})`, {
          thresholds: { orange: 1, red: 1 },
        }),
        stat(
          'Alerts',
          'Orders that somebody must look at, in a day',
          `sum(increase(ramp_alerts_total{${I}}[1d]))`,
          {
            thresholds: { orange: 1, red: 5 },
          },
        ),
        stat(
          'Assets lacking',
          'The account has too little to pay',
          `max(ramp_assets_lacking{${I}})`,
          { thresholds: { orange: 1, red: 1 } },
        ),
        stat('Price age', 'Of the oldest price', `max(ramp_price_age_seconds{${I}})`, {
          ...{ unit: 's', thresholds: { orange: 60, red: 300 } },
        }),
        freeDisk,
      ],
    },
    {
      title: 'Orders',
      panels: [
        graph('Open orders', 'By side and state', [
          {
            expr: `sum by (side, code) (ramp_orders{${I}}) > 0 or vector(0)`,
            legend: '{{side}} {{code}}',
          },
        ]),
        graph('Orders per minute', 'That reached a state', [
          {
            expr: `sum by (side, code) (rate(ramp_order_steps_total{${I}}[5m])) * 60`,
            legend: '{{side}} {{code}}',
          },
        ]),
        graph(
          'Oldest order',
          'Time in its state, by state',
          [
            {
              expr: `max by (side, code) (ramp_oldest_order_seconds{${I}}) > 0 or vector(0)`,
              legend: '{{side}} {{code}}',
            },
          ],
          { unit: 's' },
        ),
      ],
    },
    {
      title: 'Money out',
      panels: [
        graph('Payouts that have not ended', 'By kind and state', [
          {
            expr: `sum by (kind, state) (ramp_payouts{${I}}) > 0 or vector(0)`,
            legend: '{{kind}} {{state}}',
          },
        ]),
        graph(
          'Oldest payout',
          'By kind and state',
          [
            {
              expr: `max by (kind, state) (ramp_oldest_payout_seconds{${I}}) > 0 or vector(0)`,
              legend: '{{kind}} {{state}}',
            },
          ],
          { unit: 's', thresholds: { orange: 300, red: 600 } },
        ),
        graph('Pending nonces', 'Payouts in no block yet', [{ expr: `ramp_nonces_pending{${I}}` }]),
        graph('Webhooks per minute', 'By direction and outcome', [
          {
            expr: `sum by (direction, outcome) (rate(ramp_webhooks_total{${I}}[5m])) * 60`,
            legend: '{{direction}} {{outcome}}',
          },
        ]),
        graph('Price age', 'Of the oldest price', [{ expr: `ramp_price_age_seconds{${I}}` }], {
          ...{ unit: 's', thresholds: { orange: 60, red: 300 } },
        }),
      ],
    },
    { title: 'Requests', panels: requests('ramp') },
    PROCESS,
  ],
};
