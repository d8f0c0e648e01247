/**
 * Metrics of the signing proxy: with Web3Signer's names where it has the same metric, plus our own
 * for JSON-RPC (Web3Signer Web3SignerMetricCategory).
 */
import type { Metrics } from '../../core/base/ports.ts';
import type { Outcome } from '../../core/signing/nonce-messages.ts';
import { watchDisk } from '../../io/telemetry/disk-metrics.ts';
import { helpOf } from '../../io/telemetry/metric-rows.ts';
import { watchProcess } from '../../io/telemetry/process-metrics.ts';
import { labelText, PrometheusMetrics } from '../../io/telemetry/prometheus.ts';
import { watchTraces } from '../../io/tracing/trace-metrics.ts';
import type { Tracing } from '../../io/tracing/tracing.ts';
import type { MetricCategory } from './config.ts';
import { PROXY_METRICS } from './metric-rows.ts';
import type { NonceFigures } from './proxy-server.ts';

const WORKER = '{poolName="vert.x-worker-thread",poolType="worker"}';
const SUBMITTED = `http_vertx_worker_pool_submitted_total${WORKER}`;
const COMPLETED = `http_vertx_worker_pool_completed_total${WORKER}`;
const REJECTED = `http_vertx_worker_pool_rejected_total${WORKER}`;
const IN_FLIGHT = 'http_requests_in_flight';
const BUSY_STATUS = 503;

const ERROR_START_CHARACTERS = 256;
const ERROR_START = /^\s*\{[^{]*"error"\s*:\s*\{/;

const SEND_OUTCOMES: readonly Outcome[] = [
  'accepted',
  'known',
  'nonceTooLow',
  'underpriced',
  'refused',
  'unsent',
  'unclear',
];

/** The category of a metric, by the first word of its name. */
const CATEGORY_OF: Readonly<Record<string, MetricCategory>> = {
  http: 'HTTP',
  signing: 'SIGNING',
  signer: 'SIGNING',
  quorate: 'PROCESS',
  tracing: 'PROCESS',
  jvm: 'JVM',
  nodejs: 'JVM',
  process: 'PROCESS',
};

export interface Meters {
  readonly metrics: Metrics;
  /** Call when a request arrives; call the returned function with the status of its answer. */
  began(): (status: number) => void;
  /** The same for one JSON-RPC call; undefined: a call that goes to the node. */
  called(method: string | undefined): (reply: { status: number; body: string }) => void;
  /** Figures that are read again for each exposition. */
  watchNonces(figures: NonceFigures): void;
  /** `folder`: the journal's. */
  watchDisk(folder: string): void;
  watchTraces(tracing: Pick<Tracing, 'figures'>): void;
  exposition(): string;
}

export function openMeters(categories: ReadonlySet<MetricCategory>, version: string): Meters {
  const metrics = new PrometheusMetrics(helpOf(PROXY_METRICS));
  let inFlight = 0;
  for (const name of [
    ...[SUBMITTED, COMPLETED, REJECTED, 'http_secp256k1_malformed_request_count_total'],
    'signing_secp256k1_missing_identifier_count_total',
  ])
    metrics.count(name, 0);
  metrics.count('signer_unauthorized_total', 0);
  for (const reason of ['policy', 'rate'])
    metrics.count(`signer_refusals_total{reason="${reason}"}`, 0);
  for (const outcome of SEND_OUTCOMES) metrics.count(`signer_sends_total{outcome="${outcome}"}`, 0);
  metrics.gauge('signing_signers_loaded_count', 0);
  metrics.probe(IN_FLIGHT, 'gauge', () => inFlight);
  metrics.gauge(`process_release{version="${labelText(version)}"}`, 1);
  watchProcess(metrics);
  watchHeap(metrics);
  return {
    metrics,
    began() {
      inFlight++;
      metrics.count(SUBMITTED);
      let isOver = false;
      return (status) => {
        if (isOver) return;
        isOver = true;
        inFlight--;
        metrics.count(status === BUSY_STATUS ? REJECTED : COMPLETED);
      };
    },
    called(method = 'forwarded') {
      const startMs = performance.now();
      return (reply) => {
        const outcome = isErrorReply(reply) ? 'error' : 'ok';
        metrics.count(`signer_rpc_requests_total{method="${method}",outcome="${outcome}"}`);
        const seconds = (performance.now() - startMs) / 1000;
        metrics.observe(`signer_rpc_duration_seconds{method="${method}"}`, seconds);
      };
    },
    watchNonces({ pending, stuckSeconds, requests }) {
      metrics.probe('signer_nonces_pending', 'gauge', pending);
      metrics.probe('signer_nonces_stuck_seconds', 'gauge', stuckSeconds);
      metrics.probe('signer_requests_waiting', 'gauge', requests);
    },
    watchDisk(folder) {
      watchDisk((name, read) => metrics.probe(name, 'gauge', read), folder);
    },
    watchTraces: (tracing) => watchTraces(metrics, tracing),
    exposition: () =>
      metrics.exposition((name) =>
        categories.has(CATEGORY_OF[name.split('_', 1)[0]!] ?? 'SIGNING'),
      ),
  };
}

/** Examines only the beginning, because a node's answer may be large. */
export function isErrorReply({
  status,
  body,
}: {
  readonly status: number;
  readonly body: string;
}): boolean {
  return status >= 400 || ERROR_START.test(body.slice(0, ERROR_START_CHARACTERS));
}

/** Uses the names that Web3Signer's own process has for its heap. */
function watchHeap(metrics: PrometheusMetrics): void {
  const heap = (pick: (usage: NodeJS.MemoryUsage) => number) => () => pick(process.memoryUsage());
  metrics.probe(
    'jvm_memory_used_bytes{area="heap"}',
    'gauge',
    heap((usage) => usage.heapUsed),
  );
  metrics.probe(
    'jvm_memory_committed_bytes{area="heap"}',
    'gauge',
    heap((usage) => usage.heapTotal),
  );
  metrics.probe(
    'jvm_memory_used_bytes{area="nonheap"}',
    'gauge',
    heap((usage) => usage.external),
  );
}
