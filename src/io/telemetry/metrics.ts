/**
 * Metrics in memory and their Prometheus text, with the quirks of geth's exporter that its
 * dashboards rely on (go-ethereum metrics/prometheus): `/` becomes `_`, counters are typed gauge,
 * summaries put a space before `{quantile=…}` and have their count in a separate line.
 */
import type { Metrics } from '../../core/base/ports.ts';
import { helpLine, type MetricHelp } from './metric-rows.ts';

const QUANTILES = [0.5, 0.75, 0.95, 0.99, 0.999, 0.9999] as const;
/** Number of latest values from which quantiles are computed. */
const SAMPLE_SIZE = 1028;
/** Further names are ignored, so that requests from outside cannot grow the table. */
const NAMES_MAX = 4096;
/** Further values of a label are omitted. */
const LABELS_MAX = 1024;

/** Gauges with one name, distinguished by one label. */
interface Family {
  readonly label: string;
  readonly read: () => Iterable<readonly [value: string, figure: number]>;
}

interface Summary {
  count: number;
  sum: number;
  readonly sample: number[];
}

export class MetricsRegistry implements Metrics {
  private readonly values = new Map<string, number>();
  private readonly summaries = new Map<string, Summary>();
  private readonly probes = new Map<string, () => number>();
  private readonly families = new Map<string, Family>();
  private readonly help: MetricHelp;

  constructor(help: MetricHelp = () => undefined) {
    this.help = help;
  }

  count(name: string, by = 1): void {
    const key = metricName(name);
    const known = this.values.get(key);
    if (known !== undefined || this.hasRoom()) this.values.set(key, (known ?? 0) + by);
  }

  gauge(name: string, value: number): void {
    const key = metricName(name);
    if (this.values.has(key) || this.hasRoom()) this.values.set(key, value);
  }

  observe(name: string, value: number): void {
    const key = metricName(name);
    let summary = this.summaries.get(key);
    if (!summary) {
      if (!this.hasRoom()) return;
      summary = { count: 0, sum: 0, sample: [] };
      this.summaries.set(key, summary);
    }
    summary.sample[summary.count % SAMPLE_SIZE] = value;
    summary.count++;
    summary.sum += value;
  }

  /** Adds a gauge that is read when metrics are requested. */
  probe(name: string, read: () => number): void {
    if (this.hasRoom()) this.probes.set(metricName(name), read);
  }

  /** Adds gauges that are read when metrics are requested, one for each value of a label. */
  family(name: string, label: string, read: Family['read']): void {
    if (this.hasRoom()) this.families.set(metricName(name), { label, read });
  }

  /** Prometheus text, sorted by name. */
  exposition(): string {
    const blocks = new Map<string, string>();
    for (const [name, value] of this.values) blocks.set(name, gaugeText(name, value));
    for (const [name, read] of this.probes) blocks.set(name, gaugeText(name, read()));
    for (const [name, summary] of this.summaries) blocks.set(name, summaryText(name, summary));
    for (const [name, family] of this.families) blocks.set(name, familyText(name, family));
    return [...blocks.keys()]
      .sort()
      .map((name) => `${helpLine(name, this.help(name))}${blocks.get(name)!}`)
      .join('');
  }

  /** Current values by name: counters, gauges, and means of summaries. */
  snapshot(): Record<string, number> {
    const out: Record<string, number> = Object.fromEntries(this.values);
    for (const [name, read] of this.probes) out[name] = read();
    for (const [name, { label, read }] of this.families)
      for (const [value, figure] of labelled(read)) out[`${name}{${label}="${value}"}`] = figure;
    for (const [name, { count, sum }] of this.summaries) {
      out[`${name}_count`] = count;
      out[`${name}_mean`] = count === 0 ? 0 : sum / count;
    }
    return out;
  }

  private hasRoom(): boolean {
    const { values, summaries, probes, families } = this;
    return values.size + summaries.size + probes.size + families.size < NAMES_MAX;
  }
}

function metricName(name: string): string {
  return name.replace(/[^a-zA-Z0-9_:]/g, '_');
}

function gaugeText(name: string, value: number): string {
  return `# TYPE ${name} gauge\n${name} ${value}\n\n`;
}

function familyText(name: string, { label, read }: Family): string {
  let lines = '';
  for (const [value, figure] of labelled(read))
    lines += `${name} {${label}="${value}"} ${figure}\n`;
  return `# TYPE ${name} gauge\n${lines}\n`;
}

function* labelled(read: Family['read']): Generator<readonly [value: string, figure: number]> {
  let left = LABELS_MAX;
  for (const figure of read()) {
    if (left-- === 0) return;
    yield figure;
  }
}

function summaryText(name: string, { count, sample }: Summary): string {
  const sorted = [...sample].sort((a, b) => a - b);
  const lines = QUANTILES.map((q) => `${name} {quantile="${q}"} ${quantile(sorted, q)}\n`);
  return `# TYPE ${name}_count counter\n${name}_count ${count}\n\n# TYPE ${name} summary\n${lines.join('')}\n`;
}

/** Interpolates linearly between the two nearest ranks, as geth's sample does. */
function quantile(sorted: readonly number[], q: number): number {
  if (sorted.length === 0) return 0;
  const position = q * (sorted.length + 1);
  if (position < 1) return sorted[0]!;
  if (position >= sorted.length) return sorted.at(-1)!;
  const low = sorted[Math.floor(position) - 1]!;
  const high = sorted[Math.floor(position)]!;
  return low + (position - Math.floor(position)) * (high - low);
}
