import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Prng } from '../../src/core/base/prng.ts';
import { seeds } from '../support/effort.ts';
import { CANARIES } from './canaries/index.ts';
import {
  ASKED_CHAINS,
  type AskedChain,
  chainOf,
  drawPlan,
  faultCount,
  isChanging,
  withExtras,
  withFaults,
  withSlowness,
  withVotes,
} from './faults.ts';
import { runSeed } from './run.ts';

const PLANS = 600;
const FAR_KEYS = 6;

interface Schedule {
  readonly seed: number;
  /** undefined: the chain drawn from the seed. */
  readonly chain: AskedChain | undefined;
}

interface Seeds {
  readonly plain: readonly Schedule[];
  /** Seeds that expose a planted bug, by its name. */
  readonly canaries: ReadonlyMap<string, readonly number[]>;
}

function readSeeds(): Seeds {
  const plain: Schedule[] = [];
  const canaries = new Map<string, number[]>();
  const lines = readFileSync(join(import.meta.dirname, 'seeds.txt'), 'utf8').split('\n');
  for (const line of lines) {
    if (line === '' || line.startsWith('#')) continue;
    const [first, name, ...rest] = line.split(' ');
    if (first === 'canary') {
      canaries.set(name!, rest.map(Number));
      continue;
    }
    const chain = ASKED_CHAINS.find((each) => each === first);
    const numbers = line.split(' ').slice(chain ? 1 : 0);
    plain.push(...numbers.map((number) => ({ seed: Number(number), chain })));
  }
  return { plain, canaries };
}

const listedSeeds = readSeeds();

describe('simulator', () => {
  it('finds nothing in the listed schedules', () => {
    expect(listedSeeds.plain.length).toBeGreaterThan(30);
    for (const { seed, chain } of seeds(listedSeeds.plain))
      expect(runSeed(seed, chain && { chain })).toMatchObject({ seed, failure: undefined });
  });

  it('finds nothing when the signatures of validators come late, or after their round', () => {
    for (let seed = 0; seed < FAR_KEYS; seed++)
      for (const chain of ['qbft', 'ibft'] as const)
        expect(runSeed(seed, { chain, hasFarKeys: true })).toMatchObject({
          ...{ seed, chain, failure: undefined },
        });
  });

  it('has three faults in every schedule, and a vote or a transition in a third of them', () => {
    let changing = 0;
    for (let seed = 0; seed < PLANS; seed++) {
      const chain = chainOf(seed);
      const drawn = withFaults(drawPlan(seed, new Prng(seed), chain, false), seed);
      const plan = withVotes(withExtras(drawn, seed), seed);
      expect(faultCount(plan)).toBeGreaterThanOrEqual(3);
      expect(plan.nodes).toBeGreaterThanOrEqual(4);
      expect(plan.nodes).toBeLessThanOrEqual(7);
      if (isChanging(plan)) changing++;
    }
    expect(changing).toBeGreaterThan(PLANS / 3);
  });

  it('in a tenth of the schedules, has members whose proposals take minutes to execute', () => {
    let slow = 0;
    for (let seed = 0; seed < PLANS; seed++) {
      const drawn = drawPlan(seed, new Prng(seed), chainOf(seed), false);
      if (withSlowness(drawn, seed).byzantine.includes('slowBlocks')) slow++;
    }
    expect(slow).toBeGreaterThan(PLANS / 10);
  });

  it('gives the same world for the same seed', () => {
    const { seed } = listedSeeds.plain[0]!;
    expect(runSeed(seed)).toEqual(runSeed(seed));
    expect(runSeed(seed + 1).digest).not.toBe(runSeed(seed).digest);
  });

  it.each(CANARIES.map((canary) => [canary.name, canary] as const))(
    'finds the planted bug %s',
    (name, canary) => {
      const listed = listedSeeds.canaries.get(name) ?? [];
      expect(listed.length).toBeGreaterThan(0);
      for (const seed of seeds(listed))
        expect(runSeed(seed, { canary }).failure).toBeTypeOf('string');
    },
  );
});
