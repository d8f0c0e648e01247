import { Prng } from '../../src/core/base/prng.ts';
import type { Canary } from './canaries/canary.ts';
import { CheckFailed } from './checkers/checker.ts';
import {
  type AskedChain,
  type ChainKind,
  chainOf,
  drawPlan,
  isChanging,
  shortened,
  withClockJumps,
  withExtras,
  withFaults,
  withShortPeriod,
  withSlowness,
  withVotes,
} from './faults.ts';
import { type DrawnPlan, World } from './world.ts';

export interface Outcome {
  readonly seed: number;
  readonly chain: ChainKind;
  /**
   * IBFT stalled because liars had made honest validators seal different blocks: its known
   * weakness.
   */
  readonly isStuck: boolean;
  /** undefined: the run passed. */
  readonly failure: string | undefined;
  readonly height: number;
  readonly events: number;
  /** The schedule has votes or transitions. */
  readonly isChanging: boolean;
  readonly hasRealKeys: boolean;
  /** A digest of all events, in order. */
  readonly digest: string;
}

export function runSeed(
  seed: number,
  options: {
    canary?: Canary;
    chain?: AskedChain;
    trace?: (line: string) => void;
    hasFarKeys?: boolean;
  } = {},
): Outcome {
  const { canary, trace } = options;
  const asked = options.chain === 'short' ? 'qbft' : options.chain;
  const chain = asked ?? (canary ? (canary.chain ?? 'qbft') : chainOf(seed));
  const farKeys = options.hasFarKeys ? new Prng(seed) : undefined;
  const world = new World(planOf(seed, chain, options), canary, trace, farKeys);
  let failure: string | undefined;
  try {
    world.run();
  } catch (error) {
    failure =
      error instanceof CheckFailed ? error.message : String((error as Error).stack ?? error);
  }
  const { isStuck } = world;
  return {
    seed,
    chain,
    failure,
    isStuck,
    height: world.height,
    events: world.events,
    digest: world.digest,
    isChanging: isChanging(world.plan),
    hasRealKeys: world.plan.hasRealKeys,
  };
}

/**
 * When a kind of chain or a canary is requested, the schedule is a plain one: its members stay, and
 * are all connected. On a requested chain, it may have fewer than four members. The short period
 * keeps all faults.
 */
function planOf(
  seed: number,
  chain: ChainKind,
  { canary, chain: asked }: { canary?: Canary; chain?: AskedChain },
): DrawnPlan {
  const chance = new Prng(seed);
  const isShort = asked === 'short';
  const hasAnySize = asked !== undefined && !isShort;
  const drawn = withFaults(drawPlan(seed, chance, chain, hasAnySize), seed);
  if (canary) return { plan: canary.plan?.(drawn) ?? drawn, chance };
  if (hasAnySize) return { plan: drawn, chance };
  const slow = withSlowness(withVotes(withExtras(drawn, seed), seed), seed);
  const plan = withClockJumps(slow, seed);
  if (isShort) return { plan: shortened(plan, new Prng(seed)), chance };
  return { plan: withShortPeriod(plan, seed), chance };
}
