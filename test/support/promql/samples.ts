/** Samples of synthetic series, in the notation of `promtool test rules`. */
import type { Series } from './queries.ts';

export interface Sample {
  /** In seconds. */
  readonly at: number;
  readonly value: number;
}

export interface SampledSeries extends Series {
  readonly samples: readonly Sample[];
}

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };
/** `5`, `5x3` (5, and 3 times again), `5+2x3` (5 7 9 11), `5-2x3`, `_`, `_x3`. */
const ITEM = /^(?:(_)|(-?[\d.]+))(?:([+-][\d.]+))?(?:x(\d+))?$/;

/** `1h30m` in seconds. */
export function secondsOf(duration: string): number {
  const parts = [...duration.matchAll(/(\d+)([smhd])/g)];
  if (parts.map(([part]) => part).join('') !== duration)
    throw new Error(`not a duration: ${duration}`);
  return parts.reduce((sum, [, count, unit]) => sum + Number(count) * UNITS[unit!]!, 0);
}

/** The values of a series from second 0 on, one every `interval` seconds. */
export function samplesOf(values: string, interval: number): Sample[] {
  const samples: Sample[] = [];
  let step = 0;
  for (const item of values.trim().split(/\s+/)) {
    const match = ITEM.exec(item);
    if (!match) throw new Error(`not values of a series: ${item}`);
    const [, missing, first, change = '0', times = '0'] = match;
    for (let turn = 0; turn <= Number(times) - (missing && match[4] ? 1 : 0); turn++, step++) {
      if (missing) continue;
      samples.push({ at: step * interval, value: Number(first) + turn * Number(change) });
    }
  }
  return samples;
}
