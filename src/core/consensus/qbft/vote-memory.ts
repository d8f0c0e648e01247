/**
 * Connects the state and the vote file: what is stored before a vote is sent, and how a restarted
 * validator resumes.
 */
import { RlpReader } from '../../base/rlp.ts';
import { EncodedBlock, encodeBlock } from '../../chain/block.ts';
import type { VoteMemory } from '../bft/interface.ts';
import { decodeMemory, encodeMemory } from '../bft/memory.ts';
import { viewOf } from '../bft/step.ts';
import { encodeSigned, readPrepare } from './messages.ts';
import { type HeightState, newRound, type Step } from './round-state.ts';

/**
 * Stores the view, the supported proposal and the lock: before every PRE-PREPARE, PREPARE, COMMIT
 * and ROUND-CHANGE.
 */
export function remember(step: Step): void {
  const { lock, current } = step.state;
  const memory = encodeMemory({
    view: viewOf(step),
    digest: current.digest,
    lock: lock && {
      round: lock.round,
      block: encodeBlock(lock.block),
      prepares: lock.prepares.map(encodeSigned),
    },
  });
  step.effects.push({ kind: 'remember', memory });
}

/** Restores the state that this validator had when it wrote the memory. */
export function recall(state: HeightState, memory: VoteMemory): void {
  const { view, digest, lock } = decodeMemory(memory);
  state.current = newRound(state, view.round);
  state.current.digest = digest;
  state.current.hasProposed = digest !== undefined;
  if (!lock) return;
  state.lock = {
    round: lock.round,
    block: new EncodedBlock(lock.block),
    prepares: lock.prepares.map((bytes) => readPrepare(new RlpReader(bytes))),
  };
  state.current.hasPrepared = lock.round === view.round;
}
