/** Makes the block that this node proposes: a header from consensus, transactions from the pool, executed as they are taken. */
import { type Address, equalBytes, ZERO_HASH } from '../../../../core/base/bytes.ts';
import { hasCode } from '../../../../core/base/errors.ts';
import { bareHex } from '../../../../core/base/hex.ts';
import { EMPTY_ROOT } from '../../../../core/base/keccak.ts';
import type { Effort, Log, Timers } from '../../../../core/base/ports.ts';
import { type Block, blockOf, transactionsRoot } from '../../../../core/chain/block.ts';
import { EMPTY_BLOOM } from '../../../../core/chain/bloom.ts';
import { nextBaseFee } from '../../../../core/chain/fees.ts';
import type { Header } from '../../../../core/chain/header.ts';
import type { Rules } from '../../../../core/chain/rules.ts';
import type { Transaction } from '../../../../core/chain/transaction.ts';
import type { HeaderTemplate } from '../../../../core/consensus/header-template.ts';
import { BlockExecution } from '../../../../core/execution/block-execution.ts';
import type { BlockHashes } from '../../../../core/execution/environment.ts';
import { nextGasLimit } from '../../../../core/execution/gas-limit.ts';
import type { ExecutedBlock, StateBase } from '../../../../core/execution/result.ts';
import type { TransactionPool } from '../../../../core/txpool/pool.ts';
import type { Chain } from '../chain/chain.ts';
import { Budget } from './budget.ts';
import type { BuildBounds } from './build-bounds.ts';
import type { Trials } from './trials.ts';

export interface BuilderSettings {
  gasFloor: bigint;
  gasCeiling: bigint;
  /** CPU time of one transaction, in place of what follows from the consensus. */
  readonly transactionMs?: number | undefined;
  readonly vanity: Uint8Array;
}

/** A transfer: with less left, nothing fits. */
const TRANSACTION_GAS_MIN = 21_000n;
/** A pending block shows no more than this. */
const PREVIEW_TRANSACTIONS_MAX = 200;

/** Whose block it becomes. */
export interface Proposer {
  readonly address: Address;
  /** Adds the proposer's seal where the engine has one. */
  seal(header: Header): Header;
}

/** A parent that is not the head yet: what a Raft minter proposed and the cluster has not committed. */
export interface SpeculativeSite {
  readonly parent: Header;
  readonly base: StateBase;
  readonly hashes: BlockHashes;
  /** Whether a block below holds the transaction. */
  isTaken(transaction: Transaction): boolean;
}

interface Stage {
  readonly execution: BlockExecution;
  readonly header: Header;
  readonly isWanted: () => boolean;
  readonly site: SpeculativeSite | undefined;
  readonly bounds: BuildBounds;
  /** The same block, empty, on the head. */
  readonly stageAlone: () => BlockExecution;
}

export interface BuiltBlock {
  readonly block: Block;
  readonly result: ExecutedBlock;
  /** It has no transactions because its time went to one that was left out: others may wait. */
  readonly isWasted: boolean;
}

export class BlockBuilder {
  private readonly chain: Chain;
  private readonly pool: TransactionPool;
  private readonly settings: BuilderSettings;
  private readonly timers: Timers;
  private readonly effort: Effort;
  private readonly log: Log;
  readonly trials: Trials;
  /** Transactions that blocks had no time for, since the start. */
  leftOut = 0;

  constructor(parts: {
    chain: Chain;
    pool: TransactionPool;
    settings: BuilderSettings;
    timers: Timers;
    effort: Effort;
    trials: Trials;
    log: Log;
  }) {
    this.chain = parts.chain;
    this.pool = parts.pool;
    this.settings = parts.settings;
    this.timers = parts.timers;
    this.effort = parts.effort;
    this.log = parts.log;
    this.trials = parts.trials;
  }

  /** A block on the head, or on `site`, after `template`; undefined when `isWanted` turned false meanwhile. */
  async build(
    template: HeaderTemplate,
    proposer: Proposer,
    isWanted: () => boolean,
    bounds: BuildBounds,
    site?: SpeculativeSite,
  ): Promise<BuiltBlock | undefined> {
    const parent = this.chain.head();
    const header = this.emptyHeader(template, site?.parent ?? parent.header);
    const execution = this.execution(header, proposer.address, site);
    const stageAlone = () => this.execution(header, proposer.address);
    const { leftOut } = this;
    const transactions = await this.fill({
      ...{ execution, header, isWanted, site, stageAlone },
      bounds: this.ownBounds(bounds),
    });
    if (!transactions) return undefined;
    await this.chain.advance(execution);
    if (!isWanted()) return undefined;
    if (!site && !equalBytes(this.chain.head().hash, parent.hash)) return undefined;
    const result = execution.result();
    const block = sealOff(header, transactions, result, proposer.seal);
    this.chain.keep(block, result);
    const isWasted = transactions.length === 0 && this.leftOut > leftOut;
    return { block, result, isWasted };
  }

  /** What would be proposed on the head now: the header without its roots, and transactions in the order of a block. */
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

  /** An own header names no author yet. */
  private execution(header: Header, author: Address, site?: SpeculativeSite): BlockExecution {
    const job = this.chain.jobOf(header, { transactions: [], uncles: [], withdrawals: [] }, site);
    return new BlockExecution({ ...job, author });
  }

