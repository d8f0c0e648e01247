/** Load and memory of this machine and process, under geth's names (go-ethereum metrics/cpu.go). */
import { cpus } from 'node:os';
import type { MetricsRegistry } from './metrics.ts';

/** Percent of one core: 200 is two cores at work. */
const PERCENT = 100;

/** Adds probes; loads are those since the last look. */
export function watchSystem(metrics: MetricsRegistry): void {
  metrics.probe('system/cpu/procload', loadSince(processCpuMs));
  metrics.probe('system/cpu/sysload', loadSince(busyCpuMs));
  metrics.probe('system/memory/used', () => process.memoryUsage().heapUsed);
  metrics.probe('system/memory/held', () => process.memoryUsage.rss());
}

function loadSince(spentMs: () => number): () => number {
  let last = { atMs: performance.now(), spent: spentMs() };
  let load = 0;
  return () => {
    const now = { atMs: performance.now(), spent: spentMs() };
    const passed = now.atMs - last.atMs;
    if (passed < 1) return load;
    load = Math.max(0, Math.round(((now.spent - last.spent) / passed) * PERCENT));
    last = now;
    return load;
  };
}

function processCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function busyCpuMs(): number {
  return cpus().reduce(
    (sum, { times }) => sum + times.user + times.nice + times.sys + times.irq,
    0,
  );
}
