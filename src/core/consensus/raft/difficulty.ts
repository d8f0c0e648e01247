/**
 * Difficulty of a Raft block: ethash's formula, which GoQuorum fills in and no node checks
 * (GoQuorum raft/minter.go).
 */
import type { Header } from '../../chain/header.ts';
import type { Rules } from '../../chain/rules.ts';

const DIFFICULTY_MIN = 131_072n;
const BOUND_DIVISOR = 2_048n;
const FALL_MAX = -99n;
const BOMB_PERIOD_BLOCKS = 100_000n;

/** `parentHasUncles` is always false on a Raft chain. */
export function raftDifficulty(
  parent: Pick<Header, 'number' | 'timestamp' | 'difficulty'>,
  timestamp: bigint,
  rules: Rules,
): bigint {
  const elapsed = timestamp - parent.timestamp;
  const step = parent.difficulty / BOUND_DIVISOR;
  const next = parent.difficulty + step * factor(elapsed, rules);
  const floored = next < DIFFICULTY_MIN ? DIFFICULTY_MIN : next;
  return floored + bomb(BigInt(parent.number), rules);
}

function factor(elapsed: bigint, rules: Rules): bigint {
  if (!rules.isHomestead) return elapsed < 13n ? 1n : -1n;
  const fall = 1n - elapsed / (rules.isByzantium ? 9n : 10n);
  return fall < FALL_MAX ? FALL_MAX : fall;
}

function bomb(parentNumber: bigint, rules: Rules): bigint {
  const delay = bombDelay(rules);
  const number = delay === 0n ? parentNumber + 1n : parentNumber - (delay - 1n);
  const periods = number / BOMB_PERIOD_BLOCKS;
  return number > 0n && periods > 1n ? 2n ** (periods - 2n) : 0n;
}

function bombDelay(rules: Rules): bigint {
  if (rules.fork === 'muirGlacier' || rules.isBerlin) return 9_000_000n;
  if (rules.isConstantinople) return 5_000_000n;
  return rules.isByzantium ? 3_000_000n : 0n;
}
