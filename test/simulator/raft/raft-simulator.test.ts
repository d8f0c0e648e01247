import { describe, expect, it } from 'vitest';
import { seeds } from '../../support/effort.ts';
import { RAFT_CANARIES } from './canaries.ts';
import { runRaftSeed } from './world.ts';

/**
 * The last seed found a bug: a learner asks for its promotion after its removal, before it has
 * learned of the removal.
 */
const SEEDS = [...Array.from({ length: 24 }, (_, at) => at + 1), 2011468];
/** Seeds that expose a planted bug, by its name. */
const CANARY_SEEDS: Readonly<Record<string, readonly number[]>> = {
  'raft-small-quorum': [4, 5, 6],
  'raft-second-vote': [1, 3, 4],
  'raft-stale-log-elected': [1, 11, 17],
  'raft-unsynced-log': [1, 2, 5],
};

describe('Raft in the simulator', () => {
  it('keeps its properties in the listed schedules, and recovers', {
    timeout: 60_000,
  }, async () => {
    for (const seed of seeds(SEEDS)) {
      expect(await runRaftSeed(seed)).toMatchObject({ seed, failure: undefined });
    }
  });

  it('gives the same world for the same seed', async () => {
    expect(await runRaftSeed(5)).toEqual(await runRaftSeed(5));
    expect((await runRaftSeed(6)).digest).not.toBe((await runRaftSeed(5)).digest);
  });

  it.each(RAFT_CANARIES.map((canary) => [canary.name, canary] as const))(
    'finds the planted bug %s',
    { timeout: 60_000 },
    async (name, canary) => {
      const listed = CANARY_SEEDS[name] ?? [];
      expect(listed.length).toBeGreaterThan(0);
      for (const seed of seeds(listed)) {
        expect((await runRaftSeed(seed, { canary })).failure).toBeTypeOf('string');
      }
    },
  );
});
