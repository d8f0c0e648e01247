/** What QBFT and IBFT have in common at one height: the state that their shared parts see, ballots, and reports of faults. */
import { type Address, equalBytes, type Hash32, keyOf, ZERO_ADDRESS } from '../../base/bytes.ts';
import type { Lru } from '../../base/lru.ts';
import type { Block } from '../../chain/block.ts';
import { blockAuthor, readBftExtra } from '../../chain/extra-data.ts';
import type { Header } from '../../chain/header.ts';
import type { ConsensusRules } from '../../chain/rules.ts';
import type { BftEffect, ConsensusSigner, View } from './interface.ts';

/** Proposals of one height whose check is remembered. */
export const CHECKED_PROPOSALS_MAX = 16;

export interface Proposal {
  readonly block: Block;
  status: 'checking' | 'valid' | 'invalid';
}

/** A message with its signer. */
export interface Ballot<M> {
  readonly signer: Address;
  readonly message: M;
}

/** What is asked for a block that may be empty, or not yet. */
interface Wish {
  readonly mayBeEmpty: boolean;
}

export interface RoundBase {
  readonly round: number;
  readonly proposer: Address;
  proposal: Proposal | undefined;
  /** Whether the time of the round runs. */
  isTimed: boolean;
  /** What the own block of this round may be: set while one is asked for. */
  wanted: Wish | undefined;
}

export interface HeightBase {
  readonly height: number;
  readonly head: Header;
  readonly headHash: Hash32;
  readonly rules: ConsensusRules;
  /** Whether this node votes at this height. */
  readonly isVoting: boolean;
  /** Result of the check by block hash; undefined text: sound. */
  readonly checked: Lru<string, { readonly fault: string | undefined }>;
  /** Faults that were reported: each once. */
  readonly reported: Set<string>;
  /** The block that this node has built at this height. */
  own: Block | undefined;
  hasTransactions: boolean;
  isDecided: boolean;
  current: RoundBase;
}

/** What the shared parts work on: the state, the time, and where effects go. */
export interface StepBase {
  readonly signer: ConsensusSigner;
  readonly state: HeightBase;
  readonly nowMs: number;
  readonly effects: BftEffect[];
}

export function viewOf({ state }: StepBase): View {
  return { height: state.height, round: state.current.round };
}

export function isProposer({ state, signer }: StepBase): boolean {
  return state.isVoting && equalBytes(state.current.proposer, signer.address);
}

/** Who made the head, of either engine; genesis has no author. */
export function authorOfHead(head: Header, recover: ConsensusSigner['recover']): Address {
  if (head.number === 0) return ZERO_ADDRESS;
  const isIbft = readBftExtra(head.extraData)?.kind === 'ibft';
  return blockAuthor(isIbft ? 'ibft' : 'qbft', head, recover) ?? ZERO_ADDRESS;
}

/** Reports a fault of a validator once a height. */
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
