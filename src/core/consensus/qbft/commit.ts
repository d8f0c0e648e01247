/** COMMIT: a validator's seal on the prepared block; a quorum of them decides (consensus dossier §4.3). */
import { type Address, equalBytes, keyOf } from '../../base/bytes.ts';
import { qbftCommitPreimage } from '../../chain/extra-data.ts';
import type { Seal } from '../bft/interface.ts';
import { type Ballot, blame, countVote, viewOf, votesFor } from '../bft/step.ts';
import { clearTimers } from '../bft/timers.ts';
import { type Commit, signCommit } from './messages.ts';
import { broadcast, type Step } from './round-state.ts';

/** After the lock is remembered. */
export function sendCommit(step: Step): void {
  const { state, signer } = step;
  const block = state.current.proposal!.block;
  const seal = signer.sign(qbftCommitPreimage(block.header, state.current.round));
  const commit = signCommit(signer, viewOf(step), block.hash, seal);
  broadcast(step, commit);
  onCommit(step, signer.address, commit);
}

export function onCommit(step: Step, signer: Address, commit: Commit): void {
  if (countVote(step, step.state.current.commits, signer, commit)) tryDecide(step);
}

/** Decides when a quorum has sealed a proposal that was found valid, whether or not its PREPAREs have come. */
export function tryDecide(step: Step): void {
  const { state, effects } = step;
  const { proposal, commits, round } = state.current;
  if (state.isDecided || proposal?.status !== 'valid') return;
  const { quorum } = state.electorate;
  if (votesFor(commits, proposal.block.hash).length < quorum) return;
  const seals = soundSeals(step);
  if (seals.length < quorum) return;
  state.isDecided = true;
  clearTimers(step);
  effects.push({ kind: 'decide', block: proposal.block, round, seals });
}

/** Drops COMMITs whose seal is not their signer's: one of them would make the block unacceptable to everybody. */
function soundSeals(step: Step): readonly Seal[] {
  const { state, signer } = step;
  const { commits, proposal, round } = state.current;
  const { header, hash } = proposal!.block;
  const preimage = qbftCommitPreimage(header, round);
  const isSound = (ballot: Ballot<Commit>) => {
    const sealer = signer.recover(preimage, ballot.message.seal);
    return sealer !== undefined && equalBytes(sealer, ballot.signer);
  };
  const seals: Seal[] = [];
  for (const ballot of votesFor(commits, hash)) {
    if (isSound(ballot)) {
      seals.push(ballot.message.seal);
    } else {
      commits.delete(keyOf(ballot.signer));
      blame(step, ballot.signer, 'COMMIT with a seal that is not of its signer');
    }
  }
  return seals;
}
