/** Metrics of this process, under the names that all client libraries of Prometheus use. */
import { readdirSync } from 'node:fs';
import type { PrometheusMetrics } from './prometheus.ts';

export function watchProcess(metrics: PrometheusMetrics): void {
  const startedSeconds = Date.now() / 1000 - process.uptime();
  metrics.gauge('process_start_time_seconds', startedSeconds);
  metrics.probe('process_cpu_seconds_total', 'counter', () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  });
  metrics.probe('process_resident_memory_bytes', 'gauge', () => process.memoryUsage.rss());
  metrics.probe('process_open_fds', 'gauge', openFiles);
}

function openFiles(): number {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return Number.NaN;
  }
}
