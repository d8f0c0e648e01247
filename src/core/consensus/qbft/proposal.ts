/**
 * PRE-PREPARE: proposing our own block, and verifying the proposals of other validators (GoQuorum
 * consensus/istanbul/qbft/core/preprepare.go).
 */
import { type Address, equalBytes, keyOf } from '../../base/bytes.ts';
import type { Block } from '../../chain/block.ts';
import { qbftCommitPreimage } from '../../chain/extra-data.ts';
import { tryDecide } from '../bft/decision.ts';
import { encodedFor, isReady } from '../bft/own-block.ts';
import { isFirstProposal, setFutureTimer, takeHeld } from '../bft/proposals.ts';
import { blame, hasSent, saySigned, viewOf } from '../bft/step.ts';
import { proposableFromMs, setRoundTimer } from '../bft/timers.ts';
import { FUTURE_BLOCK, headerFault } from '../check-seals.ts';
import { sendCommit } from './commit.ts';
import { proposalFault } from './justification.ts';
import {
  type Prepare,
  type Preprepare,
  type RoundChangeClaim,
  signPreprepare,
} from './messages.ts';
import { sendPrepare, tryLock } from './prepare.ts';
import { broadcast, electorateOf, type Step } from './round-state.ts';
import { remember } from './vote-memory.ts';

/** Proposes a block, once per round; a long one as soon as it is encoded. */
export function propose(
  step: Step,
  block: Block,
  roundChanges: readonly RoundChangeClaim[],
  prepares: readonly Prepare[],
): void {
  const { current } = step.state;
  current.wanted = undefined;
  if (!isReady(step, block)) return;
  current.hasProposed = true;
  current.digest = block.hash;
  remember(step);
  const long = encodedFor(step, block);
  const view = viewOf(step);
  const sign = () => signPreprepare(step.signer, view, block, roundChanges, prepares, long);
  saySigned(step, 'preprepare', sign, (then, message) => {
    broadcast(then, message);
    accept(then, message);
  });
}

/** A PRE-PREPARE of the current view. */
export function onPreprepare(step: Step, signer: Address, message: Preprepare): void {
  if (isFirstProposal(step, signer, message.block)) judge(step, signer, message);
}

function judge(step: Step, signer: Address, message: Preprepare): void {
  const { state } = step;
  const { current } = state;
  // A restarted validator supports what it supported before the restart, or nothing.
  if (current.digest && !equalBytes(current.digest, message.block.hash)) return;
  // COMPAT: an honest GoQuorum proposer sends this when its worker is faster than the
  // ROUND-CHANGEs: not a fault, but not a proposal either.
  if (current.round > 0 && message.roundChanges.length === 0) return;
  const fault =
    (current.round > 0
      ? proposalFault(
          electorateOf(step),
          viewOf(step),
          message.block,
          message.roundChanges,
          message.prepares,
        )
      : undefined) ?? blockFault(step, signer, message);
  if (fault === FUTURE_BLOCK) {
    current.held = { signer, message };
    setFutureTimer(step, message.block);
    return;
  }
  if (fault) blame(step, signer, fault);
  else accept(step, message);
}

/**
 * Checks a block without executing it. One that no quorum has prepared must be its proposer's own.
 */
function blockFault(step: Step, signer: Address, message: Preprepare): string | undefined {
  const { header } = message.block;
  const { state } = step;
  const isFresh = state.current.round === 0 || message.prepares.length === 0;
  // A quorum that prepared it found it not too early; clocks may have been set back since.
  const nowMs = isFresh ? step.nowMs : undefined;
  if (isFresh && !equalBytes(header.coinbase, signer)) {
    return 'the author of the block is not its proposer';
  }
  if (isFresh && step.nowMs < proposableFromMs(step)) return FUTURE_BLOCK;
  const context = {
    engine: 'qbft',
    parent: state.head,
    parentHash: state.headHash,
    validators: state.validators,
    rules: state.rules,
    nowMs,
  } as const;
  return headerFault(header, context);
}

export function onFutureDue(step: Step): void {
  const held = takeHeld(step.state.current);
  if (held) onPreprepare(step, held.signer, held.message);
}

function accept(step: Step, { block }: Preprepare): void {
  const { state } = step;
  state.current.proposal = { block, atMs: step.nowMs, status: 'checking' };
  setRoundTimer(step);
  verify(step, block);
}

/** Continues at once with a block already checked at this height. */
export function verify(step: Step, block: Block): void {
  const result = step.state.checked.get(keyOf(block.hash));
  if (result) conclude(step, result.fault);
  else step.effects.push({ kind: 'verify', block });
}

export function conclude(step: Step, fault: string | undefined): void {
  const { state } = step;
  const { current } = state;
  const proposal = current.proposal!;
  if (fault !== undefined) {
    proposal.status = 'invalid';
    blame(step, current.proposer, fault);
    return;
  }
  proposal.status = 'valid';
  if (state.isVoting && !state.isDecided) vote(step, proposal.block);
  tryLock(step);
  tryDecide(step, qbftCommitPreimage);
}

function vote(step: Step, block: Block): void {
  const { current } = step.state;
  if (!current.digest) {
    current.digest = block.hash;
    remember(step);
  }
  if (!hasSent(current, 'prepare')) sendPrepare(step, block.hash);
  if (current.hasPrepared && !hasSent(current, 'commit')) sendCommit(step);
}