  /** Tries transactions until the block is full, its time is over, the pool is out, or nobody wants the block any more. */
  private async fill(stage: Stage): Promise<Transaction[] | undefined> {
    const { execution, header, site, bounds } = stage;
    const { trials, pool } = this;
    const included: Transaction[] = [];
    const budget = new Budget(this.effort, bounds.transactionMs, 2 * bounds.transactionMs);
    const proven = trials.takeProven((each) => this.isNext(each) && !site?.isTaken(each));
    if (proven) {
      const outcome = await this.include(stage, proven, budget);
      if (outcome === 'unwanted') return undefined;
      if (outcome === 'done') included.push(proven);
    }
    budget.limitMs = bounds.blockMs;
    const selection = pool.select(header.baseFeePerGas ?? 0n);
    while (execution.gasLeft >= TRANSACTION_GAS_MIN && !budget.isSpent()) {
      const transaction = selection.next(execution.gasLeft);
      if (!transaction) break;
      if (included[0] === transaction || site?.isTaken(transaction)) continue;
      const beganMs = budget.elapsedMs();
      const isTooMuch = (trials.costOf(transaction) ?? 0) > budget.limitMs - beganMs;
      if (isTooMuch || transaction === proven || trials.has(transaction)) {
        selection.leaveOut(transaction);
        continue;
      }
      const outcome = await this.include(stage, transaction, budget);
      if (outcome === 'unwanted') return undefined;
      if (outcome === 'done') included.push(transaction);
      else selection.leaveOut(transaction);
      if (outcome !== 'late') continue;
      this.leftOut++;
      this.log('info', 'Transaction left out of the block: its time is over', {
        hash: bareHex(transaction.hash),
        number: header.number,
      });
      if (budget.elapsedMs() - beganMs < bounds.blockMs / 2) continue;
      const { stageAlone } = stage;
      trials.add({ transaction, limitMs: bounds.transactionMs, stage: stageAlone });
    }
    return included;
  }

  private ownBounds({ blockMs, transactionMs }: BuildBounds): BuildBounds {
    const ownMs = this.settings.transactionMs ?? transactionMs;
    return { blockMs: Math.min(blockMs, ownMs), transactionMs: ownMs };
  }

  /** Executable on the head. */
  private isNext({ sender, nonce, hash }: Transaction): boolean {
    const [first] = this.pool.contentFrom(sender).pending;
    return first?.nonce === nonce && equalBytes(first.hash, hash);
  }

  private async include(
    { execution, isWanted, site }: Stage,
    transaction: Transaction,
    budget: Budget,
  ): Promise<'done' | 'refused' | 'late' | 'unwanted'> {
    try {
      while (execution.include(transaction, budget.pace) === 'more') {
        budget.suspend();
        await new Promise<void>((resolve) => this.timers.yield(resolve));
        if (!isWanted()) return 'unwanted';
        budget.resume();
      }
      return 'done';
    } catch (error) {
      if (hasCode(error, 'EXECUTION_STOPPED')) return 'late';
      if (!hasCode(error, 'BLOCK_TRANSACTION_INVALID')) throw error;
      this.log('debug', 'Transaction left out of the block', { why: error.message });
      if (!site) this.pool.remove(transaction.hash);
      return 'refused';
    }
  }

  private emptyHeader(template: HeaderTemplate, parent: Header): Header {
    const rules = this.chain.rulesOf(template);
    return {
      ...template,
      stateRoot: ZERO_HASH,
      transactionsRoot: EMPTY_ROOT,
      receiptsRoot: EMPTY_ROOT,
      bloom: EMPTY_BLOOM,
      gasLimit: nextGasLimit(parent, {
        floor: this.settings.gasFloor,
        ceiling: this.settings.gasCeiling,
        minimum: rules.minerGasLimit,
      }),
      gasUsed: 0n,
      ...newerFields(rules, parent, this.chain.config.isQuorum || this.chain.config.isZeroBaseFee),
    };
  }
}

/** Fields that London, Shanghai and Cancun append, as Besu's QBFT fills them: no withdrawals, no blobs, no beacon chain. */
function newerFields(rules: Rules, parent: Header, isFeeless: boolean): Partial<Header> {
  return {
    ...(rules.isLondon ? { baseFeePerGas: isFeeless ? 0n : nextBaseFee(parent) } : {}),
    ...(rules.isShanghai ? { withdrawalsRoot: EMPTY_ROOT } : {}),
    ...(rules.isCancun
      ? { blobGasUsed: 0n, excessBlobGas: 0n, parentBeaconBlockRoot: ZERO_HASH }
      : {}),
  };
}

/** `header` with what execution tells of it. */
export function sealOff(
  header: Header,
  transactions: readonly Transaction[],
  result: ExecutedBlock,
  seal: Proposer['seal'] = (unsealed) => unsealed,
): Block {
  const full = seal({
    ...header,
    stateRoot: result.stateRoot,
    transactionsRoot: transactionsRoot(transactions),
    receiptsRoot: result.receiptsRoot,
    bloom: result.bloom,
    gasUsed: result.gasUsed,
  });
  const body = { transactions, uncles: [] };
  return blockOf(full, full.withdrawalsRoot ? { ...body, withdrawals: [] } : body);
}
