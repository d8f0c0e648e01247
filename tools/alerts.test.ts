/**
 * Each alert fires on the series of deploy/prometheus/tests, with the texts there, and is silent on
 * others. `promtool test rules` reads the same files.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type Firing, firing, type Rule } from '../test/support/promql/alerts.ts';
import { evaluate } from '../test/support/promql/evaluate.ts';
import { seriesOf } from '../test/support/promql/queries.ts';
import { samplesOf, secondsOf } from '../test/support/promql/samples.ts';

const FOLDER = resolve(import.meta.dirname, '../deploy/prometheus');

interface Scene {
  readonly name: string;
  readonly interval: string;
  readonly input_series: readonly { readonly series: string; readonly values: string }[];
  readonly alert_rule_test: readonly {
    readonly alertname: string;
    readonly eval_time: string;
    readonly exp_alerts: readonly {
      readonly exp_labels: Firing['labels'];
      readonly exp_annotations: Firing['annotations'];
    }[];
  }[];
}

const read = (file: string) => parse(readFileSync(resolve(FOLDER, file), 'utf8'));
const rules: readonly Rule[] = read('alerts.yml').groups.flatMap(
  (group: { rules: readonly Rule[] }) => group.rules,
);
const files = readdirSync(resolve(FOLDER, 'tests')).map((name) => read(`tests/${name}`));
const scenes: readonly Scene[] = files.flatMap(({ tests }) => tests);
const STEP = 15;

function happened(name: string, at: string, { input_series, interval }: Scene): Firing[] {
  const series = input_series.map(({ series, values }) => ({
    ...seriesOf(series)[0]!,
    samples: samplesOf(values, secondsOf(interval)),
  }));
  const rule = rules.find(({ alert }) => alert === name)!;
  return firing(rule, series, { interval: STEP, at: secondsOf(at) });
}

describe.each(scenes.map((scene) => [scene.name, scene] as const))('%s', (_, scene) => {
  it.each(scene.alert_rule_test.map((each) => [each.alertname, each.eval_time, each] as const))(
    '%s at %s',
    (name, time, { exp_alerts }) => {
      const expected = exp_alerts.map(({ exp_labels, exp_annotations }) => ({
        labels: exp_labels,
        annotations: exp_annotations,
      }));
      expect(happened(name, time, scene)).toEqual(expected);
    },
  );
});

it('rules are evaluated as often as the files say', () => {
  expect(files.map(({ evaluation_interval }) => secondsOf(evaluation_interval))).toEqual([
    STEP,
    STEP,
  ]);
});

it('every alert has a time at which it fires, and one at which it does not', () => {
  const times = scenes.flatMap(({ alert_rule_test }) => alert_rule_test);
  const named = (isFiring: boolean) =>
    new Set(
      times
        .filter(({ exp_alerts }) => exp_alerts.length > 0 === isFiring)
        .map(({ alertname }) => alertname),
    );
  const all = rules.map(({ alert }) => alert).sort();
  expect([...named(true)].sort()).toEqual(all);
  expect([...named(false)].sort()).toEqual(all);
});

it('what the evaluation does not know it refuses', () => {
  const series = [{ name: 'up', labels: { instance: 'a' }, samples: samplesOf('1', 15) }];
  for (const unknown of [
    'topk(1, up)',
    'sum without (job) (up)',
    'avg by (job) (up)',
    'up offset 5m',
    'deriv(up[5m])',
    'up and ignoring (job) up',
    'up * on (job) group_left () up',
    'up unless up',
    '-up',
  ])
    expect(() => evaluate(unknown, series, 0), unknown).toThrow('not known here');
  expect(() => evaluate('up >', series, 0)).toThrow();
  expect(() => samplesOf('1 stale', 15)).toThrow('not values of a series');
});
