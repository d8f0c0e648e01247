/** What each metric of a private transaction manager means. */
import {
  DISK_METRICS,
  type MetricRow,
  requestMetrics,
  SYSTEM_METRICS,
  TRACE_METRICS,
} from '../../io/telemetry/metric-rows.ts';

const ENDPOINT = 'tessera_<app>_<endpoint>';

const COUNTERS: Readonly<Record<string, string>> = {
  ptm_payloads_pushed_total: 'Payloads that peers have taken',
  ptm_push_failures_total: 'Pushes that failed',
  ptm_payloads_resent_total: 'Payloads delivered when a peer was back',
  ptm_payloads_fetched_total: 'Missing payloads that peers supplied',
  ptm_asked_held_total: 'Payloads that a node asked for and got',
  ptm_asked_not_held_total: 'Payloads that a node asked for and that are not stored here',
  ptm_asked_not_ours_total: 'Payloads that a node asked for and that no key here may read',
  ptm_asked_damaged_total: 'Payloads that a node asked for and that are damaged',
};

const GAUGES: Readonly<Record<string, string>> = {
  ptm_payloads_owed: 'Payloads that wait for a peer that is away',
  ptm_recipients_owed: 'Recipients for whom payloads wait',
  ptm_payloads_missing: 'Payloads that peers list as ours, but nobody supplies',
  ptm_peers_differing: 'Peers whose list of shared payloads differs',
  ptm_peers: 'Managers that are known',
  ptm_payloads_stored: 'Payloads in the embedded store',
  ptm_store_bytes: 'Size of the embedded store',
  [`${ENDPOINT}_RequestCount`]: 'Requests to the endpoint',
  [`${ENDPOINT}_AverageTime_ms`]: 'Average time to answer, in milliseconds',
  [`${ENDPOINT}_MaxTime_ms`]: 'Longest time to answer, in milliseconds',
  [`${ENDPOINT}_MinTime_ms`]: 'Shortest time to answer, in milliseconds',
  [`${ENDPOINT}_RequestRate_requestsPerSeconds`]: 'Requests per second since the start',
};

export const MANAGER_METRICS: readonly MetricRow[] = [
  ...requestMetrics('ptm', 'app'),
  ...Object.entries(COUNTERS).map(([name, about]) => ({ name, type: 'counter', about }) as const),
  ...Object.entries(GAUGES).map(([name, about]) => ({ name, type: 'gauge', about }) as const),
  ...TRACE_METRICS,
  ...DISK_METRICS,
  ...SYSTEM_METRICS,
];
