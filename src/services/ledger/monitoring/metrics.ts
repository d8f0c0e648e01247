/**
 * Metrics of a running node for Prometheus, with the names that GoQuorum's dashboards use
 * (go-ethereum metrics/prometheus). All names are our own, or those of methods in the table: none
 * contains text from callers or parties.
 */
import type { Log } from '../../../core/base/ports.ts';
import { startHttpServer, text } from '../../../io/http/server.ts';
import { watchDisk } from '../../../io/telemetry/disk-metrics.ts';
import type { LoopWatch } from '../../../io/telemetry/loop-watch.ts';
import { helpOf } from '../../../io/telemetry/metric-rows.ts';
import { MetricsRegistry } from '../../../io/telemetry/metrics.ts';
import { watchSystem } from '../../../io/telemetry/system-metrics.ts';
import type { Tracing } from '../../../io/tracing/tracing.ts';
import type { MetricsConfig } from '../config.ts';
import type { LedgerNode } from '../node/compose.ts';
import type { FaultKind } from '../node/private-state/block-audit.ts';
import type { NodeAdmin } from '../view/node-admin.ts';
import { watchAgreement } from './agreement-metrics.ts';
import { watchBlocks, watchBytes, watchPool } from './geth-metrics.ts';
import { NODE_METRICS } from './metric-rows.ts';
import { watchRaft } from './raft-metrics.ts';
import type { PrivacyWatches, ReadinessParts } from './readiness.ts';

const BODY_BYTES_MAX = 1024;
const NANOSECONDS_PER_MS = 1e6;

/** undefined without `--metrics`: then nothing is counted. */
export function metricsOf(parts: ReadinessParts): MetricsRegistry | undefined {
  const { node, admin, config, watch, agreementWatch, tracing } = parts;
  if (!config.metrics.isOn) return undefined;
  const metrics = new MetricsRegistry(helpOf(NODE_METRICS));
  watchNode(metrics, node, admin);
  watchBytes(metrics, parts);
  watchPrivacy(metrics, parts);
  if (parts.keyPulse) watchNodeKey(metrics, parts.keyPulse);
  watchAgreement(metrics, node, parts);
  watchRaft(metrics, node);
  watchSystem(metrics);
  watchDisk((name, read) => metrics.probe(name, read), config.dataFolder);
  if (tracing) watchTraces(metrics, tracing);
  if (agreementWatch) watchLag(metrics, 'quorate/consensus/lag', agreementWatch);
  if (watch) watchLag(metrics, 'quorate/chain/lag', watch);
  return metrics;
}

/** With `--nodekey URL`. */
export function watchNodeKey(
  metrics: MetricsRegistry,
  pulse: NonNullable<ReadinessParts['keyPulse']>,
): void {
  metrics.probe('quorate/nodekey/up', () => Number(pulse.fault === undefined));
}

function watchTraces(metrics: MetricsRegistry, { figures }: Pick<Tracing, 'figures'>): void {
  metrics.probe('quorate/traces/spans/exported', () => figures().exported);
  metrics.probe('quorate/traces/spans/dropped', () => figures().dropped);
  metrics.probe('quorate/traces/spans/waiting', () => figures().waiting);
}

function watchLag(metrics: MetricsRegistry, name: string, watch: Pick<LoopWatch, 'onLag'>): void {
  metrics.gauge(`${name}/ms`, 0);
  watch.onLag(({ ms }) => {
    metrics.gauge(`${name}/ms`, Math.round(ms));
    metrics.observe(name, Math.round(ms * NANOSECONDS_PER_MS));
  });
}

function watchNode(metrics: MetricsRegistry, node: LedgerNode, admin: NodeAdmin): void {
  const { chain, builder, events, follower } = node;
  const head = () => chain.head().number;
  watchBlocks(metrics, node);
  watchPool(metrics, node);
  metrics.probe('p2p/peers', () => admin.peers().length);
  metrics.probe('quorate/miner/leftout', () => builder.leftOut);
  metrics.probe('quorate/miner/dropped', () => builder.trials.dropped);
  metrics.probe('quorate/mining', () => Number(admin.isMining()));
  if (follower) {
    metrics.probe('quorate/private/behind/blocks', () => head() - follower.cursor());
    metrics.count('quorate/private/transactions', 0);
  }
  metrics.count('quorate/transactions', 0);
  events.on('committed', ({ block }) => {
    metrics.count('quorate/transactions', block.transactions.length);
    metrics.gauge('quorate/block/gasused', Number(block.header.gasUsed));
    const isPrivate = block.transactions.filter((transaction) => transaction.isPrivate).length;
    if (follower) metrics.count('quorate/private/transactions', isPrivate);
  });
}

function watchPrivacy(metrics: MetricsRegistry, { pulse, privateWatch }: PrivacyWatches): void {
  if (pulse) metrics.probe('quorate/private/manager/up', () => Number(pulse.fault === undefined));
  if (!privateWatch) return;
  const count = (kinds: readonly FaultKind[]) =>
    privateWatch.faults.filter(({ kind }) => kinds.includes(kind)).length;
  metrics.probe('quorate/private/diverged', () => Number(privateWatch.isDiverged));
  metrics.probe('quorate/private/diverged/blocks', () => count(['missed', 'differs']));
  metrics.probe('quorate/private/payloads/lost', () => count(['lost']));
  metrics.probe('quorate/private/payloads/missing', () => privateWatch.missing.length);
  metrics.probe('quorate/private/looked/block', () => privateWatch.looked);
}

/** For the dispatcher: counts calls of existing methods, and their durations. */
export function callMeter(
  metrics: MetricsRegistry | undefined,
): ((method: string, isSuccess: boolean, durationMs: number) => void) | undefined {
  if (!metrics) return undefined;
  for (const name of ['requests', 'success', 'failure']) metrics.count(`rpc/${name}`, 0);
  return (method, isSuccess, durationMs) => {
    const outcome = isSuccess ? 'success' : 'failure';
    const nanoseconds = Math.round(durationMs * NANOSECONDS_PER_MS);
    metrics.count('rpc/requests');
    metrics.count(`rpc/${outcome}`);
    metrics.observe('rpc/duration/all', nanoseconds);
    metrics.observe(`rpc/duration/${method}/${outcome}`, nanoseconds);
  };
}

/**
 * Serves the metrics at `--metrics.addr` and at the address of `--pprof`, as geth does. Resolves
 * with a function that stops this. Throws HTTP_LISTEN_FAILED.
 */
export async function serveMetrics(
  metrics: MetricsRegistry,
  { addresses }: MetricsConfig,
  log: Log,
): Promise<() => Promise<void>> {
  const servers = await Promise.all(
    addresses.map((address) =>
      startHttpServer({
        address: { kind: 'tcp', ...address },
        bodyBytesMax: BODY_BYTES_MAX,
        failure: () => text(400, 'Bad Request'),
        routes: [
          {
            method: 'GET',
            path: '/debug/metrics/prometheus',
            handle: () => ({ status: 200, type: 'text/plain', body: metrics.exposition() }),
          },
          {
            method: 'GET',
            path: '/debug/metrics',
            handle: () => ({
              status: 200,
              type: 'application/json',
              body: JSON.stringify(metrics.snapshot()),
            }),
          },
        ],
      }),
    ),
  );
  for (const { url } of servers) log('info', 'Serving metrics', { url: `${url}/debug/metrics` });
  return async () => {
    await Promise.all(servers.map((server) => server.close()));
  };
}
