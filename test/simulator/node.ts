/**
 * One node: the production engine, and a small driver that carries out its effects in virtual time.
 */
import { type Address, EMPTY_BYTES, equalBytes, keyOf } from '../../src/core/base/bytes.ts';
import { EMPTY_ROOT, keccak256 } from '../../src/core/base/keccak.ts';
import type { Prng } from '../../src/core/base/prng.ts';
import { type Block, blockOf } from '../../src/core/chain/block.ts';
import {
  blockAuthor,
  ibftProposerPreimage,
  voteOf,
  withCommitSeals,
  withProposerSeal,
} from '../../src/core/chain/extra-data.ts';
import type { Header } from '../../src/core/chain/header.ts';
import type { BftEngine, ConsensusRules } from '../../src/core/chain/rules.ts';
import type {
  BftEffect,
  BftEngineMachine,
  BftInput,
  ConsensusSigner,
  ValidatorSet,
  VoteMemory,
} from '../../src/core/consensus/bft/interface.ts';
import { BLOCKS_LOOKED_THROUGH, memoryLoss } from '../../src/core/consensus/bft/memory-loss.ts';
import {
  genesisSnapshot,
  nextSnapshot,
  type Snapshot,
} from '../../src/core/consensus/bft/snapshot.ts';
import { Candidates } from '../../src/core/consensus/bft/votes.ts';
import { ChainTime } from '../../src/core/consensus/chain-time.ts';
import { type HeaderContext, sealedHeaderFault } from '../../src/core/consensus/check-seals.ts';
import { headerTemplate } from '../../src/core/consensus/header-template.ts';
import type { Disk } from './disk.ts';
import { Processor } from './processor.ts';
import type { Scheduled, Timeline } from './timers.ts';

/** The first byte of the state root of a block that must be refused. */
export const BAD_STATE = 0xbd;
const EMPTY_BLOOM = new Uint8Array(256);

/** The interface of a node to the simulated world. */
export interface SimHost {
  readonly timeline: Pick<Timeline, 'after' | 'nowMs'>;
  readonly chance: Prng;
  rulesAt(height: number): ConsensusRules;
  /** The validators of block 1. */
  readonly firstValidators: ValidatorSet;
  readonly newEngine: () => BftEngineMachine;
  /** Clock of this node. */
  nowMs(): number;
  /** The clock without jumps. */
  steadyMs(): number;
  /** `relay`: another node's message; `own`: a message of this node. */
  emit(code: number, bytes: Uint8Array, kind: 'own' | 'relay', except: readonly Address[]): void;
  announce(block: Block): void;
  committed(block: Block, context: HeaderContext): void;
  blamed(peer: Address, fault: string): void;
  /** Draws the gas of a block of this node, which decides its execution time. */
  gasOfBlock(): bigint;
  /** Virtual time to execute one unit of gas. */
  readonly nanosecondsPerGas: number;
  /** A canary: the node restarts without its vote file. */
  readonly forgetsVotes: boolean;
}

export class SimNode {
  readonly signer: ConsensusSigner;
  readonly disk: Disk;
  isUp = false;
  /**
   * Candidates outlive a crash here. Those of a real node do not, and the operator proposes them
   * again.
   */
  readonly candidates = new Candidates();
  private readonly snapshots: Snapshot[] = [];
  private readonly world: SimHost;
  private readonly processor: Processor;
  private engine: BftEngineMachine | undefined;
  private time: ChainTime;
  private readonly timers = new Map<string, Scheduled>();
  private assembling: Scheduled | undefined;
  private queue: BftEffect[] = [];
  private isFenced = false;
  private committing: number | undefined;
  private life = 0;
  private built = 0;

  constructor(signer: ConsensusSigner, disk: Disk, world: SimHost) {
    this.signer = signer;
    this.disk = disk;
    this.world = world;
    this.time = this.newTime();
    this.processor = new Processor(world.timeline);
  }

  get head(): Block {
    return this.disk.blocks[this.disk.blocks.length - 1]!;
  }

  start(): void {
    if (this.isUp) return;
    this.isUp = true;
    this.engine = this.world.newEngine();
    this.time = this.newTime();
    const memory = this.world.forgetsVotes ? undefined : this.disk.readVotes();
    this.input(this.chainInput('start', memory));
    this.tellOfTransactions();
  }

  crash(): void {
    if (!this.isUp) return;
    this.isUp = false;
    this.life++;
    for (const timer of this.timers.values()) timer.isCancelled = true;
    this.timers.clear();
    if (this.assembling) this.assembling.isCancelled = true;
    this.engine = undefined;
    this.queue = [];
    this.isFenced = false;
    this.committing = undefined;
    this.processor.stop();
    this.disk.crash();
  }

