import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/support/effort.ts';
import { type Faults, NonceWorld } from '../../../test/support/nonce-world.ts';
import { Prng } from '../base/prng.ts';
import { NonceManager } from './nonce-manager.ts';
import type { NonceEffect, NonceInput } from './nonce-messages.ts';

const NONE: Faults = { calls: 0, poolLossBlocks: 0, foreignBlocks: 0, killBlocks: 0, poor: 0 };
/**
 * A second wallet together with a lost pool can take away an acknowledged nonce, which no proxy can
 * prevent: no profile has both.
 */
const PROFILES: Readonly<Record<string, Faults>> = {
  quiet: NONE,
  'broken calls': { ...NONE, calls: 0.3, poor: 0.05 },
  'a node that forgets': { ...NONE, calls: 0.1, poolLossBlocks: 6, poor: 0.05 },
  'another wallet': { ...NONE, calls: 0.1, foreignBlocks: 3, poor: 0.05 },
  'kill -9': { ...NONE, calls: 0.2, killBlocks: 5, poor: 0.05 },
  'kill -9 and a node that forgets': {
    ...NONE,
    calls: 0.1,
    poolLossBlocks: 8,
    killBlocks: 8,
    poor: 0.02,
  },
};
const SEEDS = Number(process.env.NONCE_SEEDS ?? runs(25));

function play(
  seed: number,
  faults: Faults,
  make?: ConstructorParameters<typeof NonceWorld>[2],
): { problems: readonly string[]; acknowledged: number } {
  const world = new NonceWorld(seed, faults, make);
  const prng = new Prng(seed + 1);
  for (let burst = 0; burst < 12; burst++) {
    const count = 1 + prng.below(25);
    for (let each = 0; each < count; each++) world.request();
    world.run(prng.below(3_000));
  }
  world.calm();
  const problems = world.check();
  const acknowledged = [...world.ends.values()].filter((end) => end === 'accepted').length;
  return { problems, acknowledged };
}

describe.each(Object.entries(PROFILES))('%s', (_, faults) => {
  it('loses no nonce, sends nothing twice, and mines what it acknowledged', () => {
    let acknowledged = 0;
    for (let seed = 1; seed <= SEEDS; seed++) {
      const found = play(seed, faults);
      expect(found.problems, `seed ${seed}`).toEqual([]);
      acknowledged += found.acknowledged;
    }
    expect(acknowledged).toBeGreaterThan(SEEDS * 20);
  });
});

/** Managers with one fault each, which the test must detect. */
class Twisted extends NonceManager<unknown> {
  override step(input: NonceInput<unknown>, nowMs: number): readonly NonceEffect<unknown>[] {
    return super.step(this.twisted(input), nowMs);
  }

  protected twisted(input: NonceInput<unknown>): NonceInput<unknown> {
    return input;
  }
}

/** Treats a missing answer as a refusal, like a client that signs again after a timeout. */
class Hasty extends Twisted {
  protected override twisted(input: NonceInput<unknown>): NonceInput<unknown> {
    const isSilence = input.kind === 'answered' && input.outcome === 'unclear';
    return isSilence ? { ...input, outcome: 'refused' } : input;
  }
}

/** Forgets everything at a restart. */
class Amnesiac extends Twisted {
  protected override twisted(input: NonceInput<unknown>): NonceInput<unknown> {
    return input.kind === 'restored' ? { kind: 'tick' } : input;
  }
}

/** Never sends again a transaction that the node has lost. */
class Blind extends Twisted {
  protected override twisted(input: NonceInput<unknown>): NonceInput<unknown> {
    const isWatch = input.kind === 'counted' && input.latest !== undefined;
    return isWatch ? { ...input, pending: Number.MAX_SAFE_INTEGER / 2 } : input;
  }
}

it.each<[string, () => NonceManager<unknown>, string, RegExp]>([
  [
    'signs again after silence',
    () => new Hasty({ fillsGaps: false }),
    'broken calls',
    /stands where|refused and was mined/,
  ],
  [
    'forgets at a restart',
    () => new Amnesiac({ fillsGaps: false }),
    'kill -9 and a node that forgets',
    /acknowledged and is not mined/,
  ],
  [
    'looks no more at what it sent',
    () => new Blind({ fillsGaps: false }),
    'a node that forgets',
    /no end|not mined/,
  ],
])('a manager that %s is caught', (_, make, profile, problem) => {
  const found: string[] = [];
  for (let seed = 1; seed <= 10; seed++)
    found.push(...play(seed, PROFILES[profile]!, make).problems);
  expect(found.join('\n')).toMatch(problem);
});

it('replays from its seed', () => {
  const faults = PROFILES['kill -9 and a node that forgets']!;
  const ends = [1, 2].map(() => {
    const world = new NonceWorld(7, faults);
    for (let each = 0; each < 60; each++) world.request();
    world.run(30_000);
    return [...world.ends];
  });
  expect(ends[1]).toEqual(ends[0]);
});
