/**
 * IBFT 1.0 as an algorithm of the engine that it shares with QBFT (GoQuorum
 * consensus/istanbul/ibft/core).
 */
import type { Address } from '../../base/bytes.ts';
import { type Algorithm, BftEngine } from '../bft/engine.ts';
import type { ConsensusSigner, EngineOptions } from '../bft/interface.ts';
import { keepOwnBlock } from '../bft/own-block.ts';
import { decodeMessage, IBFT_MESSAGE, type IbftMessage, signerOf } from './messages.ts';
import { conclude, onFutureDue, onPreprepare, tryPropose } from './proposal.ts';
import { leaveRound, onRoundChange, sendRoundChange } from './round-change.ts';
import { type HeightState, newHeight, type Step } from './round-state.ts';
import { recall } from './vote-memory.ts';
import { onCommit, onPrepare } from './votes.ts';

const IBFT: Algorithm<HeightState, IbftMessage> = {
  newHeight,
  recall,
  begin(step) {
    if (step.state.current.isWaiting) sendRoundChange(step);
  },
  // QBFT messages come from validators already at a later height.
  isOwnCode: (code) => code === IBFT_MESSAGE,
  decode: (_code, bytes) => decodeMessage(bytes),
  signerOf,
  unsignedFault: 'message not signed by the sender',
  isDue,
  deliver,
  onAssembled: keepOwnBlock,
  conclude,
  leaveRound,
  onFutureDue,
  settle: tryPropose,
};

export class IbftEngine extends BftEngine<HeightState, IbftMessage> {
  constructor(signer: ConsensusSigner, options: EngineOptions = {}) {
    super(IBFT, signer, options);
  }
}

/** A ROUND-CHANGE is handled throughout its height, other messages once their round has begun. */
function isDue({ height, current }: HeightState, { kind, view }: IbftMessage): boolean {
  if (view.height !== height) return false;
  return kind === 'roundChange' || (view.round === current.round && !current.isWaiting);
}

function deliver(step: Step, signer: Address, message: IbftMessage): void {
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
