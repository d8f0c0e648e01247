/**
 * The gas limit that a GoQuorum miner writes (GoQuorum core/block_validator.go). Never checked on
 * import.
 */
import type { Header } from '../chain/header.ts';

export interface GasLimitTarget {
  readonly floor: bigint;
  readonly ceiling: bigint;
  /** From a transition (`miner.gaslimit`); undefined: GoQuorum's own minimum. */
  readonly minimum: bigint | undefined;
}

/** COMPAT: 4096 instead of Ethereum's 1024. */
const BOUND_DIVISOR = 4_096n;
const MINIMUM_DEFAULT = 700_000_000n;

/** Moves from the parent's limit towards the target, by 1/4096 per block. */
export function nextGasLimit(
  parent: Pick<Header, 'gasLimit' | 'gasUsed'>,
  target: GasLimitTarget,
): bigint {
  const contribution = (parent.gasUsed + parent.gasUsed / 2n) / BOUND_DIVISOR;
  const decay = parent.gasLimit / BOUND_DIVISOR - 1n;
  const limit = max(parent.gasLimit - decay + contribution, target.minimum ?? MINIMUM_DEFAULT);
  if (limit < target.floor) return min(parent.gasLimit + decay, target.floor);
  if (limit > target.ceiling) return max(parent.gasLimit - decay, target.ceiling);
  return limit;
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
