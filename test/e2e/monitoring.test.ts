/**
 * Dashboards and alerts ask for what exists: every expression is PromQL, and finds its series in a
 * scrape of all processes of a devnet.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { MetricsRegistry } from '../../src/io/telemetry/metrics.ts';
import { watchRaft } from '../../src/services/ledger/monitoring/raft-metrics.ts';
import { DASHBOARDS } from '../../tools/dashboards/all.ts';
import { until } from '../support/conditions.ts';
import { PROJECT, startTestDevnet, type TestDevnet, untilMined } from '../support/devnet.ts';
import { expressionOf, isFound, type Matcher, type Series, seriesOf } from '../support/promql.ts';
import { rpcClient } from '../support/rpc-client.ts';
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

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

const { groups } = parse(readFileSync(join(DEPLOY, 'prometheus/alerts.yml'), 'utf8'));
const alerts: readonly Alert[] = groups.flatMap(({ rules }: { rules: Alert[] }) => rules);

let net: TestDevnet;
let series: Series[];
/** Of a node's metrics, by name. */
let types: Map<string, string>;
beforeAll(async () => {
  net = await startTestDevnet();
  const { nodes, signer, staking, ramp, accounts } = net.devnet.description;
  const [first] = net.rpc;
  const [from, to] = accounts.map(({ address }) => address);
  const [, key] = net.keys;
  const data = '0x600a600c600039600a6000f3602a60005260206000f3';
  const gas = '0x47b760';
  const hidden = await first!.call<string>('eth_sendTransaction', {
    ...{ from, data, gas, privateFor: [key] },
  });
  await untilMined(first!, hidden);
  const proxy = rpcClient(signer.rpc);
  await untilMined(first!, await proxy.call('eth_sendTransaction', { from, to, value: '0x1' }));
  const urls = nodes.flatMap(({ metrics, ptm }) => [metrics, ptm.metrics]);
  urls.push(signer.metrics, staking.metrics, ramp.metrics);
  const scrape = async () =>
    (await Promise.all(urls.map(async (url) => (await fetch(url)).text()))).join('\n');
  await until('the ramp has its prices', async () =>
    (await scrape()).includes('\nramp_price_age_seconds '),
  );
  const text = await (await fetch(nodes[0]!.metrics)).text();
  types = new Map(
    [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name!, type!]),
  );
  series = [...seriesOf(await scrape()), ...(await ofRaft()), { name: 'up', labels: {} }];
});
afterAll(() => net?.close());

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

it('a query that nothing answers is noticed', () => {
  expect(lacking('sum by (colour) (rate(chain_head_blocks[5m]))')).toEqual([
    'chain_head_blocks',
    'colour',
  ]);
  expect(lacking('chain_execution{quantile="0.51"}')).toEqual(['chain_execution']);
  expect(() => lacking('rate(chain_head_block[5m')).toThrow('not PromQL');
});
