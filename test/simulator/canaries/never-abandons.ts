/** A validator continues to execute a proposal whose round has passed. */
import { EngineSwitch } from '../../../src/core/consensus/engine-switch.ts';
import type { Canary } from './canary.ts';

export const NEVER_ABANDONS: Canary = {
  name: 'never-abandons',
  engine: (signer, options) => {
    const engine = new EngineSwitch(signer, options);
    return {
      step: (input, nowMs) =>
        engine.step(input, nowMs).filter((effect) => effect.kind !== 'abandon'),
    };
  },
  plan: (plan) => ({
    ...plan,
    byzantine: ['slowBlocks'],
    proposerPolicy: 'roundRobin',
    nanosecondsPerGas: 20,
  }),
};
