/**
 * Load, memory and disk of this machine and process, under geth's names (go-ethereum
 * metrics/cpu.go, disk.go). Values that only Linux provides are missing on other systems.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { PerformanceObserver } from 'node:perf_hooks';
import type { MetricsRegistry } from './metrics.ts';

/** Percent of one core: 200 means two busy cores. */
const PERCENT = 100;
const NANOSECONDS_PER_MS = 1e6;
/** Column of /proc/stat. */
const IOWAIT_FIELD = 5;
const MS_PER_TICK = 10;
/** Names in /proc/self/io by geth's names. */
const DISK_FIELDS = {
  ...{ readcount: 'syscr', readdata: 'rchar', readbytes: 'read_bytes' },
  ...{ writecount: 'syscw', writedata: 'wchar', writebytes: 'write_bytes' },
};

/** Adds the gauges; each load is measured since it was last read. */
export function watchSystem(metrics: MetricsRegistry): void {
  metrics.probe('system/cpu/procload', loadSince(processCpuMs));
  metrics.probe('system/cpu/sysload', loadSince(busyCpuMs));
  metrics.probe('system/memory/used', () => process.memoryUsage().heapUsed);
  metrics.probe('system/memory/held', () => process.memoryUsage.rss());
  watchPauses(metrics);
  if (process.platform === 'linux') watchLinux(metrics);
}

/** Counts the nanoseconds for which the garbage collector stopped this thread. */
function watchPauses(metrics: MetricsRegistry): void {
  metrics.count('system/memory/pauses', 0);
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries())
      metrics.count('system/memory/pauses', Math.round(duration * NANOSECONDS_PER_MS));
  });
  observer.observe({ entryTypes: ['gc'] });
}

function watchLinux(metrics: MetricsRegistry): void {
  metrics.probe('system/cpu/syswait', loadSince(waitingCpuMs));
  metrics.probe('system/cpu/threads', () => readdirSync('/proc/self/task').length);
  for (const [name, field] of Object.entries(DISK_FIELDS))
    metrics.probe(`system/disk/${name}`, () => numberIn('/proc/self/io', field));
}

function numberIn(file: string, field: string): number {
  return Number(new RegExp(`^${field}: (\\d+)$`, 'm').exec(readFileSync(file, 'utf8'))?.[1] ?? 0);
}

/** Milliseconds in which cores only waited for a disk. */
function waitingCpuMs(): number {
  const fields = readFileSync('/proc/stat', 'utf8').split('\n')[0]!.trim().split(/\s+/);
  return Number(fields[IOWAIT_FIELD]) * MS_PER_TICK;
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
