/** When the timer of a round runs, and which later round to join: the same in QBFT and IBFT. */
import type { HeightBase, StepBase } from './step.ts';
import { isAtCap } from './timeout.ts';
import { setRoundTimer } from './timers.ts';

/** Rounds must fit the header's 32 bits; at one second each, that lasts a century. */
export const ROUND_MAX = 0xffffffff;

/**
 * Starts the timer of the round: at once while rounds still grow longer, as in GoQuorum. At the cap
 * they no longer grow, and validators out of step would stay so forever; so there the timer starts
 * when a quorum has reached this round. `asked`: the round in each signer's ROUND-CHANGE.
 */
export function startClock(step: StepBase, asked: readonly number[]): void {
  const { current, quorum, rules, isVoting } = step.state;
  if (current.isTimed || !isVoting) return;
  const here = asked.filter((round) => round >= current.round);
  if (!isAtCap(rules, current.round) || here.length >= quorum) setRoundTimer(step);
}

/**
 * The highest later round that f + 1 validators have reached, so at least one of them is honest.
 */
export function roundToCatchUp(
  { current, faulty }: HeightBase,
  asked: readonly number[],
): number | undefined {
  const ahead = asked.filter((round) => round > current.round).sort((a, b) => b - a);
  return ahead[faulty];
}
