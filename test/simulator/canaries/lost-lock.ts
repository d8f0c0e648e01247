/** A validator that prepared a block says in its ROUND-CHANGE that it did not. */
import type { BftEffect } from '../../../src/core/consensus/bft/interface.ts';
import { QbftEngine } from '../../../src/core/consensus/qbft/engine.ts';
import {
  decodeMessage,
  encodeMessage,
  QBFT_CODE,
  signRoundChange,
} from '../../../src/core/consensus/qbft/messages.ts';
import type { Canary } from './canary.ts';

export const LOST_LOCK: Canary = {
  name: 'lost-lock',
  engine: (signer, options) => {
    const engine = new QbftEngine(signer, options);
    const withoutLock = (effect: BftEffect): BftEffect => {
      if (effect.kind !== 'broadcast' || effect.code !== QBFT_CODE.roundChange) return effect;
      const { view } = decodeMessage(effect.code, effect.bytes);
      return { ...effect, bytes: encodeMessage(signRoundChange(signer, view, undefined)) };
    };
    return { step: (input, nowMs) => engine.step(input, nowMs).map(withoutLock) };
  },
  plan: (plan) => ({ ...plan, lossRate: 0.3, delayMsMax: 300 }),
};