  /** Restarts with an empty disk. */
  loseDisk(): void {
    this.crash();
    this.disk.lose();
    this.snapshots.length = 0;
  }

  /**
   * Restarts with its blocks, but without its vote file. Before block 1 the node could not detect
   * this.
   */
  loseVotes(): void {
    this.crash();
    if (this.head.header.number > 0) this.disk.loseVotes();
  }

  receive(from: Address, code: number, bytes: Uint8Array): void {
    if (this.isUp) this.input({ kind: 'message', from, code, bytes });
  }

  /** A signature that the engine awaits is there. */
  signed(): void {
    if (this.isUp) this.input({ kind: 'signed' });
  }

  /** Receives a sealed block of another node, as by sync. */
  offer(block: Block): void {
    if (!this.isUp || block.header.number !== this.head.header.number + 1) return;
    const fault = sealedHeaderFault(block.header, this.context(), this.signer.recover);
    if (!fault) this.commit(block);
  }

  private chainInput(kind: 'start' | 'committed', memory?: VoteMemory): BftInput {
    const { header, hash } = this.head;
    const validators = this.validators();
    const rules = this.nextRules();
    this.time.decided(header.timestamp, rules);
    const isMemoryLost = !this.world.forgetsVotes && this.isMemoryLost(kind);
    const input = { kind, head: header, headHash: hash, validators, rules, isMemoryLost };
    return memory && kind === 'start' ? { ...input, kind, memory } : input;
  }

  private isMemoryLost(kind: 'start' | 'committed'): boolean {
    const memory = this.disk.readVotes();
    const latest = this.disk.blocks
      .slice(kind === 'start' ? -BLOCKS_LOOKED_THROUGH : -1)
      .map(({ header }) => ({ header, engine: engineOf(this.world.rulesAt(header.number)) }));
    const loss = memory ? undefined : 'empty';
    return memoryLoss({ loss, memory }, latest, this.signer) !== undefined;
  }

  private context(): HeaderContext {
    const validators = this.validators();
    const rules = this.nextRules();
    const engine = engineOf(rules);
    const { header, hash } = this.head;
    return { engine, parent: header, parentHash: hash, validators, rules };
  }

  private input(input: BftInput): void {
    if (!this.engine) return;
    this.queue.push(...this.engine.step(input, this.time.nowMs()));
    this.carryOut();
  }

  private newTime(): ChainTime {
    const { nowMs, steadyMs } = this.world;
    return new ChainTime({ nowMs }, { nowMs: steadyMs });
  }

  private after(delayMs: number, run: () => void): Scheduled {
    const { life } = this;
    return this.world.timeline.after(delayMs, () => {
      if (life === this.life) run();
    });
  }

  private carryOut(): void {
    while (!this.isFenced) {
      const effect = this.queue.shift();
      if (!effect) return;
      this.effect(effect);
    }
  }

  private effect(effect: BftEffect): void {
    switch (effect.kind) {
      case 'remember':
        this.isFenced = true;
        this.disk.writeVotes(effect.memory, () => {
          this.isFenced = false;
          this.carryOut();
        });
        break;
      case 'broadcast':
        this.world.emit(effect.code, effect.bytes, 'own', []);
        break;
      case 'relay':
        this.world.emit(effect.code, effect.bytes, 'relay', [effect.from, effect.signer]);
        break;
      case 'setTimer':
        this.setTimer(effect.id, effect.delayMs);
        break;
      case 'clearTimer':
        this.clearTimer(effect.id);
        break;
      case 'assemble':
        this.assemble(effect);
        break;
      case 'encode':
        throw new Error('no block of the simulator is long');
      case 'verify':
        this.verify(effect.block);
        break;
      case 'abandon':
        this.processor.abandon(keyOf(effect.hash));
        break;
      case 'decide': {
        const { block, round, seals } = effect;
        this.commit(blockOf(withCommitSeals(block.header, round, seals), block));
        break;
      }
      case 'misbehaved':
        this.world.blamed(effect.peer, effect.fault);
        break;
      case 'send':
        throw new Error('both engines send to all');
    }
  }

  private setTimer(id: string, delayMs: number): void {
    this.clearTimer(id);
    const timer = this.after(delayMs, () => {
      this.timers.delete(id);
      this.input({ kind: 'timer', id });
    });
    this.timers.set(id, timer);
  }

