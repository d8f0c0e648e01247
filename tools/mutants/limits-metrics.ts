/** Limits of the tables of metrics. */
import type { Limit } from './limit.ts';

const METRICS = {
  file: 'src/io/telemetry/metrics.ts',
  test: 'src/io/telemetry/metrics.test.ts',
};

export const METRICS_LIMITS: readonly Limit[] = [
  {
    ...METRICS,
    name: 'metrics: names of a node',
    on: 'probes.size + families.size < NAMES_MAX',
    off: 'probes.size + families.size < Number.POSITIVE_INFINITY',
  },
  {
    ...METRICS,
    file: 'src/io/telemetry/prometheus.ts',
    name: 'metrics: names of other services',
    on: ' || this.series.size >= NAMES_MAX',
    off: '',
  },
  {
    ...METRICS,
    name: 'metrics: values of a label',
    on: 'if (left-- === 0) return;',
    off: 'left--;',
  },
  {
    ...METRICS,
    name: 'metrics: values of a summary',
    on: 'summary.sample[summary.count % SAMPLE_SIZE] = value;',
    off: 'summary.sample.push(value);',
  },
];
