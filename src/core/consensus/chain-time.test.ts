import { expect, it } from 'vitest';
import { bftRules } from '../../../test/support/bft-chain.ts';
import { ChainTime } from './chain-time.ts';

const HOUR_MS = 3_600_000;
const START_MS = 1_700_000_000_000;
const RULES = bftRules('qbft');

function world() {
  const at = { calendarMs: START_MS, steadyMs: 0 };
  const time = new ChainTime({ nowMs: () => at.calendarMs }, { nowMs: () => at.steadyMs });
  const pass = (ms: number) => {
    at.calendarMs += ms;
    at.steadyMs += ms;
  };
  const seconds = (): bigint => BigInt(Math.floor(time.nowMs() / 1000));
  return { at, time, pass, seconds };
}

it('is the calendar while that is not behind the blocks', () => {
  const { at, time, pass, seconds } = world();
  time.decided(seconds(), RULES);
  pass(10_000);
  expect([time.nowMs(), time.leadMs()]).toEqual([at.calendarMs, 0]);
  at.calendarMs += HOUR_MS;
  expect(time.nowMs()).toBe(at.calendarMs);
});

it('continues when the calendar is set back, and lets it catch up within a day', () => {
  const { at, time, pass, seconds } = world();
  time.decided(seconds(), RULES);
  at.calendarMs -= HOUR_MS;
  expect(time.leadMs()).toBe(HOUR_MS);
  const before = time.nowMs();
  pass(1000);
  expect(time.nowMs() - before).toBeGreaterThan(900);
  for (let hours = 0; hours < 24; hours++) {
    pass(HOUR_MS);
    time.decided(seconds(), RULES);
  }
  expect(time.leadMs()).toBe(0);
});

it('is not pushed ahead by proposers that use up what the rules allow', () => {
  const { time, pass, seconds } = world();
  const rules = { ...RULES, allowedFutureBlockSeconds: 5 };
  for (let blocks = 0; blocks < 1000; blocks++) {
    time.decided(seconds() + 5n, rules);
    pass(1000);
  }
  expect(time.leadMs()).toBe(0);
});
