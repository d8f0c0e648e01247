/**
 * What each metric means, for the text of a scrape and for the documentation: rows of a table for
 * each service. The rows here are of metrics that several services have.
 */

export interface MetricRow {
  /** `<…>` stands for a part that varies; labels are in braces. */
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'summary' | 'histogram';
  readonly about: string;
}

/** The meaning of a metric by its name without labels; undefined: no row has it. */
export type MetricHelp = (name: string) => string | undefined;

export function helpOf(rows: readonly MetricRow[]): MetricHelp {
  const whole = new Map<string, string>();
  const patterns: (readonly [RegExp, string])[] = [];
  for (const { name, about } of rows) {
    const bare = name.replace(/\{.*$/, '');
    if (bare.includes('<')) patterns.push([patternOf(bare), about]);
    else whole.set(bare, about);
  }
  return (name) => whole.get(name) ?? patterns.find(([pattern]) => pattern.test(name))?.[1];
}

function patternOf(name: string): RegExp {
  return new RegExp(`^${name.replace(/<\w+>/g, '\\w+')}$`);
}

/** Line of the exposition format; empty where nothing is known. */
export function helpLine(name: string, about: string | undefined): string {
  return about === undefined ? '' : `# HELP ${name} ${about}\n`;
}

export const DISK_METRICS: readonly MetricRow[] = [
  {
    name: 'quorate_disk_free_bytes',
    type: 'gauge',
    about: 'Bytes that the process may still write on the disk of its data',
  },
  { name: 'quorate_disk_size_bytes', type: 'gauge', about: 'Size of the disk of its data' },
];

export const PROCESS_METRICS: readonly MetricRow[] = [
  {
    name: 'process_start_time_seconds',
    type: 'gauge',
    about: 'Start of the process, in seconds since 1970',
  },
  {
    name: 'process_cpu_seconds_total',
    type: 'counter',
    about: 'User and system CPU time of the process in seconds',
  },
  { name: 'process_resident_memory_bytes', type: 'gauge', about: 'Memory of the process' },
  { name: 'process_open_fds', type: 'gauge', about: 'Open files and sockets' },
];

export const TRACE_METRICS: readonly MetricRow[] = [
  {
    name: 'tracing_spans_exported_total',
    type: 'counter',
    about: 'Spans that the collector of traces has taken',
  },
  { name: 'tracing_spans_dropped_total', type: 'counter', about: 'Spans that were dropped' },
  { name: 'tracing_spans_waiting', type: 'gauge', about: 'Spans that wait for the collector' },
];

export const SYSTEM_METRICS: readonly MetricRow[] = [
  {
    name: 'system_cpu_procload',
    type: 'gauge',
    about: 'Percent of a core that the process uses, since the last scrape',
  },
  {
    name: 'system_cpu_sysload',
    type: 'gauge',
    about: 'Percent of a core that the machine uses, since the last scrape',
  },
  {
    name: 'system_cpu_syswait',
    type: 'gauge',
    about: 'Percent of a core that waits for disks, since the last scrape',
  },
  { name: 'system_cpu_threads', type: 'gauge', about: 'Threads of the process' },
  { name: 'system_memory_used', type: 'gauge', about: 'Bytes of live objects' },
  { name: 'system_memory_held', type: 'gauge', about: 'Bytes of the whole process' },
  {
    name: 'system_memory_pauses',
    type: 'gauge',
    about: 'Nanoseconds in which garbage collection stopped everything else',
  },
  { name: 'system_disk_readcount', type: 'gauge', about: 'Read calls of the process' },
  { name: 'system_disk_readdata', type: 'gauge', about: 'Bytes that read calls returned' },
  { name: 'system_disk_readbytes', type: 'gauge', about: 'Bytes read from disks' },
  { name: 'system_disk_writecount', type: 'gauge', about: 'Write calls of the process' },
  { name: 'system_disk_writedata', type: 'gauge', about: 'Bytes given to write calls' },
  { name: 'system_disk_writebytes', type: 'gauge', about: 'Bytes written to disks' },
];

/** Of the requests that a service answers: `ptm`, `staking`, `ramp`. */
export function requestMetrics(service: string, labels: string): readonly MetricRow[] {
  return [
    {
      name: `${service}_http_requests_total{${labels},method,route,status}`.replace('{,', '{'),
      type: 'counter',
      about: 'Requests that were answered',
    },
    {
      name: `${service}_http_request_duration_seconds{${labels},route}`.replace('{,', '{'),
      type: 'histogram',
      about: 'Time to answer a request',
    },
  ];
}
