import { expect, it } from 'vitest';
import { labelsText, PrometheusMetrics } from './prometheus.ts';

it('durations are histograms whose buckets add up, by labels', () => {
  const metrics = new PrometheusMetrics();
  const name = `x_duration_seconds${labelsText({ route: '/a "b"' })}`;
  for (const seconds of [0.0005, 0.001, 0.3, 99]) metrics.observe(name, seconds);
  const lines = metrics.exposition().trim().split('\n');
  expect(lines[0]).toBe('# TYPE x_duration_seconds histogram');
  const at = (bound: string) =>
    lines.find((line) => line.includes(`le="${bound}"`))?.replace(/^.* /, '');
  expect(lines[1]).toBe('x_duration_seconds_bucket{route="/a \\"b\\"",le="0.001"} 2');
  expect([at('0.25'), at('0.5'), at('30'), at('+Inf')]).toEqual(['2', '3', '3', '4']);
  expect(lines.at(-2)).toBe('x_duration_seconds_sum{route="/a \\"b\\""} 99.3015');
  expect(lines.at(-1)).toBe('x_duration_seconds_count{route="/a \\"b\\""} 4');
});

it('other values are summaries, and names without labels get the bound alone', () => {
  const metrics = new PrometheusMetrics();
  metrics.observe('signing_duration', 2);
  metrics.observe('y_seconds', 2);
  const text = metrics.exposition();
  expect(text).toContain('# TYPE signing_duration summary\nsigning_duration_sum 2\n');
  expect(text).toContain('y_seconds_bucket{le="2.5"} 1\n');
});
