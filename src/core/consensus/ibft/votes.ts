/** PREPARE locks the proposal, COMMIT seals it; a quorum of seals decides (consensus dossier §5.2). */
import { type Address, equalBytes, keyOf } from '../../base/bytes.ts';
import { commitPreimage } from '../../chain/extra-data.ts';
import type { Seal } from '../bft/interface.ts';
import { type Ballot, blame, countVote, viewOf, votesFor } from '../bft/step.ts';
import { clearTimers } from '../bft/timers.ts';
import { type Commit, commitSeal, type Prepare, signCommit, signPrepare } from './messages.ts';
import { broadcast, hasSent, type Step, supportersOf } from './round-state.ts';
import { remember } from './vote-memory.ts';

/** After the digest is remembered. */
export function sendPrepare(step: Step): void {
  const { signer, state } = step;
  const prepare = signPrepare(signer, viewOf(step), state.current.digest!);
  broadcast(step, prepare);
  onPrepare(step, signer.address, prepare);
}

export function onPrepare(step: Step, signer: Address, prepare: Prepare): void {
  if (countVote(step, step.state.current.prepares, signer, prepare)) count(step);
}

/** After the lock is remembered. */
function sendCommit(step: Step): void {
  const { signer, state } = step;
  const { block } = state.current.proposal!;
  const commit = signCommit(signer, viewOf(step), block.hash, commitSeal(signer, block));
  broadcast(step, commit);
  onCommit(step, signer.address, commit);
}

export function onCommit(step: Step, signer: Address, commit: Commit): void {
  if (countVote(step, step.state.current.commits, signer, commit)) count(step);
}

/** What the votes of the round amount to, once its proposal was found valid. */
export function count(step: Step): void {
  tryLock(step);
  tryDecide(step);
}

function tryLock(step: Step): void {
  const { state } = step;
  const { current, lock } = state;
  const { proposal } = current;
  if (!state.isVoting || state.isDecided || proposal?.status !== 'valid') return;
  if (hasSent(current, 'commit')) return;
  const { block } = proposal;
  if (lock) {
    if (equalBytes(lock.block.hash, block.hash)) sendCommit(step);
    return;
  }
  if (supportersOf(current, block.hash) < state.quorum) return;
  state.lock = { round: current.round, block };
  current.digest = block.hash;
  remember(step);
  sendCommit(step);
}

function tryDecide(step: Step): void {
  const { state, effects } = step;
  const { proposal, commits, round } = state.current;
  if (state.isDecided || proposal?.status !== 'valid') return;
  if (votesFor(commits, proposal.block.hash).length < state.quorum) return;
  const seals = soundSeals(step);
  if (seals.length < state.quorum) return;
  state.isDecided = true;
  clearTimers(step);
  effects.push({ kind: 'decide', block: proposal.block, round, seals });
}

/** Drops COMMITs whose seal is not their signer's: one of them would make the block unacceptable to everybody. */
function soundSeals(step: Step): readonly Seal[] {
  const { state, signer } = step;
  const { commits, proposal } = state.current;
  const { header, hash } = proposal!.block;
  const preimage = commitPreimage('ibft', header, 0);
  const isSound = ({ signer: author, message }: Ballot<Commit>) => {
    const sealer = signer.recover(preimage, message.seal);
    return sealer !== undefined && equalBytes(sealer, author);
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
