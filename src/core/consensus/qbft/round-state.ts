/**
 * What QBFT knows at one height and in its current round: plain records, filled in by the files of
 * the message kinds.
 */
import type { Block } from '../../chain/block.ts';
import { type HeightStart, heightBase, type RoundContext, roundBase } from '../bft/height.ts';
import type { ConsensusSigner } from '../bft/interface.ts';
import type { quorumOf } from '../bft/quorum.ts';
import { type Ballot, type HeightBase, type RoundBase, type StepOf, say } from '../bft/step.ts';
import type { Electorate } from './justification.ts';
import {
  type Commit,
  encodeMessage,
  type Prepare,
  type Preprepare,
  type QbftMessage,
  type RoundChange,
} from './messages.ts';

/** A block that a quorum prepared, with the proof. */
export interface Lock {
  readonly round: number;
  readonly block: Block;
  readonly prepares: readonly Prepare[];
}

export interface RoundState extends RoundBase {
  held: Ballot<Preprepare> | undefined;
  readonly prepares: Map<string, Ballot<Prepare>>;
  readonly commits: Map<string, Ballot<Commit>>;
  hasPrepared: boolean;
}

export interface HeightState extends HeightBase {
  /** The latest ROUND-CHANGE of each signer. */
  readonly roundChanges: Map<string, Ballot<RoundChange>>;
  lock: Lock | undefined;
  current: RoundState;
}

export function newHeight(
  start: HeightStart,
  signer: ConsensusSigner,
  quorumRule: typeof quorumOf,
): HeightState {
  const base = heightBase(start, signer, quorumRule);
  return { ...base, roundChanges: new Map(), lock: undefined, current: newRound(base, 0) };
}

export function newRound(context: RoundContext, round: number): RoundState {
  return {
    ...roundBase(context, round),
    held: undefined,
    prepares: new Map(),
    commits: new Map(),
    hasPrepared: false,
  };
}

export type Step = StepOf<HeightState>;

export function electorateOf({ signer, state }: Step): Electorate {
  return { signer, validators: state.validators, quorum: state.quorum };
}

export function broadcast(step: Step, message: QbftMessage): void {
  const { kind, code } = message;
  say(step, { kind, code, bytes: encodeMessage(message) });
}
