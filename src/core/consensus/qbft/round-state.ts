/** Everything QBFT knows at one height and in one round of it: plain records that the message files fill. */
import { type Address, type Hash32, ZERO_ADDRESS } from '../../base/bytes.ts';
import { Lru } from '../../base/lru.ts';
import type { Block } from '../../chain/block.ts';
import type { Header } from '../../chain/header.ts';
import type { ConsensusRules } from '../../chain/rules.ts';
import type { ConsensusSigner, ValidatorSet } from '../bft/interface.ts';
import { proposerOf } from '../bft/proposer.ts';
import { faultyMax, type quorumOf } from '../bft/quorum.ts';
import {
  authorOfHead,
  type Ballot,
  CHECKED_PROPOSALS_MAX,
  type HeightBase,
  type RoundBase,
  type StepBase,
} from '../bft/step.ts';
import { isValidator } from '../bft/validators.ts';
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
  /** The only proposal that this node supports in this round; set before anything about it leaves. */
  digest: Hash32 | undefined;
  /** A PRE-PREPARE whose timestamp has not come yet. */
  held: Ballot<Preprepare> | undefined;
  /** By signer; the first of each counts. */
  readonly prepares: Map<string, Ballot<Prepare>>;
  readonly commits: Map<string, Ballot<Commit>>;
  /** Own messages of this round, repeated while it lasts. */
  readonly sent: QbftMessage[];
  hasProposed: boolean;
  hasPrepared: boolean;
}

export interface HeightState extends HeightBase {
  readonly electorate: Electorate;
  readonly faulty: number;
  readonly lastProposer: Address;
  /** The latest ROUND-CHANGE of each signer. */
  readonly roundChanges: Map<string, Ballot<RoundChange>>;
  lock: Lock | undefined;
  current: RoundState;
}

export interface HeightStart {
  readonly head: Header;
  readonly headHash: Hash32;
  readonly validators: ValidatorSet;
  readonly rules: ConsensusRules;
  /** Below this height this node has voted already and stays silent. */
  readonly votesFrom: number;
}

export function newHeight(
  start: HeightStart,
  signer: ConsensusSigner,
  quorumRule: typeof quorumOf,
): HeightState {
  const { head, headHash, validators, rules } = start;
  const height = head.number + 1;
  const quorum = quorumRule(validators.length, rules.isCeil2Nby3);
  const base = {
    height,
    head,
    headHash,
    rules,
    electorate: { signer, validators, quorum },
    faulty: faultyMax(validators.length),
    lastProposer: authorOfHead(head, signer.recover),
  };
  return {
    ...base,
    isVoting: isValidator(validators, signer.address) && height >= start.votesFrom,
    roundChanges: new Map(),
    checked: new Lru(CHECKED_PROPOSALS_MAX),
    reported: new Set(),
    lock: undefined,
    own: undefined,
    hasTransactions: false,
    isDecided: false,
    current: newRound(base, 0),
  };
}

type RoundContext = Pick<HeightState, 'electorate' | 'rules' | 'lastProposer'>;

export function newRound(
  { electorate, rules, lastProposer }: RoundContext,
  round: number,
): RoundState {
  const { validators } = electorate;
  return {
    round,
    proposer:
      validators.length === 0
        ? ZERO_ADDRESS
        : proposerOf(validators, rules.proposerPolicy, lastProposer, round),
    proposal: undefined,
    digest: undefined,
    held: undefined,
    prepares: new Map(),
    commits: new Map(),
    sent: [],
    isTimed: false,
    hasProposed: false,
    hasPrepared: false,
    wanted: undefined,
  };
}

/** What a message handler works on: the state, the time, and where effects go. */
export interface Step extends StepBase {
  readonly state: HeightState;
}

/** Sends an own message to the others and keeps it for repetition. */
export function broadcast({ state, effects }: Step, message: QbftMessage): void {
  state.current.sent.push(message);
  effects.push({ kind: 'broadcast', code: message.code, bytes: encodeMessage(message) });
}
