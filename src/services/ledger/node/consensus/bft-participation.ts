/** This node's part in BFT consensus: the engine of the height, its driver, the blocks it proposes, the votes it keeps. */
import { type Address, equalBytes, keyOf } from '../../../../core/base/bytes.ts';
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
import type { ConsensusSigner, Seal } from '../../../../core/consensus/bft/interface.ts';
import { BLOCKS_LOOKED_THROUGH } from '../../../../core/consensus/bft/memory-loss.ts';
import { Candidates } from '../../../../core/consensus/bft/votes.ts';
import { EngineSwitch } from '../../../../core/consensus/engine-switch.ts';
import { type HeaderTemplate, headerTemplate } from '../../../../core/consensus/header-template.ts';
import type { Chain } from '../chain/chain.ts';
import type { Events } from '../chain/events.ts';
import type { BlockBuilder } from './block-builder.ts';
import { bftBounds } from './build-bounds.ts';
import { type AssembleRequest, Driver } from './driver.ts';
import { MemoryWatch, type VoteStore } from './memory-watch.ts';
import { HOLD_MS, type RulesWatch } from './rules-watch.ts';
import type { ValidatorBook } from './validator-book.ts';

/** How consensus messages travel; addresses are those of node keys. */
export interface ConsensusLinks {
  sendTo(address: Address, code: number, bytes: Uint8Array): void;
  /** Those of `addresses` that are connected. */
  sendAll(addresses: readonly Address[], code: number, bytes: Uint8Array): void;
  /** Whether a peer has said that it is connected to another node. */
  isConnected(peer: Address, other: Address): boolean;
  misbehaved(peer: Address, fault: string): void;
}

export interface BftParts {
  readonly chain: Chain;
  readonly book: ValidatorBook;
  readonly builder: BlockBuilder;
  readonly signer: ConsensusSigner;
  readonly links: ConsensusLinks;
  readonly rules: RulesWatch;
  readonly votes: VoteStore;
  readonly events: Events;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly chance: Prng;
  readonly log: Log;
  /** Written into proposals until another is set, up to 32 bytes. */
  readonly vanity: Uint8Array;
  /** Whether the pool holds executable transactions. */
  hasPending(): boolean;
  /** This node must not go on. */
  fatal(error: unknown): void;
  /** A decided block, to be told to peers that are no validators. */
  announce(block: Block): void;
}

export class BftParticipation {
  readonly candidates = new Candidates();
  private readonly parts: BftParts;
  private readonly memory: MemoryWatch;
  private driver: Driver | undefined;
  private readonly endings: (() => void)[] = [];
  /** Whether the next block waits for a validator that does not know its rules. */
  private isRefusing = false;
  /** Block after which the validator contract was found at fault. */
  private complainedAt = -1;
  private vanity: Uint8Array;

  constructor(parts: BftParts) {
    this.parts = parts;
    this.memory = new MemoryWatch(parts);
    this.vanity = parts.vanity;
  }

  /** Of proposals from now on, up to 32 bytes. */
  setVanity(vanity: Uint8Array): void {
    this.vanity = vanity;
  }

  get isRunning(): boolean {
    return this.driver !== undefined;
  }

  start(): void {
    if (this.driver) return;
    const { parts } = this;
    const driver = new Driver({
      engine: new EngineSwitch(parts.signer, { isRelaying: true }),
      clock: parts.clock,
      timers: parts.timers,
      log: parts.log,
      remember: (memory) => parts.votes.write(memory),
      send: (to, code, bytes) => parts.links.sendTo(to, code, bytes),
      broadcast: (code, bytes) => parts.links.sendAll(this.others(), code, bytes),
      relay: (from, signer, code, bytes) => this.relay(from, signer, code, bytes),
      assemble: (request, isWanted) => this.assemble(request, isWanted),
      verify: (block, isWanted) => parts.chain.verify(block, isWanted),
      decide: (block, round, seals) => this.decide(block, round, seals),
      misbehaved: (peer, fault) => parts.links.misbehaved(peer, fault),
      fatal: parts.fatal,
    });
    this.driver = driver;
    this.begin(driver);
    this.endings.push(
      parts.events.on('committed', () => {
        const position = this.position();
        driver.post({ kind: 'committed', ...position });
        this.reportRole(position);
        if (parts.hasPending()) driver.post({ kind: 'transactionsPending' });
      }),
      parts.events.on('pending', () => driver.post({ kind: 'transactionsPending' })),
      parts.events.on('released', () => driver.post({ kind: 'transactionsPending' })),
    );
  }

  /** To those that may not have it: who is connected to its signer has. */
  private relay(from: Address, signer: Address, code: number, bytes: Uint8Array): void {
    const { links } = this.parts;
    const knowing = [keyOf(from), keyOf(signer)];
    const targets = this.others().filter(
      (address) => !knowing.includes(keyOf(address)) && !links.isConnected(address, signer),
    );
    links.sendAll(targets, code, bytes);
  }

