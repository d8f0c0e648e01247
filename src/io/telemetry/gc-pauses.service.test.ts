import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { until } from '../../../test/support/conditions.ts';
import { GcPauses } from './gc-pauses.ts';

it('counts pauses, and remembers the last 256, the newest first', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options: object) => void;
  const pauses = new GcPauses();
  pauses.start();
  const begun = Date.now() - 1_000;
  for (let i = 0; i < 300; i++) collect({ type: 'minor' });
  await until('all are counted', () => pauses.figures().count >= 300);
  pauses.stop();
  const { count, totalMs, pauses: last } = pauses.figures();
  expect(last).toHaveLength(256);
  expect(count).toBeGreaterThanOrEqual(300);
  expect(totalMs).toBeGreaterThan(0);
  const ends = last.map(({ endMs }) => endMs);
  expect(ends).toEqual([...ends].sort((a, b) => b - a));
  expect(ends.at(-1)).toBeGreaterThan(begun);
  expect(ends[0]).toBeLessThan(Date.now() + 1_000);
});
