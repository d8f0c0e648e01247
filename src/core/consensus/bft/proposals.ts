/** Checks of a PRE-PREPARE before its block is verified: the same in QBFT and IBFT. */
import { type Address, equalBytes } from '../../base/bytes.ts';
import type { Block } from '../../chain/block.ts';
import { type Ballot, blame, type StepBase } from './step.ts';
import { proposableFromMs, setTimer } from './timers.ts';

/** Whether to verify a PRE-PREPARE of the current view: it is the first, and from the proposer. */
export function isFirstProposal(step: StepBase, signer: Address, block: Block): boolean {
  const { current, isDecided } = step.state;
  if (isDecided) return false;
  if (!equalBytes(signer, current.proposer)) {
    blame(step, signer, 'message does not come from proposer');
    return false;
  }
  const earlier = current.proposal?.block ?? current.held?.message.block;
  if (!earlier) return true;
  if (!equalBytes(earlier.hash, block.hash)) {
    blame(step, signer, 'two different PRE-PREPARE messages in one round');
  }
  return false;
}

/** Waits until the held proposal is no longer too early, by its timestamp and by its period. */
export function setFutureTimer(step: StepBase, { header }: Block): void {
  const dueSeconds = Number(header.timestamp) - step.state.rules.allowedFutureBlockSeconds;
  setTimer(step, 'future', Math.max(dueSeconds * 1000, proposableFromMs(step)));
}

/** The PRE-PREPARE that was held until now. */
export function takeHeld<M>(round: { held: Ballot<M> | undefined }): Ballot<M> | undefined {
  const { held } = round;
  round.held = undefined;
  return held;
}
