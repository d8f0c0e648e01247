/** One vote fewer than a quorum decides. */
import { quorumOf } from '../../../src/core/consensus/bft/quorum.ts';
import { QbftEngine } from '../../../src/core/consensus/qbft/engine.ts';
import type { Canary } from './canary.ts';

export const SMALL_QUORUM: Canary = {
  name: 'small-quorum',
  engine: (signer, options) =>
    new QbftEngine(signer, {
      ...options,
      quorumOf: (validators, isCeil) => Math.max(1, quorumOf(validators, isCeil) - 1),
    }),
};
