/**
 * The head of this node. Blocks are executed here, once: `verify` keeps its result by hash, and
 * `commit` only appends it. Everything that changes the head goes through this class, one change at
 * a time.
 */
import { equalBytes, type Hash32, keyOf } from '../../../../core/base/bytes.ts';
import { assert, fail } from '../../../../core/base/errors.ts';
import { bareHex } from '../../../../core/base/hex.ts';
import { Lru } from '../../../../core/base/lru.ts';
import type { Pace, Slices } from '../../../../core/base/pace.ts';
import type { Effort, Log, Timers } from '../../../../core/base/ports.ts';
import type { Block, BlockBody } from '../../../../core/chain/block.ts';
import type { ChainConfig } from '../../../../core/chain/chain-config.ts';
import { engineAt } from '../../../../core/chain/consensus-rules.ts';
import { blockAuthor } from '../../../../core/chain/extra-data.ts';
import type { Header } from '../../../../core/chain/header.ts';
import { type Rules, rulesAt } from '../../../../core/chain/rules.ts';
import type { Transaction } from '../../../../core/chain/transaction.ts';
import { BlockExecution } from '../../../../core/execution/block-execution.ts';
import type { BlockJob } from '../../../../core/execution/block-job.ts';
import {
  checkAncestry,
  checkBody,
  checkHeader,
  checkResult,
} from '../../../../core/execution/check-block.ts';
import type { BlockHashes } from '../../../../core/execution/environment.ts';
import type { ExecutedBlock, StateBase } from '../../../../core/execution/result.ts';
import type { PrivateSetting } from '../../../../core/execution/spaces.ts';
import type { ChainStore } from '../../../../core/store/chain-store.ts';
import { type Durability, type Head, PUBLIC_SPACE } from '../../../../core/store/interface.ts';
import { SerialQueue } from '../../../../core/store/serial-queue.ts';
import { BlockCheck } from './block-check.ts';
import { type BlockPart, type BlockTimes, PartTimer } from './block-times.ts';
import type { Events } from './events.ts';
import type { StepObserver } from './step-observer.ts';

/** Number of executions kept: enough for a few rounds of one height. */
const EXECUTED_BLOCKS_MAX = 16;
/** Number of paused checks kept; a proposal that matters is requested again in the next round. */
const CHECKS_MAX = 4;
const ALWAYS = () => true;

/** `transactions`: those of the block, as objects whose senders are already recovered. */
interface Execution {
  readonly number: number;
  readonly transactions: readonly Transaction[];
  readonly result: ExecutedBlock;
}

export interface ChainParts {
  readonly store: ChainStore;
  readonly config: ChainConfig;
  readonly timers: Timers;
  readonly effort: Effort;
  readonly events: Events;
  readonly log: Log;
  readonly observer?: StepObserver | undefined;
}

/** Hooks for parts that are created after the chain. */
export interface ChainSources {
  /**
   * The node's private states and the answers of their manager; undefined on a chain without
   * private state.
   */
  readonly privateSetting?: (() => PrivateSetting) | undefined;
  /**
   * Asks the manager for what the transactions of a block need and it was not asked for yet, while
   * the block is executed: they may have come with the block.
   */
  readonly prefetch?: ((transactions: readonly Transaction[], rules: Rules) => void) | undefined;
  /** A transaction already decoded and recovered by this node; undefined: unknown. */
  readonly known?: ((hash: Hash32) => Transaction | undefined) | undefined;
  /**
   * Index of accounts, which needs the accounts that internal calls reach; `room` waits while the
   * index is too far behind.
   */
  readonly accounts?: { room(): Promise<void> | undefined } | undefined;
}

export class Chain {
  readonly store: ChainStore;
  readonly config: ChainConfig;
  private readonly parts: ChainParts;
  private sources: ChainSources = {};
  private readonly executed = new Lru<string, Execution>(EXECUTED_BLOCKS_MAX);
  /** Running or paused checks by block hash, oldest first. */
  private readonly checks = new Map<string, BlockCheck>();
  private readonly changes = new SerialQueue();
  private times: BlockTimes | undefined;

  constructor(parts: ChainParts) {
    this.parts = parts;
    this.store = parts.store;
    this.config = parts.config;
  }

  /**
   * Call it before the first block: a chain with private state cannot execute without these
   * sources.
   */
  connect(sources: ChainSources): void {
    this.sources = { ...this.sources, ...sources };
  }

