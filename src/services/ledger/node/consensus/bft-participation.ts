/**
 * The chain's side of BFT consensus: reports the head to agreement, and builds, checks and appends
 * its blocks.
 */
import { type Address, equalBytes } from '../../../../core/base/bytes.ts';
import { hasCode } from '../../../../core/base/errors.ts';
import { bareHex, toHex } from '../../../../core/base/hex.ts';
import type { Clock, Log, Timers } from '../../../../core/base/ports.ts';
import type { Prng } from '../../../../core/base/prng.ts';
import { type Block, blockOf } from '../../../../core/chain/block.ts';
import {
  blockAuthor,
  ibftProposerPreimage,
  withCommitSeals,
  withProposerSeal,
} from '../../../../core/chain/extra-data.ts';
import type { Header } from '../../../../core/chain/header.ts';
import type { ConsensusSigner, Seal, View } from '../../../../core/consensus/bft/interface.ts';
import { BLOCKS_LOOKED_THROUGH } from '../../../../core/consensus/bft/memory-loss.ts';
import { Candidates } from '../../../../core/consensus/bft/votes.ts';
import { type HeaderTemplate, headerTemplate } from '../../../../core/consensus/header-template.ts';
import type { Chain } from '../chain/chain.ts';
import type { Events } from '../chain/events.ts';
import type { AgreementPort, ChainSide, Position } from './agreement.ts';
import type { AssembleRequest } from './bft-driver.ts';
import type { BlockBuilder, Proposer } from './block-builder.ts';
import type { BlockSigning } from './block-signing.ts';
import { bftBounds, periodMs } from './build-bounds.ts';
import { type ForkReadiness, HOLD_MS } from './fork-readiness.ts';
import { OwnBlockTime } from './own-block-time.ts';
import type { ValidatorSchedule } from './validator-schedule.ts';

export interface BftParts {
  readonly chain: Chain;
  readonly schedule: ValidatorSchedule;
  readonly builder: BlockBuilder;
  readonly signer: ConsensusSigner;
  readonly signBlock: BlockSigning;
  readonly rules: ForkReadiness;
  readonly events: Events;
  /** Opens agreement, in this thread or in a separate one. */
  agreement(chain: ChainSide): AgreementPort;
  readonly clock: Clock;
  readonly calendar: Clock;
  readonly timers: Timers;
  readonly chance: Prng;
  readonly log: Log;
  /** Text of up to 32 bytes in this node's proposals, until it is changed. */
  readonly vanity: Uint8Array;
  /** Why this node votes against a valid proposal; undefined: it votes for it. */
  readonly proposalFault?: ((proposal: Block) => string | undefined) | undefined;
  /** Whether the pool holds executable transactions. */
  hasPending(): boolean;
  /** Announces a decided block to peers; `voters`: those to whom it was proposed. */
  announce(block: Block, voters: readonly Address[]): void;
}

/** Receives events of agreement, for metrics. */
export interface AgreementWatch {
  /** Agreement has reached a new height, or a new round of a height. */
  entered(view: View): void;
  /** A proposal has arrived, or this node has made one; may be called again for the same one. */
  proposed(block: Block): void;
  /** The decided block is on disk. */
  decided(block: Block): void;
}

export class BftParticipation {
  readonly candidates = new Candidates();
  private readonly parts: BftParts;
  readonly agreement: AgreementPort;
  isRunning = false;
  private readonly endings: (() => void)[] = [];
  /** Whether the next block waits for a validator that lacks its rules. */
  private isRefusing = false;
  /** Block after which the validator contract had a fault. */
  private complainedAt = -1;
  private vanity: Uint8Array;
  private silence: string | undefined;
  private watch: AgreementWatch | undefined;
  private readonly time = new OwnBlockTime();

  constructor(parts: BftParts) {
    this.parts = parts;
    this.vanity = parts.vanity;
    this.agreement = parts.agreement({
      assemble: async (request, isWanted) => {
        const block = await this.assemble(request, isWanted);
        if (block) this.watch?.proposed(block);
        return block;
      },
      verify: async (block, isWanted) => {
        this.watch?.proposed(block);
        return (await this.check(block, isWanted)) ?? parts.proposalFault?.(block);
      },
      decide: (block, round, seals) => this.decide(block, round, seals),
      abstains: (reason) => {
        this.silence = reason;
      },
      entered: (view) => this.entered(view),
    });
  }

