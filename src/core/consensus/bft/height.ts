/** The part of a new height's and round's state that QBFT and IBFT share. */

import type { Hash32 } from '../../base/bytes.ts';
import { Lru } from '../../base/lru.ts';
import type { Header } from '../../chain/header.ts';
import type { ConsensusRules } from '../../chain/rules.ts';
import type { ConsensusSigner, ValidatorSet } from './interface.ts';
import { proposerOf } from './proposer.ts';
import { faultyMax, type quorumOf } from './quorum.ts';
import { authorOfHead, type HeightBase, type RoundBase } from './step.ts';
import { isValidator } from './validators.ts';

/** Proposals of one height whose check is remembered. */
const CHECKED_PROPOSALS_MAX = 16;

export interface HeightStart {
  readonly head: Header;
  readonly headHash: Hash32;
  /** See `HeightBase`. */
  readonly headAtMs: number;
  /** In the order of the engine's proposer rule. */
  readonly validators: ValidatorSet;
  readonly rules: ConsensusRules;
  /** Below this height this node has already voted and stays silent. */
  readonly votesFrom: number;
  /** This node's last vote is unknown. */
  readonly isAbstaining: boolean;
}

/** The state of a new height, without its first round. */
export function heightBase(
  { head, headHash, headAtMs, validators, rules, votesFrom, isAbstaining }: HeightStart,
  signer: ConsensusSigner,
  quorumRule: typeof quorumOf,
): Omit<HeightBase, 'current'> {
  const height = head.number + 1;
  return {
    height,
    head,
    headHash,
    headAtMs,
    rules,
    validators,
    quorum: quorumRule(validators.length, rules.isCeil2Nby3),
    faulty: faultyMax(validators.length),
    lastProposer: authorOfHead(head, signer.recover),
    isVoting: isValidator(validators, signer.address) && height >= votesFrom && !isAbstaining,
    checked: new Lru(CHECKED_PROPOSALS_MAX),
    reported: new Set(),
    own: undefined,
    long: undefined,
    hasTransactions: false,
    isDecided: false,
  };
}

export type RoundContext = Pick<HeightBase, 'validators' | 'rules' | 'lastProposer'>;

/** The initial state of a round, without the votes, whose types differ between QBFT and IBFT. */
export function roundBase(
  { validators, rules, lastProposer }: RoundContext,
  round: number,
): Omit<RoundBase, 'held' | 'commits'> {
  return {
    round,
    proposer: proposerOf(validators, rules.proposerPolicy, lastProposer, round),
    proposal: undefined,
    digest: undefined,
    sent: [],
    unsigned: new Map(),
    hasProposed: false,
    isTimed: false,
    wanted: undefined,
    encoding: undefined,
  };
}