  private begin(driver: Driver): void {
    const { votes, hasPending } = this.parts;
    const { memory } = votes.read();
    driver.post({
      kind: 'start',
      ...this.position(BLOCKS_LOOKED_THROUGH),
      ...(memory ? { memory } : {}),
    });
    if (hasPending()) driver.post({ kind: 'transactionsPending' });
  }

  /** Peers have told which changes of rules they know of, or have gone. */
  rulesHeard(): void {
    const { driver } = this;
    const { chain, rules, clock } = this.parts;
    if (!driver) return;
    const { number } = chain.head();
    const validators = this.validators();
    rules.warn(number, validators);
    const isRefusing = rules.holding(number + 1, validators, clock.nowMs()).length > 0;
    if (isRefusing !== this.isRefusing) this.begin(driver);
  }

  stop(): void {
    this.driver?.stop();
    this.driver = undefined;
    for (const end of this.endings.splice(0)) end();
  }

  /** From a peer; `code` relative to the istanbul protocol. */
  receive(from: Address, code: number, bytes: Uint8Array): void {
    this.driver?.post({ kind: 'message', from, code, bytes });
  }

  private position(lookBack = 1) {
    const { chain, book } = this.parts;
    const { header, hash, number } = chain.head();
    const validators = this.validators();
    return {
      head: header,
      headHash: hash,
      validators: this.refuses(number + 1, validators) ? [] : validators,
      rules: book.rulesAt(number + 1),
      isMemoryLost: this.memory.isLost(this.latest(lookBack), validators),
    };
  }

  private latest(count: number) {
    const { chain, book } = this.parts;
    const { number } = chain.head();
    return Array.from({ length: Math.min(count, number) }, (_, back) => ({
      header: chain.store.header(number - back)!,
      engine: book.engineAt(number - back),
    }));
  }

  /** Without validators the engine stands still. */
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

  /** Of the next block. */
  isValidator(address: Address): boolean {
    return this.validators().some((each) => equalBytes(each, address));
  }

  private others(): readonly Address[] {
    return this.validators().filter((address) => !equalBytes(address, this.parts.signer.address));
  }

  /** Of the next block. A contract that names none stops the chain, not the node: the engine then has nobody to listen to. */
  private validators(): readonly Address[] {
    const { chain, book } = this.parts;
    const { number } = chain.head();
    try {
      const validators = book.validatorsAfter(number);
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

  /** A line a block, as in GoQuorum, though not on the usual level. */
  private reportRole({ head, validators }: { head: Header; validators: readonly Address[] }): void {
    const { log, signer } = this.parts;
    if (validators.some((each) => equalBytes(each, signer.address))) return;
    log('debug', 'Block sealing failed', { number: head.number + 1, err: 'unauthorized' });
  }

  private async assemble(
    { parent, mayBeEmpty, notBeforeMs }: AssembleRequest,
    isWanted: () => boolean,
  ): Promise<Block | undefined> {
    const { chain, book, builder, signer, hasPending } = this.parts;
    if (!equalBytes(chain.head().hash, parent)) return undefined;
    if (!mayBeEmpty && !hasPending()) return undefined;
    const { address } = signer;
    const proposer = { address, seal: (header: Header) => this.withSeal(header) };
    const bounds = bftBounds(book.rulesAt(chain.head().number + 1));
    for (;;) {
      const built = await builder.build(this.template(notBeforeMs), proposer, isWanted, bounds);
      if (mayBeEmpty || !built?.isWasted) return built?.block;
    }
  }

  /** An IBFT header is signed by its proposer; in QBFT the miner field names it. */
  private withSeal(header: Header): Header {
    const { book, signer } = this.parts;
    if (book.engineAt(header.number) === 'qbft') return header;
    return withProposerSeal(header, signer.sign(ibftProposerPreimage(header)));
  }

  /** Header of the block that this node would propose on the head now. */
  template(notBeforeMs = 0): HeaderTemplate {
    const { chain, book, signer, clock, chance } = this.parts;
    const head = chain.head();
    const validators = this.validators();
    return headerTemplate({
      engine: book.engineAt(head.number + 1),
      parent: head.header,
      parentHash: head.hash,
      validators,
      rules: book.rulesAt(head.number + 1),
      parentRules: book.rulesAt(head.number),
      proposer: signer.address,
      vote: this.candidates.choose(validators, chance),
      vanity: this.vanity,
      nowMs: clock.nowMs(),
      notBeforeMs,
    });
  }

  private async decide(block: Block, round: number, seals: readonly Seal[]): Promise<void> {
    const sealed = blockOf(withCommitSeals(block.header, round, seals), block);
    if (await this.parts.chain.commit(sealed)) this.report(sealed, round);
    this.memory.sawDecided(sealed.header.number);
    this.parts.announce(sealed);
  }

  /** Phrases of GoQuorum, which operators' scripts look for. */
  private report({ header, hash, transactions }: Block, round: number): void {
    const { log, book, signer } = this.parts;
    const { number, gasUsed } = header;
    const author = blockAuthor(book.engineAt(number), header, signer.recover);
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
