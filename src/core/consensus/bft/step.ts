/** What QBFT and IBFT share at one height: common state, ballots, and fault reports. */
import { type Address, equalBytes, type Hash32, keyOf, ZERO_ADDRESS } from '../../base/bytes.ts';
import { hasCode } from '../../base/errors.ts';
import type { Lru } from '../../base/lru.ts';
import type { Block } from '../../chain/block.ts';
import { blockAuthor, readBftExtra } from '../../chain/extra-data.ts';
import type { Header } from '../../chain/header.ts';
import type { ConsensusRules } from '../../chain/rules.ts';
import type {
  BftEffect,
  ConsensusSigner,
  LongProposal,
  Seal,
  ValidatorSet,
  View,
} from './interface.ts';

export interface Proposal {
  readonly block: Block;
  /** When this node began to check it. */
  readonly atMs: number;
  status: 'checking' | 'valid' | 'invalid';
}

/** A message with its signer. */
export interface Ballot<M> {
  readonly signer: Address;
  readonly message: M;
}

/** Whether a block was requested, and whether it may be empty. */
interface BlockTerms {
  readonly mayBeEmpty: boolean;
}

export type MessageKind = 'preprepare' | 'prepare' | 'commit' | 'roundChange';

/** One of our messages, as it was sent. */
interface SentMessage {
  readonly kind: MessageKind;
  readonly code: number;
  readonly bytes: Uint8Array;
}

/** A message of ours whose signature is awaited. */
interface UnsignedMessage {
  retry(step: StepBase): void;
}

export interface RoundBase {
  readonly round: number;
  readonly proposer: Address;
  proposal: Proposal | undefined;
  /**
   * The only proposal that this node supports in this round; set before any message about it is
   * sent.
   */
  digest: Hash32 | undefined;
  /** A PRE-PREPARE whose timestamp is still in the future. */
  held: Ballot<{ readonly block: Block }> | undefined;
  /** By signer; only the first of each counts. */
  readonly commits: Map<string, Ballot<SealedVote>>;
  /** Own messages of this round, repeated while it lasts. */
  readonly sent: SentMessage[];
  /** Own messages of this round that are sent once they are signed. */
  readonly unsigned: Map<MessageKind, UnsignedMessage>;
  hasProposed: boolean;
  /** Whether the round's timer is running. */
  isTimed: boolean;
  /** Set while our own block of this round is requested: whether it may be empty. */
  wanted: BlockTerms | undefined;
  /** The long block that is encoded, to be proposed in this round. */
  encoding: Block | undefined;
}

export interface HeightBase {
  readonly height: number;
  readonly head: Header;
  readonly headHash: Hash32;
  /**
   * When this node began to check the head's proposal, or when it got the head if it saw no
   * proposal: a block period below a second counts from here.
   */
  headAtMs: number;
  readonly rules: ConsensusRules;
  /** In the order of the proposer rule. */
  readonly validators: ValidatorSet;
  readonly quorum: number;
  readonly faulty: number;
  readonly lastProposer: Address;
  /** Whether this node votes at this height. */
  readonly isVoting: boolean;
  /** Result of the check by block hash; undefined: valid. */
  readonly checked: Lru<string, { readonly fault: string | undefined }>;
  /** Faults already reported: each is reported once. */
  readonly reported: Set<string>;
  /** The block that this node has built at this height. */
  own: Block | undefined;
  /** The last long block that was encoded to be proposed. */
  long: LongProposal | undefined;
  hasTransactions: boolean;
  isDecided: boolean;
  current: RoundBase;
}

/** Data for a message handler: the state of its engine, the time, and the list for its effects. */
export interface StepOf<S extends HeightBase> {
  readonly signer: ConsensusSigner;
  readonly state: S;
  readonly nowMs: number;
  readonly effects: BftEffect[];
}

export type StepBase = StepOf<HeightBase>;

/** Sends one of our messages to the other validators and keeps it for repetition. */
export function say({ state, effects }: StepBase, message: SentMessage): void {
  state.current.sent.push(message);
  effects.push({ kind: 'broadcast', code: message.code, bytes: message.bytes });
}

/**
 * Signs one of our messages and says it: at once, or when its signature is there. Until then this
 * validator is silent, like one that has stopped; with the round its message is forgotten. `sign`
 * must always sign the same bytes, and nothing of its round may depend on when it has signed.
 */
export function saySigned<S extends HeightBase, M>(
  step: StepOf<S>,
  kind: MessageKind,
  sign: () => M,
  said: (step: StepOf<S>, message: M) => void,
): void {
  const { unsigned } = step.state.current;
  let message: M;
  try {
    message = sign();
  } catch (error) {
    if (!hasCode(error, 'SIGNATURE_AWAITED')) throw error;
    unsigned.set(kind, { retry: (later: StepOf<S>) => saySigned(later, kind, sign, said) });
    return;
  }
  unsigned.delete(kind);
  said(step, message);
}

/** Says the messages of this round whose signature is there now. */
export function retrySigning(step: StepBase): void {
  const { current } = step.state;
  for (const { retry } of [...current.unsigned.values()]) {
    // One of our own messages may have ended the round.
    if (step.state.current === current) retry(step);
  }
}

export function hasSent({ sent }: RoundBase, kind: MessageKind): boolean {
  return sent.some((message) => message.kind === kind);
}

export function viewOf({ state }: Pick<StepBase, 'state'>): View {
  return { height: state.height, round: state.current.round };
}

export function isProposer({ state, signer }: StepBase): boolean {
  return state.isVoting && equalBytes(state.current.proposer, signer.address);
}

/** Author of the head, in QBFT or IBFT; the zero address for genesis. */
export function authorOfHead(head: Header, recover: ConsensusSigner['recover']): Address {
  if (head.number === 0) return ZERO_ADDRESS;
  const isIbft = readBftExtra(head.extraData)?.kind === 'ibft';
  return blockAuthor(isIbft ? 'ibft' : 'qbft', head, recover) ?? ZERO_ADDRESS;
}

/** Reports a fault of a validator once per height. */
export function blame({ state, effects }: StepBase, peer: Address, fault: string): void {
  const key = `${keyOf(peer)}${fault}`;
  if (state.reported.has(key)) return;
  state.reported.add(key);
  effects.push({ kind: 'misbehaved', peer, fault });
}

interface Vote {
  readonly kind: 'prepare' | 'commit';
  readonly digest: Hash32;
}

export interface SealedVote extends Vote {
  readonly kind: 'commit';
  readonly seal: Seal;
}

/**
 * Counts a vote: the first of each signer. A second one that differs is a double vote.
 * Returns whether it is new.
 */
export function countVote<M extends Vote>(
  step: StepBase,
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
    const name = message.kind === 'prepare' ? 'PREPARE' : 'COMMIT';
    blame(step, signer, `two different ${name} messages in one round`);
  }
  return false;
}

/** Votes for the current proposal. */
export function votesFor<M extends Vote>(
  votes: ReadonlyMap<string, Ballot<M>>,
  digest: Hash32,
): Ballot<M>[] {
  return [...votes.values()].filter(({ message }) => equalBytes(message.digest, digest));
}
