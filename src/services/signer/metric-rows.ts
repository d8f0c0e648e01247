/** What each metric of a signing proxy means. */
import {
  DISK_METRICS,
  type MetricRow,
  PROCESS_METRICS,
  TRACE_METRICS,
} from '../../io/telemetry/metric-rows.ts';

const COUNTERS: Readonly<Record<string, string>> = {
  'signer_rpc_requests_total{method,outcome}': 'JSON-RPC calls; forwarded ones without a method',
  'signer_signatures_total{outcome}': 'Signatures of accounts',
  'signer_sends_total{outcome}': 'What the node answered to transactions',
  'signer_refusals_total{reason}': 'Requests refused by the policy or a rate limit',
  signer_unauthorized_total: 'Requests without a valid token, or from an unknown client',
  signing_secp256k1_missing_identifier_count_total: 'Requests to sign with an unknown key',
  http_secp256k1_malformed_request_count_total: 'Requests to sign that were malformed',
  http_vertx_worker_pool_submitted_total: 'Requests received',
  http_vertx_worker_pool_completed_total: 'Requests answered',
  http_vertx_worker_pool_rejected_total: 'Requests refused because the proxy was busy',
};

const GAUGES: Readonly<Record<string, string>> = {
  signer_nonces_pending: 'Transactions that no block has yet',
  signer_nonces_stuck_seconds:
    'How long the account that waits longest has had no transaction mined',
  signer_requests_waiting: 'Requests that wait for a nonce, a signature or the node',
  signing_signers_loaded_count: 'Accounts',
  http_requests_in_flight: 'Requests under way',
  'jvm_memory_used_bytes{area}': 'Used bytes of the heap of V8, and outside of it',
  'jvm_memory_committed_bytes{area}': 'Reserved bytes of the heap of V8',
  'process_release{version}': 'Version of the proxy',
};

export const PROXY_METRICS: readonly MetricRow[] = [
  ...Object.entries(COUNTERS).map(([name, about]) => ({ name, type: 'counter', about }) as const),
  ...Object.entries(GAUGES).map(([name, about]) => ({ name, type: 'gauge', about }) as const),
  {
    name: 'signer_rpc_duration_seconds{method}',
    type: 'histogram',
    about: 'Time to answer a JSON-RPC call',
  },
  {
    name: 'signing_secp256k1_signing_duration',
    type: 'summary',
    about: 'Seconds to sign a request of the REST API',
  },
  ...TRACE_METRICS,
  ...DISK_METRICS,
  ...PROCESS_METRICS,
];
