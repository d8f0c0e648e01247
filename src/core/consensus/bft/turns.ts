/** Validators whose turn to propose passed without a decided block. */
import { type Address, equalBytes } from '../../base/bytes.ts';
import type { ConsensusRules } from '../../chain/rules.ts';
import type { ValidatorSet } from './interface.ts';
import { proposerOf } from './proposer.ts';

export interface Turns {
  /** In the engine's order. */
  readonly validators: ValidatorSet;
  readonly policy: ConsensusRules['proposerPolicy'];
  /** Author of the block before; the zero address if that is the genesis block. */
  readonly lastProposer: Address;
  readonly author: Address;
  /** The round of the decision; undefined: the header does not record it (IBFT). */
  readonly round: number | undefined;
}

/**
 * Proposers of the rounds before the decided one, each once. Without a round, the validators whose
 * turn came before the author's.
 */
export function missedTurns({ validators, policy, lastProposer, ...of }: Turns): Address[] {
  const missed: Address[] = [];
  const last = Math.min(of.round ?? validators.length, validators.length);
  for (let round = 0; round < last; round++) {
    const proposer = proposerOf(validators, policy, lastProposer, round);
    const isAuthor = equalBytes(proposer, of.author);
    if (isAuthor && of.round === undefined) return missed;
    if (!isAuthor) missed.push(proposer);
  }
  // If the author proposed out of turn, the order shows nothing.
  return of.round === undefined ? [] : missed;
}
