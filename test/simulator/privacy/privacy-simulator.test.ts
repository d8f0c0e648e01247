import { describe, expect, it } from 'vitest';
import { seeds } from '../../support/effort.ts';
import { PRIVACY_CANARIES } from './canaries.ts';
import { runPrivacySeed } from './world.ts';

/** The last seed found a bug: a killed node continued to write to its disk. */
const SEEDS = [1, 2, 3, 4, 8, 7000503];
/** Seeds that expose a planted bug, by its name. */
const CANARY_SEEDS: Readonly<Record<string, readonly number[]>> = {
  'privacy-outage-means-stranger': [3, 4],
};

const outcomes = new Map<number, ReturnType<typeof runPrivacySeed>>();

/** Runs each seed only once, and keeps the outcome. */
function outcomeOf(seed: number): ReturnType<typeof runPrivacySeed> {
  const outcome = outcomes.get(seed) ?? runPrivacySeed(seed);
  outcomes.set(seed, outcome);
  return outcome;
}

describe('private transactions in the simulator', () => {
  it('heal in the listed schedules, and blocks continue', async () => {
    for (const seed of seeds(SEEDS)) {
      const outcome = await outcomeOf(seed);
      expect(outcome).toMatchObject({ seed, failure: undefined });
      expect(outcome.events).toBeGreaterThan(20);
    }
  });

  it('gives the same world for the same seed', async () => {
    expect(await runPrivacySeed(1)).toEqual(await outcomeOf(1));
    expect((await outcomeOf(2)).digest).not.toBe((await outcomeOf(1)).digest);
  });

  it.each(PRIVACY_CANARIES.map((canary) => [canary.name, canary] as const))(
    'finds the planted bug %s',
    async (name, canary) => {
      const listed = CANARY_SEEDS[name] ?? [];
      expect(listed.length).toBeGreaterThan(0);
      for (const seed of seeds(listed))
        expect((await runPrivacySeed(seed, { canary })).failure).toBeTypeOf('string');
    },
  );
});
