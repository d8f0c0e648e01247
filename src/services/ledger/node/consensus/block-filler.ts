/**
 * Fills the block that this node proposes, and divides its time: the first half in the usual order,
 * the rest by gas limit, lowest first. A transaction costs at most its gas limit, so cheap ones are
 * included however many expensive ones there are. Senders of an interrupted transaction come last.
 */
import { equalBytes, keyOf } from '../../../../core/base/bytes.ts';
import { hasCode, type QuorateError } from '../../../../core/base/errors.ts';
import { bareHex } from '../../../../core/base/hex.ts';
import { Lru } from '../../../../core/base/lru.ts';
import type { Effort, Log, Timers } from '../../../../core/base/ports.ts';
import type { Header } from '../../../../core/chain/header.ts';
import type { Transaction } from '../../../../core/chain/transaction.ts';
import type { BlockExecution } from '../../../../core/execution/block-execution.ts';
import type { TransactionPool } from '../../../../core/txpool/pool.ts';
import type { Selection } from '../../../../core/txpool/select.ts';
import { Budget } from './budget.ts';
import { BLOCK_BYTES_MAX, type BuildBounds, MS_PER_BYTE } from './build-bounds.ts';
import type { Trials } from './trials.ts';

/** Gas of a transfer: with less gas left, no transaction fits. */
const TRANSACTION_GAS_MIN = 21_000n;
/**
 * What a byte of logs costs each validator after execution, when receipts are encoded, hashed and
 * stored.
 */
const MS_PER_LOG_BYTE = 25e-6;
/** Maximum number of remembered senders. */
const SLOW_SENDERS_MAX = 4096;

export interface FillerParts {
  readonly pool: TransactionPool;
  readonly timers: Timers;
  readonly effort: Effort;
  readonly trials: Trials;
  readonly log: Log;
  /**
   * Senders whose transactions come before all others, by keyOf(address): these may change what
   * others are allowed to do.
   */
  readonly first?: (() => ReadonlySet<string>) | undefined;
}

export interface Stage {
  readonly execution: BlockExecution;
  readonly header: Header;
  readonly isWanted: () => boolean;
  /** Set when the parent is above the head: whether an ancestor contains the transaction. */
  readonly site: { isTaken(transaction: Transaction): boolean } | undefined;
  readonly bounds: BuildBounds;
  /** An empty block with the same header on the head. */
  readonly stageAlone: () => BlockExecution;
}

/** `out`: neither the transaction nor later ones of its sender go into this block. */
type Fate = 'in' | 'out';

interface Filling extends Stage {
  readonly budget: Budget;
  readonly included: Transaction[];
  readonly fates: Map<Transaction, Fate>;
  /** Bytes that are left for transactions. */
  bytesLeft: number;
  /** Whether any sender was moved to the end. */
  isSenderDeferred: boolean;
}

class Unwanted extends Error {}

export class BlockFiller {
  private readonly parts: FillerParts;
  /** Senders whose transactions were interrupted. */
  private readonly slow = new Lru<string, true>(SLOW_SENDERS_MAX);
  /**
   * A transaction that was tried alone used up the last block: the next one starts with the others.
   */
  private isOthersTurn = false;
  /** Number of transactions left out for lack of time, since the start. */
  leftOut = 0;

  constructor(parts: FillerParts) {
    this.parts = parts;
  }

  /**
   * Fills until the block is full, its time is up, or the pool has no more transactions; undefined
   * when the block is no longer needed.
   */
  async fill(stage: Stage): Promise<Transaction[] | undefined> {
    const { transactionMs } = stage.bounds;
    const filling: Filling = {
      ...stage,
      budget: new Budget(this.parts.effort, transactionMs),
      included: [],
      fates: new Map(),
      bytesLeft: BLOCK_BYTES_MAX,
      isSenderDeferred: false,
    };
    try {
      await this.share(filling);
      return filling.included;
    } catch (error) {
      if (error instanceof Unwanted) return undefined;
      throw error;
    }
  }

  private async share(filling: Filling): Promise<void> {
    const { budget, bounds, included } = filling;
    const { blockMs } = bounds;
    const isOthersTurn = this.isOthersTurn;
    this.isOthersTurn = false;
    if (!isOthersTurn) await this.includeProven(filling);
    const first = this.parts.first?.();
    if (first && first.size > 0) await this.walk(filling, 'usual', blockMs / 2, first);
    const isOut = await this.walk(filling, 'usual', blockMs / 2);
    if (!isOut) await this.walk(filling, 'smallest', blockMs);
    if (filling.isSenderDeferred) await this.walk(filling, 'slow', blockMs);
    if (isOthersTurn && included.length === 0 && !budget.isSpent())
      await this.includeProven(filling);
  }

