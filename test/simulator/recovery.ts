/**
 * How long a network that works again may take for its next block: the bound of docs/consensus.md.
 */
import type { ConsensusRules } from '../../src/core/chain/rules.ts';
import { faultyMax } from '../../src/core/consensus/bft/quorum.ts';
import { roundTimeoutMs } from '../../src/core/consensus/bft/timeout.ts';

/** Messages, checks of blocks, writes, and a fetch of the last block by one that missed it. */
const SLACK_MS = 5000;

/** `round`: the highest that a validator has come to at this height. */
export function recoveryMs(
  rules: ConsensusRules,
  { validators, round, hasLiars }: { validators: number; round: number; hasLiars: boolean },
): number {
  const { engine, blockPeriodMs, emptyBlockPeriodSeconds, requestTimeoutMs } = rules;
  let boundMs = SLACK_MS + Math.max(blockPeriodMs, emptyBlockPeriodSeconds * 1000);
  // Those that were away hear of the round when the others say it again.
  boundMs += requestTimeoutMs;
  // Where an IBFT validator is locked and another lies, its turn to propose must come.
  const rounds = engine === 'ibft' ? validators : faultyMax(validators);
  for (let later = 0; later <= rounds; later++) {
    // The time of a round starts again with its proposal, and a liar may propose late.
    const isStretched = hasLiars && later > 0;
    boundMs += roundTimeoutMs(rules, round + later) * (isStretched ? 2 : 1);
  }
  return boundMs;
}