  /** From now on, reports how long the work on each block takes. */
  measure(times: BlockTimes): void {
    this.times = times;
  }

  private timer(part: BlockPart): PartTimer {
    return new PartTimer(this.times, part);
  }

  head(): Head {
    const head = this.store.head();
    assert(head !== undefined, 'a running node has a genesis block');
    return head;
  }

  rulesOf(header: Pick<Header, 'number' | 'timestamp'>): Rules {
    return rulesAt(this.config, header.number, header.timestamp);
  }

  hashes = (number: number): Hash32 | undefined => this.store.hashOf(number);

  /** Public state and trie after the head. */
  base(): StateBase {
    const { number } = this.head();
    return {
      reader: this.store.stateAt(PUBLIC_SPACE, number),
      trie: this.store.trieAt(PUBLIC_SPACE, number),
    };
  }

  /**
   * Checks everything about `block` on top of the head, except its seals. undefined: the block is
   * valid, and its execution is kept until it is committed or forgotten. When `isWanted` turns
   * false it also resolves with undefined, and the check pauses: the next request for the block
   * continues it.
   */
  async verify(block: Block, isWanted: () => boolean = ALWAYS): Promise<string | undefined> {
    const key = keyOf(block.hash);
    if (this.executed.get(key)) return undefined;
    const check = this.checks.get(key) ?? this.newCheck(key, block);
    try {
      return await check.fault(isWanted);
    } finally {
      if (isWanted()) this.checks.delete(key);
    }
  }

  private newCheck(key: string, block: Block): BlockCheck {
    for (const [other, check] of this.checks) {
      if (this.checks.size < CHECKS_MAX) break;
      if (check.isAtRest) this.checks.delete(other);
    }
    const check = new BlockCheck(this.checking(block), () => this.pause());
    this.checks.set(key, check);
    return check;
  }

  private *checking(block: Block): Slices<string | undefined> {
    const head = this.head();
    const misplaced = checkAncestry(block.header, head.header, head.hash);
    if (misplaced !== undefined) return misplaced;
    try {
      // The body is decoded only from here on.
      const { header, hash, transactions, uncles, withdrawals } = block;
      const executed = this.parts.observer?.executing();
      const [validation, running] = [this.timer('validation'), this.timer('execution')];
      const fault = validation.run(() => checkBody(block) ?? this.checkFields(block, head));
      if (fault !== undefined) return fault;
      // Long blocks took milliseconds until here.
      yield;
      if (!equalBytes(this.head().hash, head.hash)) return 'unknown ancestor';
      const adopted = { header, hash, transactions: this.adopt(transactions), uncles, withdrawals };
      const job = this.jobOf(block.header, adopted);
      // Private states that are behind are left to the follower.
      if (job.spaces?.size) this.sources.prefetch?.(adopted.transactions, job.rules);
      const execution = new BlockExecution(job);
      while (running.run(() => execution.advance(this.parts.effort.slice())) === 'more') {
        yield;
        if (!equalBytes(this.head().hash, head.hash)) return 'unknown ancestor';
      }
      running.done();
      executed?.(hash);
      const result = execution.result();
      const wrong = validation.run(() => checkResult(block.header, result));
      validation.done();
      if (wrong === undefined) this.remember(adopted, result);
      return wrong;
    } catch (error) {
      if (isFatal(error)) throw error;
      return (error as Error).message;
    }
  }

  /** Whether this chain contains the block with this hash. */
  has(hash: Hash32): boolean {
    return this.store.numberOf(hash) !== undefined;
  }

  /** Keeps the execution by the block builder, so that its own proposal is not executed again. */
  keep(block: Block, result: ExecutedBlock): void {
    this.remember(block, result);
  }

  private remember({ hash, header, transactions }: Block, result: ExecutedBlock): void {
    this.executed.set(keyOf(hash), { number: header.number, transactions, result });
  }

  /** Keeps executions above `number`: a minter builds on uncommitted blocks. */
  private forgetUpTo(number: number): void {
    for (const [key, check] of this.checks) if (check.isAtRest) this.checks.delete(key);
    for (const [key, execution] of this.executed.items()) {
      if (execution.number <= number) this.executed.delete(key);
    }
  }