  /**
   * Includes a transaction that was tried alone and fits: it may take longer than all others
   * together.
   */
  private async includeProven(filling: Filling): Promise<void> {
    const { trials } = this.parts;
    const { site, budget, bounds } = filling;
    budget.limitMs = bounds.transactionMs;
    budget.patienceMs = 2 * bounds.transactionMs;
    const proven = trials.takeProven(
      (each, costMs) => costMs <= bounds.provenMs && this.isNext(each) && !site?.isTaken(each),
    );
    if (!proven) return;
    await this.include(filling, proven);
    this.isOthersTurn = budget.elapsedMs() > bounds.blockMs / 2;
  }

  /**
   * Fills until `limitMs`, from all senders or from `senders`. Returns whether all their
   * transactions were tried.
   */
  private async walk(
    filling: Filling,
    order: 'usual' | 'smallest' | 'slow',
    limitMs: number,
    senders?: ReadonlySet<string>,
  ): Promise<boolean> {
    const { execution, header, site, budget, fates, bounds } = filling;
    const { blockMs, transactionMs } = bounds;
    const { trials, pool } = this.parts;
    budget.limitMs = limitMs;
    // On a busy machine elapsed time exceeds CPU time. Elapsed time is limited too: to a quarter of
    // a round, because a concurrent trial may take another quarter, and validators need half a
    // round to execute the block.
    budget.patienceMs = (transactionMs / 2) * (limitMs / blockMs);
    if (budget.isSpent()) return false;
    const selection = pool.select(
      header.baseFeePerGas ?? 0n,
      order === 'smallest' ? 'smallest' : 'usual',
      senders,
    );
    while (!budget.isSpent()) {
      if (execution.gasLeft < TRANSACTION_GAS_MIN) return true;
      const transaction = selection.next(execution.gasLeft, filling.bytesLeft);
      if (!transaction) return true;
      if (site?.isTaken(transaction) || fates.get(transaction) === 'in') continue;
      const isDeferred = order !== 'slow' && this.slow.has(keyOf(transaction.sender));
      const costMs = trials.costOf(transaction);
      const isTooMuch = costMs !== undefined && costMs > limitMs - budget.usedMs();
      if (isDeferred) filling.isSenderDeferred = true;
      if (isDeferred || isTooMuch || fates.has(transaction) || trials.has(transaction)) {
        selection.leaveOut(transaction);
        continue;
      }
      await this.take(filling, transaction, selection);
    }
    return false;
  }

  private async take(filling: Filling, transaction: Transaction, selection: Selection) {
    const { budget, bounds, header, stageAlone } = filling;
    const { trials, log } = this.parts;
    const beganMs = budget.elapsedMs();
    const outcome = await this.include(filling, transaction);
    if (outcome !== 'done') selection.leaveOut(transaction);
    if (outcome !== 'late') return;
    this.leftOut++;
    log('info', 'Transaction left out of the block: its time is up', {
      hash: bareHex(transaction.hash),
      number: header.number,
    });
    if (budget.elapsedMs() - beganMs < bounds.blockMs / 4) return;
    this.slow.set(keyOf(transaction.sender), true);
    trials.add({ transaction, limitMs: bounds.transactionMs, stage: stageAlone });
  }

  /** Whether the transaction is the next one of its sender on the head. */
  private isNext({ sender, nonce, hash }: Transaction): boolean {
    const [first] = this.parts.pool.contentFrom(sender).pending;
    return first?.nonce === nonce && equalBytes(first.hash, hash);
  }

  /**
   * Executes the transaction, and adds it to the block if it is valid and in time. Throws Unwanted.
   */
  private async include(
    filling: Filling,
    transaction: Transaction,
  ): Promise<'done' | 'refused' | 'late'> {
    const { execution, isWanted, site, budget, included, fates } = filling;
    const { timers, log, pool } = this.parts;
    const { logBytes } = execution;
    fates.set(transaction, 'out');
    try {
      while (execution.include(transaction, budget.pace) === 'more') {
        budget.suspend();
        await new Promise<void>((resolve) => timers.yield(resolve));
        if (!isWanted()) throw new Unwanted();
        budget.resume();
      }
      fates.set(transaction, 'in');
      included.push(transaction);
      filling.bytesLeft -= transaction.raw.length;
      budget.charge(transaction.raw.length * MS_PER_BYTE);
      budget.charge((execution.logBytes - logBytes) * MS_PER_LOG_BYTE);
      return 'done';
    } catch (error) {
      if (hasCode(error, 'EXECUTION_STOPPED')) return 'late';
      if (!hasCode(error, 'BLOCK_TRANSACTION_INVALID')) throw error;
      log('debug', 'Transaction left out of the block', { why: error.message });
      if (!site && !isDeniedHere(error)) pool.remove(transaction.hash);
      return 'refused';
    }
  }
}

/**
 * An earlier transaction in this block revoked the permission. The transaction remains valid until
 * the block is decided.
 */
function isDeniedHere({ data }: QuorateError): boolean {
  return (data as { readonly reason?: string } | undefined)?.reason === 'PERMISSION_DENIED';
}