  /** From now on, reports events to `watch`, for metrics. */
  measure(watch: AgreementWatch): void {
    this.watch = watch;
  }

  /** Sets the text of up to 32 bytes in proposals from now on. */
  setVanity(vanity: Uint8Array): void {
    this.vanity = vanity;
  }

  /** Why this node abstains although it takes part; undefined: it votes, or is not a validator. */
  get abstention(): string | undefined {
    return this.isRunning ? this.silence : undefined;
  }

  start(): void {
    if (this.isRunning) return;
    this.isRunning = true;
    const { agreement } = this;
    const { events, hasPending } = this.parts;
    this.begin();
    this.endings.push(
      events.on('committed', () => {
        const position = this.position();
        agreement.committed(position);
        this.reportRole(position);
        if (hasPending()) agreement.transactionsPending();
      }),
      events.on('pending', () => agreement.transactionsPending()),
      events.on('released', () => agreement.transactionsPending()),
    );
  }

  private begin(): void {
    this.agreement.begin(this.position(BLOCKS_LOOKED_THROUGH));
    if (this.parts.hasPending()) this.agreement.transactionsPending();
  }

  /** Peers have reported their rule changes, or have disconnected. */
  rulesHeard(): void {
    const { chain, rules, clock } = this.parts;
    if (!this.isRunning) return;
    const { number } = chain.head();
    const validators = this.validators();
    rules.warn(number, validators);
    const isRefusing = rules.holding(number + 1, validators, clock.nowMs()).length > 0;
    if (isRefusing !== this.isRefusing) this.begin();
  }

  stop(): void {
    this.isRunning = false;
    this.agreement.stop();
    for (const end of this.endings.splice(0)) end();
  }

  private position(lookBack = 1): Position {
    const { chain, schedule } = this.parts;
    const { header, hash, number } = chain.head();
    const validators = this.validators();
    return {
      head: header,
      headHash: hash,
      validators,
      isRefusing: this.refuses(number + 1, validators),
      rules: schedule.rulesAt(number + 1),
      latest: this.latest(lookBack),
    };
  }

  private latest(count: number) {
    const { chain, schedule } = this.parts;
    const { number } = chain.head();
    return Array.from({ length: Math.min(count, number) }, (_, back) => ({
      header: chain.store.header(number - back)!,
      engine: schedule.engineAt(number - back),
    }));
  }

  /** Whether the next block must wait for a validator that lacks its rules. */
  private refuses(height: number, validators: readonly Address[]): boolean {
    const { rules, log, clock, timers } = this.parts;
    rules.warn(height - 1, validators);
    const [ignorant] = rules.holding(height, validators, clock.nowMs());
    if (ignorant && !this.isRefusing) {
      log('error', 'Not making a block from which other rules hold: a validator would not follow', {
        number: height,
        validator: toHex(ignorant),
      });
      const timer = timers.set(HOLD_MS, () => this.rulesHeard());
      this.endings.push(() => timer.cancel());
    }
    this.isRefusing = ignorant !== undefined;
    return this.isRefusing;
  }

  /** Whether the address is a validator of the next block. */
  isValidator(address: Address): boolean {
    return this.validators().some((each) => equalBytes(each, address));
  }

  /** Whether this node is a validator of the next block. */
  isOfSet(): boolean {
    return this.isValidator(this.parts.signer.address);
  }

  /**
   * Validators of the next block. A contract that names none stops the chain, but not the node: the
   * engine is then idle.
   */
  validators(): readonly Address[] {
    const { chain, schedule } = this.parts;
    const { number } = chain.head();
    try {
      const validators = schedule.validatorsAfter(number);
      if (validators.length === 0) this.complain(number, 'it names no validator');
      return validators;
    } catch (error) {
      if (!hasCode(error, 'VALIDATOR_CONTRACT')) throw error;
      this.complain(number, error.message);
      return [];
    }
  }

  private complain(number: number, err: string): void {
    if (this.complainedAt === number) return;
    this.complainedAt = number;
    this.parts.log('error', 'BFT: invalid validator smart contract', { number, err });
  }

