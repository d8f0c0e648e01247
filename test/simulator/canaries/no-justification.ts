/** A proposal of a later round is taken without looking at its proof: the bug signs a proof for it. */
import type { BftInput } from '../../../src/core/consensus/bft/interface.ts';
import { QbftEngine } from '../../../src/core/consensus/qbft/engine.ts';
import {
  decodeMessage,
  encodeMessage,
  QBFT_CODE,
  signRoundChange,
} from '../../../src/core/consensus/qbft/messages.ts';
import type { Canary } from './canary.ts';

export const NO_JUSTIFICATION: Canary = {
  name: 'no-justification',
  engine: (signer, options, signers) => {
    const engine = new QbftEngine(signer, options);
    const withProof = (input: BftInput): BftInput => {
      if (input.kind !== 'message' || input.code !== QBFT_CODE.preprepare) return input;
      const message = decodeMessage(input.code, input.bytes);
      if (message.kind !== 'preprepare' || message.view.round === 0) return input;
      if (message.prepares.length > 0) return input;
      const roundChanges = signers.map((other) => signRoundChange(other, message.view, undefined));
      return { ...input, bytes: encodeMessage({ ...message, roundChanges, prepares: [] }) };
    };
    const tryProof = (input: BftInput) => {
      try {
        return withProof(input);
      } catch {
        return input;
      }
    };
    return { step: (input, nowMs) => engine.step(tryProof(input), nowMs) };
  },
  plan: (plan) => ({
    ...plan,
    byzantine: plan.byzantine.map(() => 'lyingJustification' as const),
    lossRate: 0.3,
    delayMsMax: 300,
  }),
};