  /**
   * Makes `block` the head; its header contains the seals, which the caller has checked. Resolves
   * with false if it was already on the chain, such as when consensus and a peer deliver it at the
   * same time. Throws BLOCK_INVALID.
   */
  commit(sealed: Block, durability: Durability = 'now'): Promise<boolean> {
    return this.changes.run(async () => {
      const began = this.times?.nowMs() ?? 0;
      if (sealed.header.number <= this.head().number) return false;
      const fault = await this.verify(sealed);
      if (fault !== undefined) throw this.badBlock(sealed, fault);
      const { result, transactions } = this.executed.get(keyOf(sealed.hash))!;
      const block = { ...sealed, transactions };
      this.forgetUpTo(block.header.number);
      const next = {
        block,
        receipts: result.receipts,
        writes: result.writes,
        trie: result.trie,
        hasPrivateWork: result.private.kind !== 'none',
        ...(result.private.kind === 'done' ? { spaces: result.private.spaces } : {}),
      };
      await this.timer('write').wait(() => this.store.append(next, durability));
      this.times?.took('inserts', this.times.nowMs() - began);
      for (const note of result.notes) {
        this.parts.log('warn', note.text, {
          number: block.header.number,
          tx: bareHex(block.transactions[note.index]!.hash),
        });
      }
      const { receipts, writes, reached, private: outcome } = result;
      this.parts.events.emit('committed', {
        ...{ block, receipts, writes, reached },
        private: outcome,
      });
      await this.sources.accounts?.room();
      return true;
    });
  }

  /**
   * A sender is recovered once per process: transactions of the pool are reused, the others are
   * recovered during execution.
   */
  private adopt(transactions: readonly Transaction[]): readonly Transaction[] {
    return transactions.map((transaction) => this.sources.known?.(transaction.hash) ?? transaction);
  }

  /** Runs long work in slices, and yields to the event loop after each. */
  async inSlices<T>(begin: (pace: Pace) => Slices<T>): Promise<T> {
    const { effort } = this.parts;
    let slice = effort.slice();
    const work = begin((gas) => slice(gas));
    for (let step = work.next(); ; step = work.next()) {
      if (step.done) return step.value;
      await this.pause();
      slice = effort.slice();
    }
  }

  /** Executes in slices. `isFirst`: the block was not executed before, so its time is reported. */
  async advance(execution: BlockExecution, isFirst = false): Promise<void> {
    const { effort } = this.parts;
    const running = new PartTimer(isFirst ? this.times : undefined, 'execution');
    while (running.run(() => execution.advance(effort.slice())) === 'more') await this.pause();
    running.done();
  }

  jobOf(
    header: Header,
    body: BlockBody,
    site?: { readonly base: StateBase; readonly hashes: BlockHashes },
  ): BlockJob {
    const engine = engineAt(this.config, header.number);
    return {
      rules: this.rulesOf(header),
      header,
      transactions: body.transactions,
      uncles: body.uncles,
      ...(body.withdrawals ? { withdrawals: body.withdrawals } : {}),
      ...(engine === 'ibft' ? { author: blockAuthor('ibft', header) } : {}),
      notesReached: this.sources.accounts !== undefined,
      hashes: site?.hashes ?? this.hashes,
      base: site?.base ?? this.base(),
      // Private states end at the head: for a block above it, private transactions are left to the
      // follower.
      ...(site ? {} : this.sources.privateSetting?.()),
    };
  }

  /** Yields to the event loop. */
  private pause(): Promise<void> {
    return new Promise((resolve) => this.parts.timers.yield(resolve));
  }

  private checkFields(block: Block, head: Head): string | undefined {
    if (engineAt(this.config, block.header.number) !== 'none') return undefined;
    return checkHeader(block.header, head.header, this.rulesOf(block.header));
  }

  private badBlock(block: Block, fault: string) {
    const { number } = block.header;
    this.parts.log('error', 'BAD BLOCK', { number, hash: bareHex(block.hash), err: fault });
    return fail('BLOCK_INVALID', `block ${number} (0x${bareHex(block.hash)}) is invalid: ${fault}`);
  }
}

/** Whether this is an error of the disk or an internal error, as opposed to an invalid block. */
export function isFatal(error: unknown): boolean {
  const code = String((error as { code?: unknown }).code ?? '');
  return code === 'INVARIANT_BROKEN' || code.startsWith('STORAGE_') || code.startsWith('STORE_');
}