  /** Logs one line per block, as in GoQuorum, but at a different level. */
  private reportRole({ head, validators }: { head: Header; validators: readonly Address[] }): void {
    const { log, signer } = this.parts;
    if (validators.some((each) => equalBytes(each, signer.address))) return;
    log('debug', 'Block sealing failed', { number: head.number + 1, err: 'unauthorized' });
  }

  private async assemble(
    { parent, mayBeEmpty, notBeforeMs }: AssembleRequest,
    isWanted: () => boolean,
  ): Promise<Block | undefined> {
    const { chain, schedule, builder, signer, clock, hasPending } = this.parts;
    if (!equalBytes(chain.head().hash, parent)) return undefined;
    if (!mayBeEmpty && !hasPending()) return undefined;
    const { address } = signer;
    const seal: Proposer['seal'] = (header, wanted) => this.withSeal(header, wanted);
    const proposer = { address, seal };
    const bounds = this.time.within(bftBounds(schedule.rulesAt(chain.head().number + 1)));
    const beganMs = clock.nowMs();
    const watch = builder.stopwatch();
    for (;;) {
      const built = await builder.build(this.template(notBeforeMs), proposer, isWanted, bounds);
      if (built) this.time.built(built.block, beganMs, watch.cpuMs());
      if (mayBeEmpty || !built?.isWasted) return built?.block;
    }
  }

  private async check(block: Block, isWanted: () => boolean): Promise<string | undefined> {
    const { chain, builder, clock } = this.parts;
    this.time.checking(block, clock.nowMs());
    const watch = builder.stopwatch();
    const fault = await builder.work.during(() => chain.verify(block, isWanted));
    this.time.checked(block, clock.nowMs(), watch.cpuMs());
    return fault;
  }

  /** In IBFT the proposer signs the header; in QBFT the miner field names it. */
  private withSeal(header: Header, isWanted: () => boolean): Header | Promise<Header | undefined> {
    const { schedule, signBlock } = this.parts;
    if (schedule.engineAt(header.number) === 'qbft') return header;
    return this.sealed(header, signBlock(ibftProposerPreimage(header), isWanted));
  }

  private async sealed(
    header: Header,
    signing: ReturnType<BlockSigning>,
  ): Promise<Header | undefined> {
    const signature = await signing;
    return signature && withProposerSeal(header, signature);
  }

  /** Header of the block that this node would now propose on the head. */
  template(notBeforeMs = 0): HeaderTemplate {
    const { chain, schedule, signer, calendar, chance } = this.parts;
    const head = chain.head();
    const validators = this.validators();
    return headerTemplate({
      engine: schedule.engineAt(head.number + 1),
      parent: head.header,
      parentHash: head.hash,
      validators,
      rules: schedule.rulesAt(head.number + 1),
      parentRules: schedule.rulesAt(head.number),
      proposer: signer.address,
      vote: this.candidates.choose(validators, chance),
      vanity: this.vanity,
      nowMs: calendar.nowMs(),
      notBeforeMs,
    });
  }

  private entered(view: View): void {
    const { schedule } = this.parts;
    if (view.round > 0) this.time.passed(view.height, bftBounds(schedule.rulesAt(view.height)));
    this.watch?.entered(view);
  }

  private async decide(block: Block, round: number, seals: readonly Seal[]): Promise<void> {
    const sealed = blockOf(withCommitSeals(block.header, round, seals), block);
    const voters = this.validators();
    const { chain, schedule, clock, announce } = this.parts;
    const rules = schedule.rulesAt(block.header.number);
    this.time.decided(block.hash, round, clock.nowMs(), bftBounds(rules), periodMs(rules));
    if (await chain.commit(sealed)) {
      this.report(sealed, round);
      this.watch?.decided(sealed);
    }
    announce(sealed, voters);
  }

  /** Logs a new block with GoQuorum's texts, which operators' scripts search for. */
  private report({ header, hash, transactions }: Block, round: number): void {
    const { log, schedule, signer } = this.parts;
    const { number, gasUsed } = header;
    const author = blockAuthor(schedule.engineAt(number), header, signer.recover);
    const isOwn = author !== undefined && equalBytes(author, signer.address);
    log('info', isOwn ? 'Successfully sealed new block' : 'Imported new chain segment', {
      number,
      hash: bareHex(hash).slice(0, 12),
      txs: transactions.length,
      gas: gasUsed,
      round,
    });
  }
}
