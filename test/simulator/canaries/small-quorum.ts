/** One vote less than a quorum decides. */
import { quorumOf } from '../../../src/core/consensus/bft/quorum.ts';
import { EngineSwitch } from '../../../src/core/consensus/engine-switch.ts';
import type { Canary } from './canary.ts';

export const SMALL_QUORUM: Canary = {
  name: 'small-quorum',
  engine: (signer, options) =>
    new EngineSwitch(signer, {
      ...options,
      quorumOf: (validators, isCeil) => Math.max(1, quorumOf(validators, isCeil) - 1),
    }),
};
