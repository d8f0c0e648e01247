/** Alert rules over synthetic series: what fires at a time, with its texts. */

import { type Element, evaluate } from './evaluate.ts';
import type { Series } from './queries.ts';
import { type SampledSeries, secondsOf } from './samples.ts';

export interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: Series['labels'];
  readonly annotations: Readonly<Record<string, string>>;
}

export interface Firing {
  readonly labels: Series['labels'];
  readonly annotations: Readonly<Record<string, string>>;
}

/** Evaluates a rule every `interval` seconds from second 0 to `at`. */
export function firing(
  rule: Rule,
  series: readonly SampledSeries[],
  { interval, at }: { readonly interval: number; readonly at: number },
): Firing[] {
  const needed = secondsOf(rule.for ?? '0s');
  let since = new Map<string, number>();
  let current: readonly Element[] = [];
  for (let now = 0; now <= at; now += interval) {
    current = evaluate(rule.expr, series, now);
    since = new Map(current.map((each) => [keyOf(each), since.get(keyOf(each)) ?? now]));
  }
  return current
    .filter((each) => at - since.get(keyOf(each))! >= needed)
    .map((each) => ({
      labels: { ...each.labels, ...rule.labels },
      annotations: Object.fromEntries(
        Object.entries(rule.annotations).map(([name, text]) => [name, filled(text, each)]),
      ),
    }));
}

function keyOf({ labels }: Element): string {
  return JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Actions of Prometheus' templates; `humanize` for values that need no unit prefix. */
const FORMATS: Readonly<Record<string, (value: number) => string>> = {
  $value: String,
  '$value | humanize': unitless,
  '$value | humanizePercentage': (value) => `${fourDigits(100 * value)}%`,
  '$value | humanizeDuration': duration,
  'printf "%.2f" $value': (value) => value.toFixed(2),
};

function filled(template: string, { labels, value }: Element): string {
  return template.replace(/\{\{ (.*?) \}\}/g, (_, action: string) => {
    const [, label] = /^\$labels\.(\w+)$/.exec(action) ?? [];
    if (label !== undefined) return labels[label] ?? '';
    const shown = FORMATS[action];
    if (!shown) throw new Error(`not known here: ${action}`);
    return shown(value);
  });
}

function unitless(value: number): string {
  if (value < 1 || value >= 1000) throw new Error(`${value} would have a unit prefix`);
  return fourDigits(value);
}

function fourDigits(value: number): string {
  return String(Number(value.toPrecision(4)));
}

function duration(value: number): string {
  const seconds = Math.floor(value);
  const parts = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'm'],
    [seconds % 60, 's'],
  ] as const;
  const first = parts.findIndex(([count]) => count > 0);
  if (first < 0 || first === parts.length - 1) return `${fourDigits(value)}s`;
  return parts
    .slice(first)
    .map(([count, unit]) => `${count}${unit}`)
    .join(' ');
}
