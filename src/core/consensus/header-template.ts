/**
 * The fields that a proposer puts into a header before the block is filled (GoQuorum
 * consensus/istanbul/qbft/engine/engine.go).
 */
import { type Address, EMPTY_BYTES, type Hash32, ZERO_ADDRESS } from '../base/bytes.ts';
import { EMPTY_UNCLES_HASH } from '../chain/block.ts';
import {
  encodeIbftExtra,
  encodeQbftExtra,
  type HeaderVote,
  ISTANBUL_DIGEST,
  QBFT_VOTE,
} from '../chain/extra-data.ts';
import type { Header } from '../chain/header.ts';
import type { BftEngine, ConsensusRules } from '../chain/rules.ts';
import type { ValidatorSet } from './bft/interface.ts';
import { sortedValidators } from './bft/validators.ts';

const VANITY_BYTES = 32;

export interface HeaderPlan {
  readonly engine: BftEngine;
  readonly parent: Pick<Header, 'number' | 'timestamp'>;
  readonly parentHash: Hash32;
  /** The set of validators that makes this block. */
  readonly validators: ValidatorSet;
  /** Rules at the block's number. */
  readonly rules: ConsensusRules;
  /** COMPAT: the validators that the header lists depend on the rules at its parent. */
  readonly parentRules: Pick<ConsensusRules, 'validatorContract' | 'validatorOverride'>;
  readonly proposer: Address;
  readonly vote: HeaderVote | undefined;
  /** The operator's extra data: up to 32 bytes are kept. */
  readonly vanity: Uint8Array;
  readonly nowMs: number;
  /** From the engine's `assemble`. */
  readonly notBeforeMs: number;
}

export type HeaderTemplate = Pick<
  Header,
  | 'parentHash'
  | 'unclesHash'
  | 'coinbase'
  | 'difficulty'
  | 'number'
  | 'timestamp'
  | 'extraData'
  | 'mixHash'
  | 'nonce'
> &
  /** Replaces the builder's value. */
  Partial<Pick<Header, 'gasLimit'>>;

const NONCE_ADD = new Uint8Array(8).fill(0xff);
const NONCE_NONE = new Uint8Array(8);

export function headerTemplate(plan: HeaderPlan): HeaderTemplate {
  const { engine, parent, vote, proposer } = plan;
  const isQbft = engine === 'qbft';
  return {
    parentHash: plan.parentHash,
    unclesHash: EMPTY_UNCLES_HASH,
    coinbase: isQbft ? proposer : (vote?.candidate ?? ZERO_ADDRESS),
    difficulty: 1n,
    number: parent.number + 1,
    timestamp: timestampOf(plan),
    extraData: isQbft ? qbftExtra(plan) : ibftExtra(plan),
    mixHash: ISTANBUL_DIGEST,
    nonce: !isQbft && vote?.isAdd ? NONCE_ADD : NONCE_NONE,
  };
}

/**
 * One block period after the parent, in whole seconds; later if the clock is later, or if the
 * engine waited for transactions.
 */
function timestampOf({ parent, rules, nowMs, notBeforeMs }: HeaderPlan): bigint {
  const earliest = Number(parent.timestamp) + Math.floor(rules.blockPeriodMs / 1000);
  return BigInt(Math.max(earliest, Math.floor(Math.max(nowMs, notBeforeMs) / 1000)));
}

function qbftExtra(plan: HeaderPlan): Uint8Array {
  const { vote } = plan;
  return encodeQbftExtra({
    vanity: vanityOf(plan.vanity),
    validators: listedValidators(plan),
    vote: vote && {
      candidate: vote.candidate,
      code: vote.isAdd ? QBFT_VOTE.add : QBFT_VOTE.remove,
    },
    round: 0,
    seals: [],
  });
}

function ibftExtra(plan: HeaderPlan): Uint8Array {
  return encodeIbftExtra({
    vanity: vanityOf(plan.vanity),
    validators: listedValidators(plan),
    proposerSeal: EMPTY_BYTES,
    seals: [],
  });
}

function listedValidators({ parentRules, validators }: HeaderPlan): readonly Address[] {
  if (parentRules.validatorContract) return [];
  return sortedValidators(parentRules.validatorOverride ?? validators);
}

/** Exactly 32 bytes: GoQuorum cannot seal with more. */
function vanityOf(extra: Uint8Array): Uint8Array {
  const vanity = new Uint8Array(VANITY_BYTES);
  vanity.set(extra.subarray(0, VANITY_BYTES));
  return vanity;
}
