/**
 * Metrics in memory and their Prometheus text in the form of Prometheus's own client libraries. A
 * name may include labels: `requests_total{method="x"}`. Durations, whose names end in `_seconds`,
 * are histograms; other observed values are summaries without quantiles.
 */
import type { Metrics } from '../../core/base/ports.ts';
import { helpLine, type MetricHelp } from './metric-rows.ts';

/** Further names are ignored, so that requests from outside cannot grow the table. */
const NAMES_MAX = 4096;

/** Upper bounds in seconds: from an answer out of memory to one for which users no longer wait. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

type Kind = 'counter' | 'gauge' | 'summary' | 'histogram';

interface Series {
  readonly kind: Kind;
  /** For a summary or histogram: the sum. */
  value: number;
  count: number;
  /** For a histogram: the number of values up to each bound and above the previous one. */
  readonly buckets?: number[];
  readonly read?: () => number;
}

export class PrometheusMetrics implements Metrics {
  private readonly series = new Map<string, Series>();
  private readonly help: MetricHelp;

  constructor(help: MetricHelp = () => undefined) {
    this.help = help;
  }

  count(name: string, by = 1): void {
    const found = this.find(name, 'counter');
    if (found) found.value += by;
  }

  gauge(name: string, value: number): void {
    const found = this.find(name, 'gauge');
    if (found) found.value = value;
  }

  observe(name: string, value: number): void {
    const found = this.find(name, isDuration(name) ? 'histogram' : 'summary');
    if (!found) return;
    found.value += value;
    found.count++;
    const bucket = BUCKETS.findIndex((bound) => value <= bound);
    if (found.buckets && bucket >= 0) found.buckets[bucket]!++;
  }

  /** Adds a metric that is read when metrics are requested. */
  probe(name: string, kind: 'counter' | 'gauge', read: () => number): void {
    this.series.set(name, { kind, value: 0, count: 0, read });
  }

  /** Metrics whose name passes, sorted by name. */
  exposition(passes: (name: string) => boolean = () => true): string {
    const families = new Map<string, { kind: Kind; lines: string[] }>();
    for (const [key, series] of [...this.series].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const { name, labels } = nameAndLabels(key);
      if (!passes(name)) continue;
      const family = families.get(name) ?? { kind: series.kind, lines: [] };
      families.set(name, family);
      family.lines.push(...linesOf(series, name, labels));
    }
    return [...families]
      .map(
        ([name, { kind, lines }]) =>
          `${helpLine(name, this.help(name))}# TYPE ${name} ${kind}\n${lines.join('\n')}\n`,
      )
      .join('');
  }

  private find(name: string, kind: Kind): Series | undefined {
    const found = this.series.get(name);
    if (found || this.series.size >= NAMES_MAX) return found;
    const buckets = kind === 'histogram' ? BUCKETS.map(() => 0) : undefined;
    const made: Series = { kind, value: 0, count: 0, ...(buckets && { buckets }) };
    this.series.set(name, made);
    return made;
  }
}

function linesOf(series: Series, name: string, labels: string): string[] {
  const value = series.read ? series.read() : series.value;
  if (series.kind !== 'summary' && series.kind !== 'histogram')
    return [`${name}${labels} ${value}`];
  let upTo = 0;
  const bucket = (bound: string, count: number) =>
    `${name}_bucket${withLabel(labels, `le="${bound}"`)} ${count}`;
  return [
    ...(series.buckets ?? []).map((count, at) => {
      upTo += count;
      return bucket(String(BUCKETS[at]), upTo);
    }),
    ...(series.buckets ? [bucket('+Inf', series.count)] : []),
    `${name}_sum${labels} ${value}`,
    `${name}_count${labels} ${series.count}`,
  ];
}

function isDuration(key: string): boolean {
  return nameAndLabels(key).name.endsWith('_seconds');
}

function nameAndLabels(key: string): { readonly name: string; readonly labels: string } {
  const brace = key.indexOf('{');
  return brace < 0
    ? { name: key, labels: '' }
    : { name: key.slice(0, brace), labels: key.slice(brace) };
}

function withLabel(labels: string, label: string): string {
  return labels === '' ? `{${label}}` : `${labels.slice(0, -1)},${label}}`;
}

/** `{name="value",…}`, for the end of a metric's name. */
export function labelsText(named: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(named).map(([name, text]) => `${name}="${labelText(text)}"`);
  return `{${pairs.join(',')}}`;
}

/** Escapes a label's value, which is put between quotes. */
export function labelText(text: string): string {
  return text.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n');
}
