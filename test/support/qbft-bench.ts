/** One QBFT engine among four validators: its inputs and its effects. */

import { EMPTY_BYTES } from '../../src/core/base/bytes.ts';
import { EMPTY_ROOT } from '../../src/core/base/keccak.ts';
import { type Block, blockOf } from '../../src/core/chain/block.ts';
import type { ConsensusRules } from '../../src/core/chain/consensus-rules.ts';
import { qbftCommitPreimage } from '../../src/core/chain/extra-data.ts';
import type {
  BftEffect,
  BftInput,
  ConsensusSigner,
  VoteMemory,
} from '../../src/core/consensus/bft/interface.ts';
import { sortedValidators } from '../../src/core/consensus/bft/validators.ts';
import { headerTemplate } from '../../src/core/consensus/header-template.ts';
import { QbftEngine } from '../../src/core/consensus/qbft/engine.ts';
import {
  decodeMessage,
  encodeMessage,
  type QbftMessage,
  signCommit,
} from '../../src/core/consensus/qbft/messages.ts';
import { bftGenesis, bftRules, keySigner } from './bft-chain.ts';

const GENESIS_SECONDS = 1_700_000_000;

export const START_MS = GENESIS_SECONDS * 1000;

export const RULES = bftRules('qbft');

const SIGNERS = [1, 2, 3, 4]
  .map(keySigner)
  .sort((a, b) => (sortedValidators([a.address, b.address])[0] === a.address ? -1 : 1));

export const VALIDATORS = SIGNERS.map(({ address }) => address);

export const [PROPOSER, ME, THIRD, FOURTH] = SIGNERS as [
  ConsensusSigner,
  ConsensusSigner,
  ConsensusSigner,
  ConsensusSigner,
];

export const GENESIS = bftGenesis('qbft', VALIDATORS, GENESIS_SECONDS);

export function proposal(by: ConsensusSigner, seconds = 1, gasUsed = 0n): Block {
  const template = headerTemplate({
    engine: 'qbft',
    parent: GENESIS.header,
    parentHash: GENESIS.hash,
    validators: VALIDATORS,
    rules: RULES,
    parentRules: RULES,
    proposer: by.address,
    vote: undefined,
    vanity: EMPTY_BYTES,
    nowMs: START_MS,
    notBeforeMs: START_MS + seconds * 1000,
  });
  return blockOf({ ...GENESIS.header, ...template, gasUsed }, { transactions: [], uncles: [] });
}

export function tooEarly(): Block {
  const { header } = proposal(PROPOSER);
  const timestamp = GENESIS.header.timestamp;
  return blockOf({ ...header, timestamp }, { transactions: [], uncles: [] });
}

export function onAnotherParent(): Block {
  const { header } = proposal(PROPOSER);
  return blockOf({ ...header, parentHash: EMPTY_ROOT }, { transactions: [], uncles: [] });
}

/** An engine with its clock. */
export class Bench {
  nowMs = START_MS + 1500;
  readonly effects: BftEffect[] = [];
  readonly rules: ConsensusRules;
  private readonly engine: QbftEngine;

  constructor(
    signer: ConsensusSigner,
    rules = RULES,
    memory?: VoteMemory,
    validators = VALIDATORS,
  ) {
    this.rules = rules;
    this.engine = new QbftEngine(signer);
    const start = { kind: 'start', head: GENESIS.header, headHash: GENESIS.hash } as const;
    this.step({ ...start, validators, rules, ...(memory && { memory }) });
  }

  step(input: BftInput): readonly BftEffect[] {
    const effects = this.engine.step(input, this.nowMs);
    this.effects.push(...effects);
    return effects;
  }

  hear(message: QbftMessage): readonly BftEffect[] {
    return this.step({
      kind: 'message',
      from: THIRD.address,
      code: message.code,
      bytes: encodeMessage(message),
    });
  }

  verified(block: Block, fault?: string): readonly BftEffect[] {
    return this.step({ kind: 'verified', hash: block.hash, ...(fault !== undefined && { fault }) });
  }

  fire(name: string): readonly BftEffect[] {
    const { height, round } = this.engine.view!;
    return this.step({ kind: 'timer', id: `${name}/${height}/${round}` });
  }
}

export function said(effects: readonly BftEffect[]): string[] {
  return effects.flatMap((effect) =>
    effect.kind === 'broadcast' ? [decodeMessage(effect.code, effect.bytes).kind] : [],
  );
}

export function ofKind<K extends BftEffect['kind']>(effects: readonly BftEffect[], kind: K) {
  return effects.filter(
    (effect): effect is Extract<BftEffect, { kind: K }> => effect.kind === kind,
  );
}

export const VIEW = { height: 1, round: 0 };

export function commitOf(signer: ConsensusSigner, block: Block, round = 0) {
  const seal = signer.sign(qbftCommitPreimage(block.header, round));
  return signCommit(signer, { height: 1, round }, block.hash, seal);
}
