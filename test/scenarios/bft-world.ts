/**
 * What the validators of a scenario share: their keys and names, the blocks and their names, and
 * the messages in transit.
 */
import { EMPTY_BYTES, equalBytes, type Hash32, keyOf } from '../../src/core/base/bytes.ts';
import { type Block, blockOf } from '../../src/core/chain/block.ts';
import { ibftProposerPreimage, withProposerSeal } from '../../src/core/chain/extra-data.ts';
import type { Header } from '../../src/core/chain/header.ts';
import type { BftEngine } from '../../src/core/chain/rules.ts';
import type { ConsensusSigner, ValidatorSet } from '../../src/core/consensus/bft/interface.ts';
import { sortedByChecksumText, sortedValidators } from '../../src/core/consensus/bft/validators.ts';
import { headerTemplate } from '../../src/core/consensus/header-template.ts';
import { bftGenesis, bftRules, keySigner } from '../support/bft-chain.ts';
import type { Names } from './bft-text.ts';

const GENESIS_SECONDS = 1_700_000_000;
const START_MS = GENESIS_SECONDS * 1000;

/** A message in transit to one validator. */
export interface Envelope {
  readonly from: string;
  readonly to: string;
  readonly code: number;
  readonly bytes: Uint8Array;
}

export interface Head {
  readonly header: Header;
  readonly hash: Hash32;
}

interface BlockPlan {
  readonly author: string;
  readonly head: Head;
  /** Its timestamp, in seconds after the genesis block. */
  readonly afterSeconds: number;
  /** The fault that executing it finds; undefined: it is valid. */
  readonly fault: string | undefined;
}

export class BftWorld {
  readonly engine: BftEngine;
  readonly rules;
  readonly showsTimers: boolean;
  /** In the order of turns: v1 proposes block 1 in round 0, v2 in round 1. */
  readonly validators: ValidatorSet;
  readonly genesis: Head;
  nowMs = START_MS + 1000;
  wire: Envelope[] = [];
  /** Every message that was ever sent. */
  readonly sent: Envelope[] = [];
  private readonly signers: readonly ConsensusSigner[];
  private readonly blocks = new Map<string, Block>();
  private readonly faults = new Map<string, string>();

  constructor(engine: BftEngine, size: number, showsTimers: boolean) {
    this.engine = engine;
    this.showsTimers = showsTimers;
    this.rules = bftRules(engine);
    const signers = Array.from({ length: size }, (_, index) => keySigner(index + 1));
    const inOrder = engine === 'qbft' ? sortedValidators : sortedByChecksumText;
    this.validators = inOrder(signers.map(({ address }) => address));
    this.signers = this.validators.map(
      (address) => signers.find((each) => equalBytes(each.address, address))!,
    );
    const { header, hash } = bftGenesis(engine, this.validators, GENESIS_SECONDS);
    this.genesis = { header, hash };
  }

  get names(): readonly string[] {
    return this.signers.map((_, index) => `v${index + 1}`);
  }

  signer(name: string): ConsensusSigner {
    const signer = this.signers[this.names.indexOf(name)];
    if (!signer) throw new Error(`no validator ${name}`);
    return signer;
  }

  send(envelope: Envelope): void {
    this.wire.push(envelope);
    this.sent.push(envelope);
  }

  /** Creates a block and registers its name. */
  makeBlock(name: string, { author, head, afterSeconds, fault }: BlockPlan): Block {
    if (this.blocks.has(name)) throw new Error(`block ${name} exists`);
    const signer = this.signer(author);
    const { engine, rules } = this;
    const template = headerTemplate({
      engine,
      parent: head.header,
      parentHash: head.hash,
      validators: this.validators,
      rules,
      parentRules: rules,
      proposer: signer.address,
      vote: undefined,
      vanity: EMPTY_BYTES,
      nowMs: START_MS,
      notBeforeMs: START_MS + afterSeconds * 1000,
    });
    // Makes blocks of different names differ.
    const gasUsed = BigInt(this.blocks.size);
    const header = { ...this.genesis.header, ...template, gasUsed };
    const seal = () => signer.sign(ibftProposerPreimage(header));
    const sealed = engine === 'ibft' ? withProposerSeal(header, seal()) : header;
    const block = blockOf(sealed, { transactions: [], uncles: [] });
    this.blocks.set(name, block);
    if (fault !== undefined) this.faults.set(name, fault);
    return block;
  }

  hasBlock(name: string): boolean {
    return this.blocks.has(name);
  }

  block(name: string): Block {
    const block = this.blocks.get(name);
    if (!block) throw new Error(`no block ${name}`);
    return block;
  }

  faultOf(hash: Hash32): string | undefined {
    return this.faults.get(this.text.block(hash));
  }

  readonly text: Names = {
    recover: (hash, signature) => this.signers[0]!.recover(hash, signature),
    validator: (address) => {
      const index = this.validators.findIndex((each) => address && equalBytes(each, address));
      return index === -1 ? 'nobody' : `v${index + 1}`;
    },
    block: (hash) => {
      const found = [...this.blocks].find(([, block]) => keyOf(block.hash) === keyOf(hash));
      return found ? found[0] : 'an unknown block';
    },
  };
}
