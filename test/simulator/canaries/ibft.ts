/**
 * The planted bugs of IBFT: a quorum that is too small, votes forgotten by a restart, and a lock
 * released at a round change.
 */
import type {
  BftEffect,
  BftEngineMachine,
  BftInput,
  VoteMemory,
} from '../../../src/core/consensus/bft/interface.ts';
import { decodeMemory, encodeMemory } from '../../../src/core/consensus/bft/memory.ts';
import { EngineSwitch } from '../../../src/core/consensus/engine-switch.ts';
import { decodeMessage } from '../../../src/core/consensus/ibft/messages.ts';
import type { Canary, NewEngine } from './canary.ts';
import { SMALL_QUORUM } from './small-quorum.ts';

export const IBFT_SMALL_QUORUM: Canary = {
  ...SMALL_QUORUM,
  name: 'ibft-small-quorum',
  chain: 'ibft',
};

export const IBFT_LOST_VOTES: Canary = {
  name: 'ibft-lost-votes',
  chain: 'ibft',
  forgetsVotes: true,
};

/** Each ROUND-CHANGE starts a new engine, whose memory has no lock. */
const withoutLock: NewEngine = (signer, options) => {
  let engine: BftEngineMachine = new EngineSwitch(signer, options);
  let position: Extract<BftInput, { kind: 'start' | 'committed' }> | undefined;
  let memory: VoteMemory | undefined;
  return {
    step(input, nowMs): readonly BftEffect[] {
      if (input.kind === 'start' || input.kind === 'committed') position = input;
      const effects = engine.step(input, nowMs);
      for (const effect of effects) if (effect.kind === 'remember') memory = effect.memory;
      if (!position || !memory || !effects.some(isRoundChange)) return effects;
      engine = new EngineSwitch(signer, options);
      const unlocked = encodeMemory({ ...decodeMemory(memory), lock: undefined });
      return [...effects, ...engine.step({ ...position, kind: 'start', memory: unlocked }, nowMs)];
    },
  };
};

function isRoundChange(effect: BftEffect): boolean {
  return effect.kind === 'broadcast' && decodeMessage(effect.bytes).kind === 'roundChange';
}

export const IBFT_LOST_LOCK: Canary = {
  name: 'ibft-lost-lock',
  chain: 'ibft',
  engine: withoutLock,
  plan: (plan) => ({ ...plan, lossRate: 0.3, delayMsMax: 300 }),
};
