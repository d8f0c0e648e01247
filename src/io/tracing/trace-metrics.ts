/** Metrics of the export of traces, with Prometheus' names. */
import type { PrometheusMetrics } from '../telemetry/prometheus.ts';
import type { Tracing } from './tracing.ts';

export function watchTraces(
  metrics: PrometheusMetrics,
  { figures }: Pick<Tracing, 'figures'>,
): void {
  metrics.probe('tracing_spans_exported_total', 'counter', () => figures().exported);
  metrics.probe('tracing_spans_dropped_total', 'counter', () => figures().dropped);
  metrics.probe('tracing_spans_waiting', 'gauge', () => figures().waiting);
}
