/** Everything IBFT knows at one height and in one round of it: plain records that the message files fill. */
import { type Address, type Hash32, keyOf, ZERO_ADDRESS } from '../../base/bytes.ts';
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
  votesFor,
} from '../bft/step.ts';
import { isValidator, sortedByChecksumText } from '../bft/validators.ts';
import {
  type Commit,
  encodeMessage,
  IBFT_MESSAGE,
  type IbftMessage,
  type Prepare,
  type Preprepare,
} from './messages.ts';

/**
 * The block that a quorum prepared: this node votes for nothing else at this height, in any round. That is for ever, because
 * seals name no round: whoever collects those of several rounds has a decision.
 */
export interface Lock {
  readonly round: number;
  readonly block: Block;
}

export interface RoundState extends RoundBase {
  /** Asked for, but not begun: until a quorum has asked for it, nothing but ROUND-CHANGE is looked at. */
  isWaiting: boolean;
  /** The only proposal that this node supports in this round; set before anything about it leaves. */
  digest: Hash32 | undefined;
  /** A PRE-PREPARE whose timestamp has not come yet. */
  held: Ballot<Preprepare> | undefined;
  /** By signer; the first of each counts. */
  readonly prepares: Map<string, Ballot<Prepare>>;
  readonly commits: Map<string, Ballot<Commit>>;
  /** Own messages of this round, repeated while it lasts. */
  readonly sent: IbftMessage[];
  hasProposed: boolean;
}

export interface HeightState extends HeightBase {
  /** In the order of the proposer rule. */
  readonly validators: ValidatorSet;
  readonly quorum: number;
  readonly faulty: number;
  readonly lastProposer: Address;
  /** The highest round that each signer has asked for. */
  readonly roundChanges: Map<string, number>;
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
  { head, headHash, validators, rules, votesFrom }: HeightStart,
  signer: ConsensusSigner,
  quorumRule: typeof quorumOf,
): HeightState {
  const height = head.number + 1;
  const base = {
    height,
    head,
    headHash,
    rules,
    validators: sortedByChecksumText(validators),
    lastProposer: authorOfHead(head, signer.recover),
  };
  return {
    ...base,
    quorum: quorumRule(validators.length, rules.isCeil2Nby3),
    faulty: faultyMax(validators.length),
    isVoting: isValidator(validators, signer.address) && height >= votesFrom,
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

type RoundContext = Pick<HeightState, 'validators' | 'rules' | 'lastProposer'>;

export function newRound(
  { validators, rules, lastProposer }: RoundContext,
  round: number,
): RoundState {
  return {
    round,
    proposer:
      validators.length === 0
        ? ZERO_ADDRESS
        : proposerOf(validators, rules.proposerPolicy, lastProposer, round),
    isWaiting: false,
    proposal: undefined,
    digest: undefined,
    held: undefined,
    prepares: new Map(),
    commits: new Map(),
    sent: [],
    isTimed: false,
    hasProposed: false,
    wanted: undefined,
  };
}

/** What a message handler works on. */
export interface Step extends StepBase {
  readonly state: HeightState;
}

/** Sends an own message to the others and keeps it for repetition. */
export function broadcast({ state, effects }: Step, message: IbftMessage): void {
  state.current.sent.push(message);
  effects.push({ kind: 'broadcast', code: IBFT_MESSAGE, bytes: encodeMessage(message) });
}

/** Validators that stand by the proposal in this round: a COMMIT counts as a PREPARE too. */
export function supportersOf({ prepares, commits }: RoundState, digest: Hash32): number {
  const supporters = new Set<string>();
  for (const { signer } of votesFor(prepares, digest)) supporters.add(keyOf(signer));
  for (const { signer } of votesFor(commits, digest)) supporters.add(keyOf(signer));
  return supporters.size;
}

export function hasSent({ sent }: RoundState, kind: IbftMessage['kind']): boolean {
  return sent.some((message) => message.kind === kind);
}
