/**
 * The block that this node proposes: requesting it at the right time, and keeping it (GoQuorum
 * miner/worker.go).
 */
import { equalBytes, keyOf } from '../../base/bytes.ts';
import { EMPTY_ROOT } from '../../base/keccak.ts';
import { LONG_MESSAGE_BYTES } from '../../base/pace.ts';
import { type Block, blockBytes } from '../../chain/block.ts';
import type { LongProposal } from './interface.ts';
import { type StepBase, viewOf } from './step.ts';
import { emptyDueMs, periodEndMs, setRoundTimer, setTimer } from './timers.ts';

/** Asks the node for a block of this height. */
export function requestBlock(step: StepBase): void {
  const { state, nowMs, effects } = step;
  const dueMs = emptyDueMs(step);
  const mayBeEmpty = dueMs <= Math.max(nowMs, periodEndMs(step));
  state.current.wanted = { mayBeEmpty };
  if (!mayBeEmpty) setTimer(step, 'empty', dueMs);
  effects.push(assembleEffect(step, mayBeEmpty));
}

function assembleEffect(step: StepBase, mayBeEmpty: boolean) {
  return {
    kind: 'assemble',
    parent: step.state.headHash,
    view: viewOf(step),
    notBeforeMs: mayBeEmpty ? emptyDueMs(step) : periodEndMs(step),
    mayBeEmpty,
  } as const;
}

/** Timer `empty`: an empty block is due now. */
export function onEmptyDue(step: StepBase): void {
  if (step.state.current.wanted) requestBlock(step);
}

/**
 * The pool is no longer empty: the empty block period ends, and so does the time that the other
 * validators give this proposer.
 */
export function onTransactionsPending(step: StepBase): void {
  const { state } = step;
  if (state.hasTransactions) return;
  state.hasTransactions = true;
  if (state.isDecided || !state.isVoting) return;
  if (state.current.wanted && !state.current.wanted.mayBeEmpty) requestBlock(step);
  if (state.current.round === 0 && !state.current.proposal) setRoundTimer(step);
}

/**
 * Whether the block can be proposed in the current view at once. A long one, of any author, is
 * encoded and hashed elsewhere first: its proposer continues with `encoded`.
 */
export function isReady(step: StepBase, block: Block): boolean {
  if (blockBytes(block) < LONG_MESSAGE_BYTES || encodedFor(step, block)) return true;
  const { current } = step.state;
  if (current.encoding !== block) {
    current.encoding = block;
    step.effects.push({ kind: 'encode', view: viewOf(step), block });
  }
  return false;
}

/** The block as it is sent in the current view; undefined: it is not encoded for this view. */
export function encodedFor(step: StepBase, block: Block): LongProposal | undefined {
  const { long, height, current } = step.state;
  const isOfView = long?.view.height === height && long.view.round === current.round;
  return isOfView && long.block === block ? long : undefined;
}

/** Whether this block of ours may be proposed now; keeps it for later rounds of the height. */
export function keepOwnBlock(step: StepBase, block: Block): boolean {
  const { state } = step;
  const { header } = block;
  if (header.number !== state.height || !equalBytes(header.parentHash, state.headHash))
    return false;
  const isTooEarly =
    equalBytes(header.transactionsRoot, EMPTY_ROOT) &&
    Number(header.timestamp) < Math.floor(emptyDueMs(step) / 1000);
  if (isTooEarly) {
    // An empty block means that no pooled transaction fitted in its gas or time limit: wait for new
    // ones.
    state.hasTransactions = false;
    return false;
  }
  state.own = block;
  state.checked.set(keyOf(block.hash), { fault: undefined });
  return state.current.wanted !== undefined;
}
