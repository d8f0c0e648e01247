import { expect, it } from 'vitest';
import { MetricsRegistry } from './metrics.ts';
import { PrometheusMetrics } from './prometheus.ts';

const NAMES_MAX = 4096;
const LABELS_MAX = 1024;

it('reads as many values of a label as are shown, and no more', () => {
  const metrics = new MetricsRegistry();
  let read = 0;
  metrics.family('peers', 'peer', function* () {
    for (; read < 2 * LABELS_MAX; read++) yield [`peer${read}`, read] as const;
  });
  const lines = metrics.exposition().trim().split('\n');
  expect(lines).toHaveLength(1 + LABELS_MAX);
  expect(read).toBe(LABELS_MAX);
  read = 0;
  expect(Object.keys(metrics.snapshot())).toHaveLength(LABELS_MAX);
  expect(read).toBe(LABELS_MAX);
});

it.each([
  ['a node', () => new MetricsRegistry()],
  ['a manager, a proxy and other services', () => new PrometheusMetrics()],
])('the table of %s has room for so many names', (_whose, open) => {
  const metrics = open();
  for (let at = 0; at < NAMES_MAX + 10; at++) metrics.count(`requests_${at}`);
  metrics.observe('later', 1);
  metrics.gauge('later', 1);
  metrics.count('requests_0');
  const text = metrics.exposition();
  expect(text.match(/^requests_/gm)).toHaveLength(NAMES_MAX);
  expect(text).toContain('requests_0 2\n');
  expect(text).not.toContain('later');
});

it('quantiles are those of the latest values', () => {
  const metrics = new MetricsRegistry();
  for (let at = 0; at < 1028; at++) metrics.observe('wait', 1);
  for (let at = 0; at < 1028; at++) metrics.observe('wait', 2);
  expect(metrics.exposition()).toContain('wait {quantile="0.5"} 2\n');
  expect(metrics.snapshot()).toEqual({ wait_count: 2056, wait_mean: 1.5 });
});
