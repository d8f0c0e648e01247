/**
 * A proposal of a later round is accepted without a check of its proof: the bug signs a proof for
 * it.
 */
import type { BftInput } from '../../../src/core/consensus/bft/interface.ts';
import { QbftEngine } from '../../../src/core/consensus/qbft/engine.ts';
import {
  decodeMessage,
  encodeMessage,
  QBFT_CODE,
  signRoundChange,
} from '../../../src/core/consensus/qbft/messages.ts';
import type { Fault } from '../faults.ts';
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
  // Partitions that isolate changing nodes of the four: one node decides, and a liar proposes to
  // the others.
  plan: (plan) => ({
    ...plan,
    nodes: 4,
    byzantine: ['lyingJustification'],
    clocks: [0, 1, 2, 3].map(() => ({ offsetMs: 0, rate: 1 })),
    faults: storm(plan.quietFromMs),
    lossRate: 0.05,
    delayMsMax: 250,
    requestTimeoutMs: 1000,
    isRelaying: false,
  }),
};

function storm(untilMs: number): Fault[] {
  const faults: Fault[] = [];
  for (let atMs = 0; atMs < untilMs; atMs += 3100) {
    const alone = 1 + ((atMs / 3100) % 3);
    const sides = [0, 1, 2, 3].map((node) => (node === alone ? 1 : 0));
    faults.push({ kind: 'partition', atMs, sides });
  }
  return faults;
}
