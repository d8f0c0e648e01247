/**
 * PREPARE: "I have checked this proposal"; a quorum of them locks the block (GoQuorum
 * consensus/istanbul/qbft/core/prepare.go).
 */
import type { Address, Hash32 } from '../../base/bytes.ts';
import { countVote, saySigned, viewOf, votesFor } from '../bft/step.ts';
import { sendCommit } from './commit.ts';
import { type Prepare, signPrepare } from './messages.ts';
import { broadcast, type Step } from './round-state.ts';
import { remember } from './vote-memory.ts';

/** Call it after the digest is remembered. */
export function sendPrepare(step: Step, digest: Hash32): void {
  const { signer } = step;
  const view = viewOf(step);
  const sign = () => signPrepare(signer, view, digest);
  saySigned(step, 'prepare', sign, (then, prepare) => {
    broadcast(then, prepare);
    onPrepare(then, signer.address, prepare);
  });
}

export function onPrepare(step: Step, signer: Address, prepare: Prepare): void {
  if (countVote(step, step.state.current.prepares, signer, prepare)) tryLock(step);
}

/** Locks the proposal when a quorum has prepared it and this node has found it valid. */
export function tryLock(step: Step): void {
  const { state } = step;
  const { proposal, prepares, round, hasPrepared } = state.current;
  if (hasPrepared || !state.isVoting || state.isDecided || proposal?.status !== 'valid') return;
  const votes = votesFor(prepares, proposal.block.hash);
  if (votes.length < state.quorum) return;
  state.current.hasPrepared = true;
  state.lock = { round, block: proposal.block, prepares: votes.map(({ message }) => message) };
  remember(step);
  sendCommit(step);
}
