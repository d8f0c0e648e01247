/**
 * COMMIT: a validator's seal on the prepared block; a quorum of them decides (GoQuorum
 * consensus/istanbul/qbft/core/commit.go).
 */
import type { Address } from '../../base/bytes.ts';
import { qbftCommitPreimage } from '../../chain/extra-data.ts';
import { tryDecide } from '../bft/decision.ts';
import { countVote, viewOf } from '../bft/step.ts';
import { type Commit, signCommit } from './messages.ts';
import { broadcast, type Step } from './round-state.ts';

/** Call it after the lock is remembered. */
export function sendCommit(step: Step): void {
  const { state, signer } = step;
  const block = state.current.proposal!.block;
  const seal = signer.sign(qbftCommitPreimage(block.header, state.current.round));
  const commit = signCommit(signer, viewOf(step), block.hash, seal);
  broadcast(step, commit);
  onCommit(step, signer.address, commit);
}

export function onCommit(step: Step, signer: Address, commit: Commit): void {
  if (countVote(step, step.state.current.commits, signer, commit)) {
    tryDecide(step, qbftCommitPreimage);
  }
}
