import { expect, it } from 'vitest';
import { runKills } from '../kill/kill.ts';

const KILLS = 20;

it('loses nothing acknowledged over 20 kills under load', async () => {
  const seed = Math.floor(Math.random() * 2 ** 32);
  console.log(`kill test, seed ${seed}`);
  const report = await runKills(KILLS, seed, () => {});
  expect(report.kills).toBe(KILLS);
  expect(report.acknowledged).toBeGreaterThan(KILLS);
});
