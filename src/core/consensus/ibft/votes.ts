/**
 * PREPARE locks the proposal, COMMIT seals it; a quorum of seals decides (GoQuorum
 * consensus/istanbul/ibft/core/{prepare,commit}.go).
 */
import { type Address, equalBytes } from '../../base/bytes.ts';
import { commitPreimage } from '../../chain/extra-data.ts';
import { type SealPreimage, tryDecide } from '../bft/decision.ts';
import { countVote, hasSent, saySigned, viewOf } from '../bft/step.ts';
import { type Commit, commitSeal, type Prepare, signCommit, signPrepare } from './messages.ts';
import { broadcast, type Step, supportersOf } from './round-state.ts';
import { remember } from './vote-memory.ts';

/** IBFT seals contain no round. */
const sealPreimage: SealPreimage = (header) => commitPreimage('ibft', header, 0);

/** Call it after the digest is remembered. */
export function sendPrepare(step: Step): void {
  const { signer } = step;
  const digest = step.state.current.digest!;
  const view = viewOf(step);
  const sign = () => signPrepare(signer, view, digest);
  saySigned(step, 'prepare', sign, (then, prepare) => {
    broadcast(then, prepare);
    onPrepare(then, signer.address, prepare);
  });
}

export function onPrepare(step: Step, signer: Address, prepare: Prepare): void {
  if (countVote(step, step.state.current.prepares, signer, prepare)) count(step);
}

/** Call it after the lock is remembered. */
function sendCommit(step: Step): void {
  const { signer } = step;
  const { block } = step.state.current.proposal!;
  const view = viewOf(step);
  const sign = () => signCommit(signer, view, block.hash, commitSeal(signer, block));
  saySigned(step, 'commit', sign, (then, commit) => {
    broadcast(then, commit);
    onCommit(then, signer.address, commit);
  });
}

export function onCommit(step: Step, signer: Address, commit: Commit): void {
  if (countVote(step, step.state.current.commits, signer, commit)) count(step);
}

/** Acts on the votes of the round, once its proposal was found valid. */
export function count(step: Step): void {
  tryLock(step);
  tryDecide(step, sealPreimage);
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
