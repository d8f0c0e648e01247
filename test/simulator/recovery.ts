/**
 * How long a network may take for its next block once it works again: the bound of
 * docs/consensus.md.
 */
import type { ConsensusRules } from '../../src/core/chain/rules.ts';
import { faultyMax } from '../../src/core/consensus/bft/quorum.ts';
import { roundTimeoutMs } from '../../src/core/consensus/bft/timeout.ts';

/**
 * Time for messages, block checks, writes, and the fetch of the last block by a node that missed
 * it.
 */
const SLACK_MS = 5000;

/** `round`: the highest round that a validator has reached at this height. */
export function recoveryMs(
  rules: ConsensusRules,
  { validators, round, hasLiars }: { validators: number; round: number; hasLiars: boolean },
): number {
  const { engine, blockPeriodMs, emptyBlockPeriodSeconds, requestTimeoutMs } = rules;
  let boundMs = SLACK_MS + Math.max(blockPeriodMs, emptyBlockPeriodSeconds * 1000);
  // Nodes that were away learn the round when the others repeat their messages.
  boundMs += requestTimeoutMs;
  // When an IBFT validator is locked and another one lies, the locked one must get its turn to
  // propose.
  const rounds = engine === 'ibft' ? validators : faultyMax(validators);
  for (let later = 0; later <= rounds; later++) {
    // A proposal restarts the timer of its round, and a liar may propose late.
    const isStretched = hasLiars && later > 0;
    boundMs += roundTimeoutMs(rules, round + later) * (isStretched ? 2 : 1);
  }
  return boundMs;
}
