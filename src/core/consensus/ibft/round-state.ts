/**
 * What IBFT knows at one height and in its current round: plain records, filled in by the files of
 * the message kinds.
 */
import { type Hash32, keyOf } from '../../base/bytes.ts';
import type { Block } from '../../chain/block.ts';
import { type HeightStart, heightBase, type RoundContext, roundBase } from '../bft/height.ts';
import type { ConsensusSigner } from '../bft/interface.ts';
import type { quorumOf } from '../bft/quorum.ts';
import {
  type Ballot,
  type HeightBase,
  type RoundBase,
  type StepOf,
  say,
  votesFor,
} from '../bft/step.ts';
import { sortedByChecksumText } from '../bft/validators.ts';
import {
  type Commit,
  encodeMessage,
  IBFT_MESSAGE,
  type IbftMessage,
  type Prepare,
  type Preprepare,
} from './messages.ts';

/**
 * The block that a quorum prepared: this node votes for nothing else at this height, in any round.
 * The lock is permanent because seals contain no round: seals of different rounds together make a
 * decision.
 */
export interface Lock {
  readonly round: number;
  readonly block: Block;
}

export interface RoundState extends RoundBase {
  /**
   * The round was requested but has not begun: until a quorum requests it, only ROUND-CHANGE is
   * handled.
   */
  isWaiting: boolean;
  held: Ballot<Preprepare> | undefined;
  readonly prepares: Map<string, Ballot<Prepare>>;
  readonly commits: Map<string, Ballot<Commit>>;
}

export interface HeightState extends HeightBase {
  /** The highest round that each signer has requested. */
  readonly roundChanges: Map<string, number>;
  lock: Lock | undefined;
  current: RoundState;
}

export function newHeight(
  start: HeightStart,
  signer: ConsensusSigner,
  quorumRule: typeof quorumOf,
): HeightState {
  const validators = sortedByChecksumText(start.validators);
  const base = heightBase({ ...start, validators }, signer, quorumRule);
  return { ...base, roundChanges: new Map(), lock: undefined, current: newRound(base, 0) };
}

export function newRound(context: RoundContext, round: number): RoundState {
  return {
    ...roundBase(context, round),
    isWaiting: false,
    held: undefined,
    prepares: new Map(),
    commits: new Map(),
  };
}

export type Step = StepOf<HeightState>;

export function broadcast(step: Step, message: IbftMessage): void {
  say(step, { kind: message.kind, code: IBFT_MESSAGE, bytes: encodeMessage(message) });
}

/** Validators that support the proposal in this round: a COMMIT also counts as a PREPARE. */
export function supportersOf({ prepares, commits }: RoundState, digest: Hash32): number {
  const supporters = new Set<string>();
  for (const { signer } of votesFor(prepares, digest)) supporters.add(keyOf(signer));
  for (const { signer } of votesFor(commits, digest)) supporters.add(keyOf(signer));
  return supporters.size;
}
