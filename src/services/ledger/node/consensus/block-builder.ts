/**
 * Builds the block that this node proposes: the header comes from consensus, transactions come from
 * the pool and are executed one by one.
 */
import { type Address, equalBytes, ZERO_HASH } from '../../../../core/base/bytes.ts';
import { EMPTY_ROOT } from '../../../../core/base/keccak.ts';
import type { Effort, Log, Stopwatch, Timers } from '../../../../core/base/ports.ts';
import { type Block, blockOf, transactionsRoot } from '../../../../core/chain/block.ts';
import { EMPTY_BLOOM } from '../../../../core/chain/bloom.ts';
import { nextBaseFee } from '../../../../core/chain/fees.ts';
import type { Header } from '../../../../core/chain/header.ts';
import type { Rules } from '../../../../core/chain/rules.ts';
import type { Transaction } from '../../../../core/chain/transaction.ts';
import type { HeaderTemplate } from '../../../../core/consensus/header-template.ts';
import { BlockExecution } from '../../../../core/execution/block-execution.ts';
import type { BlockJob } from '../../../../core/execution/block-job.ts';
import type { BlockHashes } from '../../../../core/execution/environment.ts';
import { nextGasLimit } from '../../../../core/execution/gas-limit.ts';
import type { ExecutedBlock, StateBase } from '../../../../core/execution/result.ts';
import type { StateReader } from '../../../../core/state/reader.ts';
import type { TransactionPool } from '../../../../core/txpool/pool.ts';
import type { Chain } from '../chain/chain.ts';
import type { StepObserver } from '../chain/step-observer.ts';
import { BlockFiller, type FillerParts } from './block-filler.ts';
import type { BlockWork } from './block-work.ts';
import type { BuildBounds } from './build-bounds.ts';
import type { Trials } from './trials.ts';

export interface BuilderSettings {
  gasFloor: bigint;
  gasCeiling: bigint;
  /** CPU time limit of one transaction; by default derived from the consensus settings. */
  readonly transactionMs?: number | undefined;
  readonly vanity: Uint8Array;
}

/** Maximum number of transactions in a pending block. */
const PREVIEW_TRANSACTIONS_MAX = 200;

/** The author of the block. */
export interface Proposer {
  readonly address: Address;
  /**
   * Adds the proposer's seal if the engine has one; undefined: the block is no longer wanted.
   */
  seal(header: Header, isWanted: () => boolean): Header | Promise<Header | undefined>;
}

/** A parent above the head: proposed by a Raft minter, but not committed yet. */
export interface SpeculativeSite {
  readonly parent: Header;
  readonly base: StateBase;
  readonly hashes: BlockHashes;
  /** Whether an ancestor above the head contains the transaction. */
  isTaken(transaction: Transaction): boolean;
}

/**
 * Permissioned networks: checks which senders may be in a block on the head, or on another state.
 */
export type BlockGuard = (other: StateReader | undefined) => BlockJob['authorize'];

export interface BuiltBlock {
  readonly block: Block;
  readonly result: ExecutedBlock;
  /**
   * Whether the block is empty because its time was spent on a transaction that was left out:
   * others may be waiting.
   */
  readonly isWasted: boolean;
}

export class BlockBuilder {
  private readonly chain: Chain;
  private readonly pool: TransactionPool;
  private readonly settings: BuilderSettings;
  readonly trials: Trials;
  readonly work: BlockWork;
  private readonly filler: BlockFiller;
  private readonly effort: Effort;
  private readonly guard: BlockGuard | undefined;
  private readonly observer: StepObserver | undefined;

  constructor(parts: {
    chain: Chain;
    pool: TransactionPool;
    settings: BuilderSettings;
    timers: Timers;
    effort: Effort;
    trials: Trials;
    work: BlockWork;
    log: Log;
    guard?: BlockGuard | undefined;
    observer?: StepObserver | undefined;
    first?: FillerParts['first'];
  }) {
    this.guard = parts.guard;
    this.observer = parts.observer;
    this.chain = parts.chain;
    this.pool = parts.pool;
    this.settings = parts.settings;
    this.trials = parts.trials;
    this.work = parts.work;
    this.effort = parts.effort;
    this.filler = new BlockFiller(parts);
  }

  /** Counts the processor time of this thread. */
  stopwatch(): Stopwatch {
    return this.effort.stopwatch();
  }

  /** Number of transactions left out for lack of time, since the start. */
  get leftOut(): number {
    return this.filler.leftOut;
  }

  /**
   * Builds a block on the head, or on `site`, from `template`; undefined if `isWanted` turned false
   * meanwhile.
   */
  build(
    template: HeaderTemplate,
    proposer: Proposer,
    isWanted: () => boolean,
    bounds: BuildBounds,
    site?: SpeculativeSite,
  ): Promise<BuiltBlock | undefined> {
    return this.work.during(() => this.fill(template, proposer, isWanted, bounds, site));
  }

