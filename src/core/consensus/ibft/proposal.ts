/**
 * PRE-PREPARE: proposing our own or the locked block, and verifying the proposals of other
 * validators (GoQuorum consensus/istanbul/ibft/core/preprepare.go).
 */
import { type Address, equalBytes, keyOf } from '../../base/bytes.ts';
import type { Block } from '../../chain/block.ts';
import { blockAuthor } from '../../chain/extra-data.ts';
import { encodedFor, isReady, requestBlock } from '../bft/own-block.ts';
import { isFirstProposal, setFutureTimer, takeHeld } from '../bft/proposals.ts';
import { blame, hasSent, isProposer, saySigned, viewOf } from '../bft/step.ts';
import { FUTURE_BLOCK, headerFault } from '../check-seals.ts';
import { type Preprepare, signPreprepare } from './messages.ts';
import { leaveRound } from './round-change.ts';
import { broadcast, type Step } from './round-state.ts';
import { remember } from './vote-memory.ts';
import { count, sendPrepare } from './votes.ts';

/**
 * As proposer, once per round: proposes the locked block, or our own, which is requested if there
 * is none yet.
 */
export function tryPropose(step: Step): void {
  const { state } = step;
  const { current, lock, own } = state;
  if (current.hasProposed || current.isWaiting || state.isDecided || !isProposer(step)) return;
  const block = lock?.block ?? own;
  if (block) propose(step, block);
  else if (!current.wanted) requestBlock(step);
}

function propose(step: Step, block: Block): void {
  const { current } = step.state;
  current.wanted = undefined;
  if (!isReady(step, block)) return;
  current.hasProposed = true;
  current.digest = block.hash;
  remember(step);
  const view = viewOf(step);
  const long = encodedFor(step, block);
  const sign = () => signPreprepare(step.signer, view, block, long);
  saySigned(step, 'preprepare', sign, (then, message) => {
    broadcast(then, message);
    accept(then, block);
  });
}

/** A PRE-PREPARE of the current view. */
export function onPreprepare(step: Step, signer: Address, message: Preprepare): void {
  if (isFirstProposal(step, signer, message.block)) judge(step, signer, message);
}

function judge(step: Step, signer: Address, message: Preprepare): void {
  const { state } = step;
  const { current, lock } = state;
  const { block } = message;
  // A restarted validator supports what it supported before the restart, or nothing.
  if (current.digest && !equalBytes(current.digest, block.hash)) return;
  const fault = blockFault(step, signer, block);
  if (fault === FUTURE_BLOCK) {
    current.held = { signer, message };
    setFutureTimer(step, block);
  } else if (fault) {
    blame(step, signer, fault);
    leaveRound(step);
  } else if (lock && !equalBytes(lock.block.hash, block.hash)) {
    leaveRound(step);
  } else {
    accept(step, block);
  }
}

/**
 * Checks a block without executing it. In round 0 it must be its proposer's own; later it may be a
 * locked one.
 */
function blockFault(step: Step, signer: Address, { header, hash }: Block): string | undefined {
  const { state } = step;
  // A quorum that prepared it found it not too early; clocks may have been set back since.
  const isPrepared = state.lock && equalBytes(state.lock.block.hash, hash);
  const context = {
    engine: 'ibft',
    parent: state.head,
    parentHash: state.headHash,
    validators: state.validators,
    rules: state.rules,
    nowMs: isPrepared ? undefined : step.nowMs,
  } as const;
  const { recover } = step.signer;
  const fault = headerFault(header, context, recover);
  if (fault || state.current.round > 0) return fault;
  const author = blockAuthor('ibft', header, recover);
  return author && equalBytes(author, signer)
    ? undefined
    : 'the author of the block is not its proposer';
}

export function onFutureDue(step: Step): void {
  const held = takeHeld(step.state.current);
  if (held) onPreprepare(step, held.signer, held.message);
}

/** Continues at once with a block already checked at this height. */
function accept(step: Step, block: Block): void {
  const { current, checked } = step.state;
  current.proposal = { block, atMs: step.nowMs, status: 'checking' };
  const result = checked.get(keyOf(block.hash));
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
    if (!state.isDecided) leaveRound(step);
    return;
  }
  proposal.status = 'valid';
  if (state.isVoting && !state.isDecided) support(step, proposal.block);
  if (state.current === current) count(step);
}

/**
 * COMPAT: a validator locked on the block sends a COMMIT at once, without a PREPARE; see `count`.
 */
function support(step: Step, block: Block): void {
  const { current, lock } = step.state;
  if (!current.digest) {
    current.digest = block.hash;
    remember(step);
  }
  if (!lock && !hasSent(current, 'prepare')) sendPrepare(step);
}
