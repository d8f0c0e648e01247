/**
 * Dashboards and alerts ask for what exists: every expression is PromQL, and finds its series in a
 * scrape of all processes of a devnet.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { MetricRow } from '../../src/io/telemetry/metric-rows.ts';
import { MetricsRegistry } from '../../src/io/telemetry/metrics.ts';
import { watchNodeKey } from '../../src/services/ledger/monitoring/metrics.ts';
import { watchRaft } from '../../src/services/ledger/monitoring/raft-metrics.ts';
import { DASHBOARDS } from '../../tools/dashboards/all.ts';
import { METRICS_OF } from '../../tools/site/metrics-page.ts';
import { until } from '../support/conditions.ts';
import { PROJECT, startTestDevnet, type TestDevnet, untilMined } from '../support/devnet.ts';
import {
  expressionOf,
  isFound,
  type Matcher,
  type Series,
  seriesOf,
} from '../support/promql/queries.ts';
import { rpcClient } from '../support/rpc-client.ts';
import {
  connectedTo,
  type ReceivedSpan,
  type TraceCollector,
  traceCollector,
} from '../support/trace-collector.ts';
import { OWN_VECTORS, readJson } from '../vectors/folders.ts';

const DEPLOY = join(PROJECT, 'deploy');
/** Labels that Prometheus adds. */
const OF_SCRAPER = ['instance', 'job'];
/** Of geth's internals that do not exist here: docs/metrics.md. */
const ABSENT = [
  ...['chain_account_commits', 'chain_account_hashes', 'chain_account_reads'],
  ...['chain_account_updates', 'chain_storage_commits', 'chain_storage_hashes'],
  ...['chain_storage_reads', 'chain_storage_updates', 'system_memory_allocs'],
  ...['trie_memcache_clean_read', 'trie_memcache_clean_write', 'trie_memcache_commit_size'],
  ...['trie_memcache_flush_size', 'trie_memcache_gc_size'],
];

/**
 * Parts of geth that have no counterpart here, and names that depend on the engine and on calls.
 */
const OTHERWISE = [
  ...[/^les_/, /^vflux_/, /^state_snapshot_/, /^chain_snapshot_/, /^trie_/, /^db_preimage_/],
  ...[/^chain_(account|storage|prefetch|reorg)_/, /^eth_(downloader|fetcher)_/],
  ...[/^eth_db_chaindata_compact_/, /^system_cpu_goroutines$/, /^system_memory_(allocs|frees)$/],
  ...[/^consensus_istanbul_core_/, /^rpc_duration_(?!all)/, /^p2p_(in|e)gress_/],
];

/** Of other engines and other nodes, or after a request that this test does not make. */
const ELSEWHERE = [
  ...[/^consensus_istanbul_core_/, /^quorate_raft_/, /^quorate_nodekey_up$/],
  /^signing_secp256k1_signing_duration$/,
];

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

const { groups } = parse(readFileSync(join(DEPLOY, 'prometheus/alerts.yml'), 'utf8'));
const alerts: readonly Alert[] = groups.flatMap(({ rules }: { rules: Alert[] }) => rules);

let net: TestDevnet;
let collector: TraceCollector;
/** Hashes of a private and a public transaction, sent through the signing proxy. */
let sent: { readonly hidden: string; readonly open: string };
let series: Series[];
/** Of one process of each service, as in METRICS_OF. */
let scrapes: Record<string, string>;
/** Of a node's metrics, by name. */
let types: Map<string, string>;
beforeAll(async () => {
  collector = await traceCollector();
  net = await startTestDevnet({ tracing: { endpoint: collector.url } });
  const { nodes, signer, staking, ramp, accounts } = net.devnet.description;
  const [first] = net.rpc;
  const [from, to] = accounts.map(({ address }) => address);
  const [, key] = net.keys;
  const data = '0x600a600c600039600a6000f3602a60005260206000f3';
  const gas = '0x47b760';
  const proxy = rpcClient(signer.rpc);
  const hidden = await proxy.call<string>('eth_sendTransaction', {
    ...{ from, data, gas, gasPrice: '0x0', privateFrom: net.keys[0], privateFor: [key] },
  });
  const open = await proxy.call<string>('eth_sendTransaction', { from, to, value: '0x1' });
  sent = { hidden, open };
  await untilMined(first!, hidden);
  await untilMined(first!, open);
  const urls = nodes.flatMap(({ metrics, ptm }) => [metrics, ptm.metrics]);
  urls.push(signer.metrics, staking.metrics, ramp.metrics);
  const scrape = async () =>
    (await Promise.all(urls.map(async (url) => (await fetch(url)).text()))).join('\n');
  await until('the ramp has its prices', async () =>
    (await scrape()).includes('\nramp_price_age_seconds '),
  );
  const textOf = async (url: string) => (await fetch(url)).text();
  scrapes = {
    Node: await textOf(nodes[0]!.metrics),
    'Private transaction manager': await textOf(nodes[0]!.ptm.metrics),
    'Signing proxy': await textOf(signer.metrics),
    Staking: await textOf(staking.metrics),
    'On- and off-ramp': await textOf(ramp.metrics),
  };
  types = typesIn(scrapes.Node!);
  const served = seriesOf(await scrape());
  series = [...served, ...(await ofRaft()), ...ofNodeKey(), { name: 'up', labels: {} }];
});
afterAll(async () => {
  await net?.close();
  await collector?.close();
});

