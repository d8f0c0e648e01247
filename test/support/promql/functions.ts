/** Functions of PromQL over the samples of a range, as Prometheus computes them. */
import type { Sample } from './samples.ts';

/** From `from` to `to`, in seconds. */
export interface Range {
  readonly samples: readonly Sample[];
  readonly from: number;
  readonly to: number;
}

/** Undefined: the function has no value there. */
export type RangeFunction = (range: Range, argument: number) => number | undefined;

/** A range is taken to begin or end with the sample that is so many average distances away. */
const NEAR = 1.1;

export const RANGE_FUNCTIONS: Readonly<Record<string, RangeFunction>> = {
  increase: (range) => increase(range),
  rate(range) {
    const found = increase(range);
    return found === undefined ? undefined : found / (range.to - range.from);
  },
  min_over_time: ({ samples }) => Math.min(...samples.map(({ value }) => value)),
  changes: ({ samples }) =>
    samples.filter(({ value }, at) => at > 0 && value !== samples[at - 1]!.value).length,
  predict_linear: predicted,
};

/** Of a counter, with its restarts, extrapolated to the whole range. */
function increase({ samples, from, to }: Range): number | undefined {
  const [first, last] = [samples[0], samples.at(-1)];
  if (!first || !last || samples.length < 2) return undefined;
  const restarts = samples.reduce((sum, { value }, at) => {
    const before = samples[at - 1]?.value ?? 0;
    return value < before ? sum + before : sum;
  }, 0);
  const grown = last.value - first.value + restarts;
  const seen = last.at - first.at;
  const distance = seen / (samples.length - 1);
  let before = first.at - from;
  if (before >= distance * NEAR) before = distance / 2;
  // A counter is not extrapolated to less than nothing.
  if (grown > 0) before = Math.min(before, seen * (first.value / grown));
  let after = to - last.at;
  if (after >= distance * NEAR) after = distance / 2;
  return grown * ((before + seen + after) / seen);
}

/** The line of least squares, `ahead` seconds after the end of the range. */
function predicted({ samples, to }: Range, ahead: number): number | undefined {
  if (samples.length < 2) return undefined;
  const count = samples.length;
  const sum = (of: (sample: Sample) => number) =>
    samples.reduce((total, each) => total + of(each), 0);
  const times = sum(({ at }) => at - to);
  const values = sum(({ value }) => value);
  const products = sum(({ at, value }) => (at - to) * value);
  const squares = sum(({ at }) => (at - to) ** 2);
  const slope = (products - (times * values) / count) / (squares - (times * times) / count);
  return values / count - (slope * times) / count + slope * ahead;
}