  private async fill(
    template: HeaderTemplate,
    proposer: Proposer,
    isWanted: () => boolean,
    bounds: BuildBounds,
    site: SpeculativeSite | undefined,
  ): Promise<BuiltBlock | undefined> {
    const parent = this.chain.head();
    const executed = this.observer?.executing();
    const header = this.emptyHeader(template, site?.parent ?? parent.header);
    const execution = this.execution(header, proposer.address, site);
    const stageAlone = () => this.execution(header, proposer.address);
    const { leftOut } = this;
    const transactions = await this.filler.fill({
      ...{ execution, header, isWanted, site, stageAlone },
      bounds: this.ownBounds(bounds),
    });
    if (!transactions) return undefined;
    await this.chain.advance(execution, true);
    if (!isWanted()) return undefined;
    if (!site && !equalBytes(this.chain.head().hash, parent.hash)) return undefined;
    const result = execution.result();
    const sealed = await proposer.seal(completed(header, transactions, result), isWanted);
    if (!sealed) return undefined;
    const block = blockWith(sealed, transactions);
    this.chain.keep(block, result);
    executed?.(block.hash);
    const isWasted = transactions.length === 0 && this.leftOut > leftOut;
    return { block, result, isWasted };
  }

  /**
   * The block that would be proposed on the head now: the header without its roots, and
   * transactions in block order.
   */
  preview(template: HeaderTemplate): { header: Header; transactions: readonly Transaction[] } {
    const header = this.emptyHeader(template, this.chain.head().header);
    const selection = this.pool.select(header.baseFeePerGas ?? 0n);
    const transactions: Transaction[] = [];
    while (transactions.length < PREVIEW_TRANSACTIONS_MAX) {
      const transaction = selection.next(header.gasLimit);
      if (!transaction) break;
      if (this.trials.has(transaction)) selection.leaveOut(transaction);
      else transactions.push(transaction);
    }
    return { header, transactions };
  }

  /** An execution of this node's own header, which does not name its author yet. */
  private execution(header: Header, author: Address, site?: SpeculativeSite): BlockExecution {
    const job = this.chain.jobOf(header, { transactions: [], uncles: [], withdrawals: [] }, site);
    return new BlockExecution({ ...job, author, authorize: this.guard?.(site?.base.reader) });
  }

  private ownBounds({ blockMs, transactionMs, provenMs }: BuildBounds): BuildBounds {
    const ownMs = this.settings.transactionMs ?? transactionMs;
    return { blockMs: Math.min(blockMs, ownMs), transactionMs: ownMs, provenMs };
  }

  private emptyHeader(template: HeaderTemplate, parent: Header): Header {
    const rules = this.chain.rulesOf(template);
    return {
      ...template,
      stateRoot: ZERO_HASH,
      transactionsRoot: EMPTY_ROOT,
      receiptsRoot: EMPTY_ROOT,
      bloom: EMPTY_BLOOM,
      gasLimit:
        template.gasLimit ??
        nextGasLimit(parent, {
          floor: this.settings.gasFloor,
          ceiling: this.settings.gasCeiling,
          minimum: rules.minerGasLimit,
        }),
      gasUsed: 0n,
      ...newerFields(rules, parent, this.chain.config.isQuorum || this.chain.config.isZeroBaseFee),
    };
  }
}

/**
 * Fields that London, Shanghai and Cancun add to the header, with the values of Besu's QBFT: no
 * withdrawals, no blobs, no beacon chain.
 */
function newerFields(rules: Rules, parent: Header, isFeeless: boolean): Partial<Header> {
  return {
    ...(rules.isLondon ? { baseFeePerGas: isFeeless ? 0n : nextBaseFee(parent) } : {}),
    ...(rules.isShanghai ? { withdrawalsRoot: EMPTY_ROOT } : {}),
    ...(rules.isCancun
      ? { blobGasUsed: 0n, excessBlobGas: 0n, parentBeaconBlockRoot: ZERO_HASH }
      : {}),
  };
}

/** The block of `header`, completed with the results of execution. */
export function sealOff(
  header: Header,
  transactions: readonly Transaction[],
  result: ExecutedBlock,
): Block {
  return blockWith(completed(header, transactions, result), transactions);
}

function completed(
  header: Header,
  transactions: readonly Transaction[],
  result: ExecutedBlock,
): Header {
  return {
    ...header,
    stateRoot: result.stateRoot,
    transactionsRoot: transactionsRoot(transactions),
    receiptsRoot: result.receiptsRoot,
    bloom: result.bloom,
    gasUsed: result.gasUsed,
  };
}

function blockWith(header: Header, transactions: readonly Transaction[]): Block {
  const body = { transactions, uncles: [] };
  return blockOf(header, header.withdrawalsRoot ? { ...body, withdrawals: [] } : body);
}
