/** Everything QBFT knows at one height and in one round of it: plain records that the message files fill. */
import { type Address, equalBytes, type Hash32, keyOf, ZERO_ADDRESS } from '../../base/bytes.ts';
import { Lru } from '../../base/lru.ts';
import type { Block } from '../../chain/block.ts';
import { blockAuthor, readBftExtra } from '../../chain/extra-data.ts';
import type { Header } from '../../chain/header.ts';
import type { ConsensusRules } from '../../chain/rules.ts';
import type { BftEffect, ConsensusSigner, ValidatorSet, View } from '../bft/interface.ts';
import { proposerOf } from '../bft/proposer.ts';
import { faultyMax, type quorumOf } from '../bft/quorum.ts';
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

/** Proposals of one height whose check is remembered. */
const CHECKED_PROPOSALS_MAX = 16;

/** A block that a quorum prepared, with the proof. */
export interface Lock {
  readonly round: number;
  readonly block: Block;
  readonly prepares: readonly Prepare[];
}

export interface Proposal {
  readonly block: Block;
  status: 'checking' | 'valid' | 'invalid';
}

/** A vote with its signer. */
export interface Ballot<M> {
  readonly signer: Address;
  readonly message: M;
}

export interface RoundState {
  readonly round: number;
  readonly proposer: Address;
  /** The first acceptable PRE-PREPARE of the proposer. */
  proposal: Proposal | undefined;
  /** The only proposal that this node supports in this round; set before anything about it leaves. */
  digest: Hash32 | undefined;
  /** A PRE-PREPARE whose timestamp has not come yet. */
  held: Ballot<Preprepare> | undefined;
  /** By signer; the first of each counts. */
  readonly prepares: Map<string, Ballot<Prepare>>;
  readonly commits: Map<string, Ballot<Commit>>;
  /** Own messages of this round, repeated while it lasts. */
  readonly sent: QbftMessage[];
  /** Whether the time of the round runs. */
  isTimed: boolean;
  hasProposed: boolean;
  hasPrepared: boolean;
  /** What the own block of this round may be: set while one is asked for. */
  wanted: { readonly mayBeEmpty: boolean } | undefined;
}

export interface HeightState {
  readonly height: number;
  readonly head: Header;
  readonly headHash: Hash32;
  readonly rules: ConsensusRules;
  readonly electorate: Electorate;
  readonly faulty: number;
  readonly lastProposer: Address;
  /** Whether this node votes at this height. */
  readonly isVoting: boolean;
  /** The latest ROUND-CHANGE of each signer. */
  readonly roundChanges: Map<string, Ballot<RoundChange>>;
  /** Result of the check by block hash; undefined text: sound. */
  readonly checked: Lru<string, { readonly fault: string | undefined }>;
  /** Faults that were reported: each once. */
  readonly reported: Set<string>;
  lock: Lock | undefined;
  /** The block that this node has built at this height. */
  own: Block | undefined;
  hasTransactions: boolean;
  isDecided: boolean;
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
    lastProposer: authorOfHead(head),
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

type RoundBase = Pick<HeightState, 'electorate' | 'rules' | 'lastProposer'>;

export function newRound(
  { electorate, rules, lastProposer }: RoundBase,
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

/** The last IBFT block before the switch to QBFT has its author in a seal. Genesis has none. */
function authorOfHead(head: Header): Address {
  if (head.number === 0) return ZERO_ADDRESS;
  const isIbft = readBftExtra(head.extraData)?.kind === 'ibft';
  const author = blockAuthor(isIbft ? 'ibft' : 'qbft', head);
  return author ?? ZERO_ADDRESS;
}

/** What a message handler works on: the state, the time, and where effects go. */
export interface Step {
  readonly signer: ConsensusSigner;
  readonly state: HeightState;
  readonly nowMs: number;
  readonly effects: BftEffect[];
}

export function viewOf({ state }: Step): View {
  return { height: state.height, round: state.current.round };
}

export function isProposer({ state, signer }: Step): boolean {
  return state.isVoting && equalBytes(state.current.proposer, signer.address);
}

/** Sends an own message to the others and keeps it for repetition. */
export function broadcast({ state, effects }: Step, message: QbftMessage): void {
  state.current.sent.push(message);
  effects.push({ kind: 'broadcast', code: message.code, bytes: encodeMessage(message) });
}

/** Reports a fault of a validator once a height. */
export function blame({ state, effects }: Step, peer: Address, fault: string): void {
  const key = `${keyOf(peer)}${fault}`;
  if (state.reported.has(key)) return;
  state.reported.add(key);
  effects.push({ kind: 'misbehaved', peer, fault });
}

/**
 * Counts a vote: the first of each signer. A second one that differs is a double vote.
 * Returns whether it is new.
 */
export function countVote<M extends Prepare | Commit>(
  step: Step,
  votes: Map<string, Ballot<M>>,
  signer: Address,
  message: M,
): boolean {
  const key = keyOf(signer);
  const earlier = votes.get(key);
  if (!earlier) {
    votes.set(key, { signer, message });
    return true;
  }
  if (!equalBytes(earlier.message.digest, message.digest)) {
    blame(
      step,
      signer,
      `two different ${message.kind === 'prepare' ? 'PREPARE' : 'COMMIT'} messages in one round`,
    );
  }
  return false;
}

/** Votes for the current proposal. */
export function votesFor<M extends Prepare | Commit>(
  votes: ReadonlyMap<string, Ballot<M>>,
  digest: Hash32,
): Ballot<M>[] {
  return [...votes.values()].filter(({ message }) => equalBytes(message.digest, digest));
}
