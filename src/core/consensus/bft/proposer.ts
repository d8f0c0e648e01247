/** Who proposes in a round (GoQuorum consensus/istanbul/validator/default.go). */
import { type Address, isZeroBytes, ZERO_ADDRESS } from '../../base/bytes.ts';
import type { ConsensusRules } from '../../chain/rules.ts';
import type { ValidatorSet } from './interface.ts';
import { indexOfValidator } from './validators.ts';

/**
 * `lastProposer` is the author of the head; the zero address when the head is the genesis block.
 * `validators` is in the engine's order; with an empty set there is no proposer.
 */
export function proposerOf(
  validators: ValidatorSet,
  policy: ConsensusRules['proposerPolicy'],
  lastProposer: Address,
  round: number,
): Address {
  if (validators.length === 0) return ZERO_ADDRESS;
  if (isZeroBytes(lastProposer)) return validators[round % validators.length]!;
  // COMPAT: a last proposer that has left the set counts as the first member.
  const last = Math.max(0, indexOfValidator(validators, lastProposer));
  const step = policy === 'roundRobin' ? 1 : 0;
  return validators[(last + round + step) % validators.length]!;
}
