/**
 * Metrics in memory and their Prometheus text as its own client libraries write it. A name may
 * carry labels: `requests_total{method="x"}`.
 */
import type { Metrics } from '../../core/base/ports.ts';

/** Further names are ignored: nobody outside may grow the table. */
const NAMES_MAX = 4096;

type Kind = 'counter' | 'gauge' | 'summary';

interface Series {
  readonly kind: Kind;
  /** Of a summary: the sum. */
  value: number;
  count: number;
  readonly read?: () => number;
}

export class PrometheusMetrics implements Metrics {
  private readonly series = new Map<string, Series>();

  count(name: string, by = 1): void {
    const found = this.find(name, 'counter');
    if (found) found.value += by;
  }

  gauge(name: string, value: number): void {
    const found = this.find(name, 'gauge');
    if (found) found.value = value;
  }

  observe(name: string, value: number): void {
    const found = this.find(name, 'summary');
    if (!found) return;
    found.value += value;
    found.count++;
  }

  /** Read when metrics are requested. */
  probe(name: string, kind: 'counter' | 'gauge', read: () => number): void {
    this.series.set(name, { kind, value: 0, count: 0, read });
  }

  /** Metrics whose name passes, by name. */
  exposition(passes: (name: string) => boolean = () => true): string {
    const families = new Map<string, { kind: Kind; lines: string[] }>();
    for (const [key, series] of [...this.series].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const brace = key.indexOf('{');
      const name = brace < 0 ? key : key.slice(0, brace);
      const labels = brace < 0 ? '' : key.slice(brace);
      if (!passes(name)) continue;
      const family = families.get(name) ?? { kind: series.kind, lines: [] };
      families.set(name, family);
      const value = series.read ? series.read() : series.value;
      if (series.kind === 'summary')
        family.lines.push(
          `${name}_count${labels} ${series.count}`,
          `${name}_sum${labels} ${value}`,
        );
      else family.lines.push(`${name}${labels} ${value}`);
    }
    return [...families]
      .map(([name, { kind, lines }]) => `# TYPE ${name} ${kind}\n${lines.join('\n')}\n`)
      .join('');
  }

  private find(name: string, kind: Kind): Series | undefined {
    const found = this.series.get(name);
    if (found || this.series.size >= NAMES_MAX) return found;
    const made: Series = { kind, value: 0, count: 0 };
    this.series.set(name, made);
    return made;
  }
}

/** A value between quotes in a label. */
export function labelText(text: string): string {
  return text.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n');
}