  private clearTimer(id: string): void {
    const timer = this.timers.get(id);
    if (timer) timer.isCancelled = true;
    this.timers.delete(id);
  }

  private assemble(effect: Extract<BftEffect, { kind: 'assemble' }>): void {
    if (this.assembling) this.assembling.isCancelled = true;
    if (!effect.mayBeEmpty) return;
    const waitMs = Math.max(0, effect.notBeforeMs - this.time.nowMs());
    const gas = this.world.gasOfBlock();
    const buildMs = this.world.chance.below(30) + this.executionMs(gas);
    this.assembling = this.after(waitMs + buildMs, () => {
      if (!equalBytes(effect.parent, this.head.hash)) return;
      const block = this.build(effect.notBeforeMs, 0, gas);
      this.input({ kind: 'assembled', view: effect.view, block });
    });
  }

  /** Builds a block whose state root differs from all others of this node. */
  build(notBeforeMs: number, firstByte: number, gasUsed: bigint): Block {
    const { header, hash } = this.head;
    const validators = this.validators();
    const rules = this.nextRules();
    const engine = engineOf(rules);
    const template = headerTemplate({
      engine,
      parent: header,
      parentHash: hash,
      validators,
      rules,
      parentRules: rules,
      proposer: this.signer.address,
      vote: this.candidates.choose(validators, this.world.chance),
      vanity: EMPTY_BYTES,
      nowMs: this.world.nowMs(),
      notBeforeMs,
    });
    const salt = new Uint8Array(24);
    salt.set(this.signer.address);
    new DataView(salt.buffer).setUint32(20, this.life * 65_536 + this.built++);
    const stateRoot = keccak256(salt);
    stateRoot[0] = firstByte;
    const filled = { stateRoot, transactionsRoot: EMPTY_ROOT, receiptsRoot: EMPTY_ROOT };
    const amounts = { bloom: EMPTY_BLOOM, gasLimit: gasUsed + 1n, gasUsed };
    const unsealed = { ...template, ...filled, ...amounts };
    const sealed = engine === 'qbft' ? unsealed : this.withSeal(unsealed);
    return blockOf(sealed, { transactions: [], uncles: [] });
  }

  private withSeal(header: Header): Header {
    return withProposerSeal(header, this.signer.sign(ibftProposerPreimage(header)));
  }

  /** The validators of the block after the head. */
  validators(): ValidatorSet {
    const { blocks } = this.disk;
    const { rulesAt, firstValidators } = this.world;
    this.snapshots[0] ??= genesisSnapshot(blocks[0]!.hash, firstValidators, rulesAt(0));
    for (let number = this.snapshots.length; number < blocks.length; number++) {
      const { header, hash } = blocks[number]!;
      const engine = engineOf(rulesAt(number));
      const author = blockAuthor(engine, header, this.signer.recover)!;
      const voting = { number, hash, author, vote: voteOf(engine, header) };
      this.snapshots[number] = nextSnapshot(this.snapshots[number - 1]!, voting, rulesAt(number));
    }
    return this.snapshots[blocks.length - 1]!.validators;
  }

  private nextRules(): ConsensusRules {
    return this.world.rulesAt(this.head.header.number + 1);
  }

  private executionMs(gas: bigint): number {
    return Math.round((Number(gas) * this.world.nanosecondsPerGas) / 1e6);
  }

  private verify(block: Block): void {
    const { hash, header } = block;
    const { chance } = this.world;
    const costMs = () => 1 + chance.below(30) + this.executionMs(header.gasUsed);
    this.processor.start(keyOf(hash), costMs, () => {
      const isBad = block.header.stateRoot[0] === BAD_STATE;
      this.input(
        isBad
          ? { kind: 'verified', hash, fault: 'invalid merkle root' }
          : { kind: 'verified', hash },
      );
    });
  }

  private commit(block: Block): void {
    if (this.committing === block.header.number) return;
    if (block.header.number !== this.head.header.number + 1) return;
    this.committing = block.header.number;
    this.world.committed(block, this.context());
    this.disk.appendBlock(block, () => {
      this.committing = undefined;
      this.input(this.chainInput('committed'));
      this.tellOfTransactions();
      this.world.announce(block);
    });
  }

  private tellOfTransactions(): void {
    if (this.world.chance.chance(0.5)) return;
    this.after(this.world.chance.below(3000), () => this.input({ kind: 'transactionsPending' }));
  }
}

function engineOf({ engine }: ConsensusRules): BftEngine {
  return engine === 'ibft' ? 'ibft' : 'qbft';
}
