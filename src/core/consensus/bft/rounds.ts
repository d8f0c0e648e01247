/** When the time of a round runs, and which round to follow the others to: the same in QBFT and IBFT. */
import type { HeightBase, StepBase } from './step.ts';
import { isAtCap } from './timeout.ts';
import { setRoundTimer } from './timers.ts';

/** Rounds fit the 32 bits that the header has for them; at a second each it takes a century to come here. */
export const ROUND_MAX = 0xffffffff;

/**
 * Lets the time of the round run. While rounds still grow it runs at once, as in GoQuorum. At the
 * cap they do not, and validators that are out of step would stay so for ever: there it runs when a
 * quorum has come this far. `asked`: the round of each signer's ROUND-CHANGE.
 */
export function startClock(step: StepBase, asked: readonly number[]): void {
  const { current, quorum, rules, isVoting } = step.state;
  if (current.isTimed || !isVoting) return;
  const here = asked.filter((round) => round >= current.round);
  if (!isAtCap(rules, current.round) || here.length >= quorum) setRoundTimer(step);
}

/** f + 1 validators are ahead, so an honest one is: the highest round that f + 1 have reached. */
export function roundToCatchUp(
  { current, faulty }: HeightBase,
  asked: readonly number[],
): number | undefined {
  const ahead = asked.filter((round) => round > current.round).sort((a, b) => b - a);
  return ahead[faulty];
}