/** Types by name. */
function typesIn(text: string): Map<string, string> {
  return new Map(
    [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name!, type!]),
  );
}

/** Of a member of a cluster: the devnet is one of validators. */
async function ofRaft(): Promise<Series[]> {
  // It makes keys when it is loaded, with what the devnet has installed.
  const { RaftNetwork } = await import('../support/raft-network.ts');
  const raft = new RaftNetwork(false);
  await raft.start();
  const metrics = new MetricsRegistry();
  watchRaft(metrics, raft.nodes[0]!);
  await raft.stop();
  return seriesOf(metrics.exposition());
}

/** Of a node whose key is at a proxy: those of the devnet have files. */
function ofNodeKey(): Series[] {
  const metrics = new MetricsRegistry();
  watchNodeKey(metrics, { fault: undefined });
  return seriesOf(metrics.exposition());
}

/** A variable of the dashboard, what the scraper adds, and failures that did not happen. */
const isFree = ({ label, value }: Matcher) =>
  value.includes('$') || OF_SCRAPER.includes(label) || label === 'status';

/** What an expression asks for and no process has. */
function lacking(text: string): string[] {
  const { selectors, groupings } = expressionOf(text);
  const found = selectors.map((selector) =>
    series.filter((each) => isFound(selector, each, isFree)),
  );
  const names = selectors
    .filter((_, at) => found[at]!.length === 0)
    .map(({ name }) => String(name));
  const labels = new Set(found.flat().flatMap((each) => Object.keys(each.labels)));
  const unknown = groupings.filter((each) => !OF_SCRAPER.includes(each) && !labels.has(each));
  return [...names, ...unknown];
}

describe.each(Object.entries(DASHBOARDS))('the dashboard %s', (name, { rows, instancesOf }) => {
  const panels = rows.flatMap((row) => row.panels);

  it('asks for what the processes serve', () => {
    const missing = panels.flatMap(({ title, queries }) =>
      queries.flatMap(({ expr }) => lacking(expr).map((each) => `${title}: ${each}`)),
    );
    expect(missing).toEqual([]);
    expect(lacking(instancesOf)).toEqual([]);
  });

  it('has places, titles and texts for all panels', () => {
    const file = join(DEPLOY, 'grafana/dashboards', `${name}.json`);
    const shown = JSON.parse(readFileSync(file, 'utf8'));
    expect(new Set(shown.panels.map(({ id }: any) => id)).size).toBe(shown.panels.length);
    const taken = new Set<string>();
    for (const { gridPos, title } of shown.panels) {
      expect(gridPos.x + gridPos.w, title).toBeLessThanOrEqual(24);
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
        for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
          expect(taken.has(`${x},${y}`), `${title} at ${x},${y}`).toBe(false);
          taken.add(`${x},${y}`);
        }
      }
    }
    for (const { title, about, unit } of panels) expect([title, about, unit]).not.toContain('');
  });
});

