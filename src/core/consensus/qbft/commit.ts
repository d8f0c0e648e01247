/**
 * COMMIT: a validator's seal on the prepared block; a quorum of them decides (GoQuorum
 * consensus/istanbul/qbft/core/commit.go).
 */
import type { Address } from '../../base/bytes.ts';
import { qbftCommitPreimage } from '../../chain/extra-data.ts';
import { tryDecide } from '../bft/decision.ts';
import { countVote, saySigned, viewOf } from '../bft/step.ts';
import { type Commit, signCommit } from './messages.ts';
import { broadcast, type Step } from './round-state.ts';

/** Call it after the lock is remembered. */
export function sendCommit(step: Step): void {
  const { signer } = step;
  const { block } = step.state.current.proposal!;
  const view = viewOf(step);
  const sign = () => {
    const seal = signer.sign(qbftCommitPreimage(block.header, view.round));
    return signCommit(signer, view, block.hash, seal);
  };
  saySigned(step, 'commit', sign, (then, commit) => {
    broadcast(then, commit);
    onCommit(then, signer.address, commit);
  });
}

export function onCommit(step: Step, signer: Address, commit: Commit): void {
  if (countVote(step, step.state.current.commits, signer, commit)) {
    tryDecide(step, qbftCommitPreimage);
  }
}
