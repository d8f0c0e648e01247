/**
 * QBFT as an algorithm of the engine that it shares with IBFT (GoQuorum
 * consensus/istanbul/qbft/core).
 */
import { type Address, equalBytes } from '../../base/bytes.ts';
import type { Block } from '../../chain/block.ts';
import { type Algorithm, BftEngine } from '../bft/engine.ts';
import type { ConsensusSigner, EngineOptions } from '../bft/interface.ts';
import { keepOwnBlock, requestBlock } from '../bft/own-block.ts';
import { isProposer } from '../bft/step.ts';
import { onCommit } from './commit.ts';
import { decodeMessage, type QbftMessage, signerOf } from './messages.ts';
import { onPrepare, sendPrepare } from './prepare.ts';
import { conclude, onFutureDue, onPreprepare, propose, verify } from './proposal.ts';
import { changeRound, onRoundChange, sendRoundChange, tryPropose } from './round-change.ts';
import { type HeightState, newHeight, type Step } from './round-state.ts';
import { recall } from './vote-memory.ts';

const QBFT: Algorithm<HeightState, QbftMessage> = {
  newHeight,
  recall,
  begin(step, isResumed) {
    if (isResumed) resume(step);
    else if (isProposer(step)) requestBlock(step);
  },
  isOwnCode: () => true,
  decode: decodeMessage,
  signerOf,
  unsignedFault: 'invalid signature',
  isDue,
  deliver,
  onAssembled,
  onEncoded: proposeOwn,
  conclude,
  leaveRound: (step) => changeRound(step, step.state.current.round + 1),
  onFutureDue,
};

export class QbftEngine extends BftEngine<HeightState, QbftMessage> {
  constructor(signer: ConsensusSigner, options: EngineOptions = {}) {
    super(QBFT, signer, options);
  }
}

/** A ROUND-CHANGE is handled throughout its height, other messages in their round. */
function isDue({ height, current }: HeightState, { kind, view }: QbftMessage): boolean {
  if (view.height !== height) return false;
  return kind === 'roundChange' || view.round <= current.round;
}

function deliver(step: Step, signer: Address, message: QbftMessage): void {
  switch (message.kind) {
    case 'preprepare':
      onPreprepare(step, signer, message);
      break;
    case 'prepare':
      onPrepare(step, signer, message);
      break;
    case 'commit':
      onCommit(step, signer, message);
      break;
    case 'roundChange':
      onRoundChange(step, signer, message);
      break;
  }
}

function onAssembled(step: Step, block: Block): void {
  const isOurs = equalBytes(block.header.coinbase, step.signer.address);
  if (isOurs && keepOwnBlock(step, block)) proposeOwn(step);
}

/** Proposes our own block or, in a later round, the one that the other validators prepared. */
function proposeOwn(step: Step): void {
  const { own, current } = step.state;
  if (current.round > 0) tryPropose(step);
  else if (own && isProposer(step) && !current.hasProposed) propose(step, own, [], []);
}

/** Continues in the remembered round: repeats the messages sent before, and sends no other ones. */
function resume(step: Step): void {
  const { state } = step;
  const { current, lock } = state;
  const { digest } = current;
  if (current.round > 0 && !current.hasPrepared) sendRoundChange(step);
  if (state.current !== current) return;
  if (digest) sendPrepare(step, digest);
  if (lock && current.hasPrepared) {
    current.proposal = { block: lock.block, atMs: step.nowMs, status: 'checking' };
    verify(step, lock.block);
  } else if (current.round === 0 && isProposer(step) && !current.hasProposed) {
    requestBlock(step);
  }
}