describe('alerts', () => {
  it.each(alerts.map((each) => [each.alert, each] as const))('%s', (_, alert) => {
    expect(lacking(alert.expr)).toEqual([]);
    expect(['warning', 'critical']).toContain(alert.labels.severity);
    expect(alert.annotations.summary).toMatch(/\S/);
    expect(alert.annotations.description).toMatch(/\.$/);
    const [page, section] = alert.annotations.runbook_url!.split('#');
    const headings = readFileSync(join(PROJECT, page!), 'utf8').matchAll(/^### (.*)$/gm);
    const anchors = [...headings].map(([, text]) => text!.toLowerCase().replaceAll(' ', '-'));
    expect(anchors).toContain(section);
  });

  it('have a name of their own, and a section each', () => {
    expect(new Set(alerts.map(({ alert }) => alert)).size).toBe(alerts.length);
  });
});

it("the dashboard that GoQuorum's quickstart ships shows data, except what geth alone has", () => {
  const { expressions } = readJson(join(OWN_VECTORS, 'quickstart/goquorum-overview.json'));
  const missing = new Set((expressions as string[]).flatMap(lacking));
  expect([...missing].sort()).toEqual([...ABSENT].sort());
});

it('names of GoQuorum are here with its types, or have no meaning here', () => {
  const names: Record<string, string> = readJson(join(OWN_VECTORS, 'goquorum/cli/metrics.json.gz'));
  const expected = Object.entries(names).filter(
    ([name]) => !OTHERWISE.some((pattern) => pattern.test(name)),
  );
  expect(expected.length).toBeGreaterThan(50);
  expect(expected.map(([name]) => [name, types.get(name)])).toEqual(expected);
});

describe.each(Object.entries(METRICS_OF))('metrics of %s', (service, { rows }) => {
  // The count of a summary stands by itself in a node's scrape, as in geth's.
  const served = () =>
    [...typesIn(scrapes[service]!)].filter(
      ([name]) => service !== 'Node' || !name.endsWith('_count'),
    );

  it('have their meaning in the scrape, and the type of their row', () => {
    const isPlain = ({ name }: MetricRow) => !name.includes('<');
    const named = new Map(rows.filter(isPlain).map((row) => [row.name.replace(/\{.*/, ''), row]));
    const lines = scrapes[service]!;
    for (const [name, type] of served()) {
      expect(lines, name).toContain(`# HELP ${name} `);
      expect(named.get(name)?.type ?? type, name).toBe(type);
    }
  });

  it('are served, unless something has to happen first', () => {
    const names = new Set(served().map(([name]) => name));
    const missing = rows
      .map(({ name }) => name.replace(/\{.*/, ''))
      .filter((name) => !name.includes('<') && !names.has(name))
      .filter((name) => !ELSEWHERE.some((pattern) => pattern.test(name)));
    expect(missing).toEqual([]);
  });
});

it('a query that nothing answers is noticed', () => {
  expect(lacking('sum by (colour) (rate(chain_head_blocks[5m]))')).toEqual([
    'chain_head_blocks',
    'colour',
  ]);
  expect(lacking('chain_execution{quantile="0.51"}')).toEqual(['chain_execution']);
  expect(() => lacking('rate(chain_head_block[5m')).toThrow('not PromQL');
});

describe('traces', () => {
  const EVERYWHERE = ['block inclusion', 'block execution', 'public receipt'];
  const AT_NODES = ['node1', 'node2', 'node3', 'node4'];
  const atNodes = (names: readonly string[]) =>
    AT_NODES.flatMap((node) => names.map((name) => `${node}: ${name}`));

  /** The spans around the transaction, once its end and each of `names` have arrived. */
  async function spansOf(hash: string, names: readonly string[]): Promise<readonly ReceivedSpan[]> {
    const traceId = hash.slice(2, 34);
    return until('all spans have arrived', () => {
      const first = collector.spans.find(
        (span) => span.name === 'transaction' && span.traceId === traceId,
      );
      if (!first) return undefined;
      const all = connectedTo(first, collector.spans);
      const arrived = new Set(namesOf(all));
      return names.every((name) => arrived.has(name)) ? all : undefined;
    });
  }

  const namesOf = (spans: readonly ReceivedSpan[]) =>
    [...new Set(spans.map(({ service, name }) => `${service}: ${name}`))].sort();

  it('connect a public transaction from the proxy to the receipts of all nodes', async () => {
    const expected = [
      ...['signer: signer eth_sendTransaction', 'signer: sign transaction'],
      ...['node1: rpc eth_sendRawTransaction', 'node1: pool admission', 'node1: transaction'],
      'node1: rpc eth_estimateGas',
      ...atNodes(['pool', ...EVERYWHERE]),
    ];
    const spans = await spansOf(sent.open, expected);
    expect(namesOf(spans)).toEqual(expected.sort());
    // The request is one tree, and the transaction another.
    const roots = spans.filter(({ parentSpanId }) => parentSpanId === undefined);
    expect(namesOf(roots)).toEqual(['node1: transaction', 'signer: signer eth_sendTransaction']);
    for (const { traceId, parentSpanId, startMs, endMs } of spans) {
      if (parentSpanId !== undefined)
        expect(spans).toContainEqual(expect.objectContaining({ traceId, spanId: parentSpanId }));
      expect(endMs).toBeGreaterThanOrEqual(startMs);
    }
  });

  it('connect a private transaction with the managers of its parties', async () => {
    // Each process sends its spans in a rhythm of its own: the managers' may come last.
    const spans = await spansOf(sent.hidden, [
      ...atNodes([...EVERYWHERE, 'private receipt']),
      ...['signer: signer eth_sendTransaction', 'signer: store payload'],
      ...['ptm1: ptm POST /storeraw', 'ptm1: store payload'],
      ...['ptm1: ptm POST /sendsignedtx', 'ptm1: push payload'],
      ...['ptm2: ptm POST /push/batch', 'ptm2: store payload'],
      'node1: rpc eth_sendRawPrivateTransaction',
    ]);
    const names = namesOf(spans);
    // Strangers say the same as parties.
    const shownBy = (node: string) =>
      spans
        .filter(({ service, traceId }) => service === node && traceId === sent.hidden.slice(2, 34))
        .map(({ name, attributes }) => [name, Object.keys(attributes)]);
    expect(shownBy('node3')).toEqual(shownBy('node2'));
    expect(names.filter((name) => /^ptm[34]/.test(name))).toEqual([]);
    const [key] = net.keys;
    const said = JSON.stringify(collector.spans);
    expect(said).not.toContain(key);
    expect(said).not.toContain('600a600c600039');
  });
});
