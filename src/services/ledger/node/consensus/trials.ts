/**
 * Transactions that exceeded a block's time: each is tried alone, concurrently with block building,
 * until its own limit. One that fits goes first into this node's next block; one that does not is
 * dropped.
 */
import { keyOf } from '../../../../core/base/bytes.ts';
import { hasCode } from '../../../../core/base/errors.ts';
import { bareHex, toHex } from '../../../../core/base/hex.ts';
import { Lru } from '../../../../core/base/lru.ts';
import type { Effort, Log, Timers } from '../../../../core/base/ports.ts';
import type { Transaction } from '../../../../core/chain/transaction.ts';
import type { BlockExecution } from '../../../../core/execution/block-execution.ts';
import type { BlockWork } from './block-work.ts';
import { Budget } from './budget.ts';

/** Maximum number of waiting trials; further transactions are only left out of each block. */
const TRIALS_MAX = 256;
const PROVEN_MAX = 256;
/** Pause after each slice: a trial takes at most half of the thread's time. */
const REST_MS = 5;
/** The same while a block is built or checked: a tenth. */
const REST_BESIDE_BLOCK_MS = 45;

export interface TrialParts {
  readonly effort: Effort;
  readonly timers: Timers;
  readonly log: Log;
  readonly blocks: Pick<BlockWork, 'isAtWork'>;
  /** Whether the transaction is still waiting for a block. */
  isWaiting(transaction: Transaction): boolean;
  /** Drops the transaction permanently. */
  drop(transaction: Transaction, why: string): Promise<void>;
  /** Lets the transaction go into a block. */
  release(transaction: Transaction): void;
  fatal(error: unknown): void;
}

export interface Trial {
  readonly transaction: Transaction;
  /** CPU time limit of the trial. */
  readonly limitMs: number;
  /** An otherwise empty block on the head. */
  stage(): BlockExecution;
}

type Outcome = { readonly kind: 'fits'; readonly costMs: number } | { kind: 'exceeds' | 'unclear' };

export class Trials {
  private readonly parts: TrialParts;
  private readonly waiting = new Map<string, Trial>();
  /** Transactions that fit, with their costs. */
  private readonly proven = new Lru<string, { transaction: Transaction; costMs: number }>(
    PROVEN_MAX,
  );
  private isWorking = false;
  private isStopped = false;
  /** Number of transactions dropped since the start. */
  dropped = 0;

  constructor(parts: TrialParts) {
    this.parts = parts;
  }

  get size(): number {
    return this.waiting.size;
  }

  has({ hash }: Transaction): boolean {
    return this.waiting.has(keyOf(hash));
  }

  add(trial: Trial): void {
    if (this.waiting.size >= TRIALS_MAX) return;
    this.waiting.set(keyOf(trial.transaction.hash), trial);
    if (!this.isWorking) void this.work();
  }

  /** CPU time that a transaction took alone; undefined if it was not tried, or did not fit. */
  costOf({ hash }: Transaction): number | undefined {
    return this.proven.get(keyOf(hash))?.costMs;
  }

  /** Returns a transaction that fits alone; each is returned once. */
  takeProven(
    isDue: (transaction: Transaction, costMs: number) => boolean,
  ): Transaction | undefined {
    for (const [key, { transaction, costMs }] of this.proven.items()) {
      const isGone = !this.parts.isWaiting(transaction);
      if (!isGone && !isDue(transaction, costMs)) continue;
      this.proven.delete(key);
      if (!isGone) return transaction;
    }
    return undefined;
  }

  stop(): void {
    this.isStopped = true;
    this.waiting.clear();
  }

  private async work(): Promise<void> {
    this.isWorking = true;
    for (;;) {
      const [first] = this.waiting;
      if (!first) break;
      const [key, trial] = first;
      const outcome = await this.judge(trial);
      if (this.isStopped) break;
      this.waiting.delete(key);
      this.settle(trial, outcome);
    }
    this.isWorking = false;
  }

  private async judge({ transaction, limitMs, stage }: Trial): Promise<Outcome> {
    const { effort, timers, blocks, isWaiting } = this.parts;
    try {
      const execution = stage();
      const budget = new Budget(effort, limitMs);
      while (isWaiting(transaction) && !this.isStopped) {
        if (execution.include(transaction, budget.pace) === 'done') {
          return { kind: 'fits', costMs: budget.usedMs() };
        }
        budget.suspend();
        const restMs = blocks.isAtWork ? REST_BESIDE_BLOCK_MS : REST_MS;
        await new Promise<void>((resolve) => timers.yield(() => timers.set(restMs, resolve)));
        budget.resume();
      }
      return { kind: 'unclear' };
    } catch (error) {
      if (hasCode(error, 'EXECUTION_STOPPED')) return { kind: 'exceeds' };
      // Its nonce was used meanwhile, or the state of the trial no longer exists.
      this.parts.log('debug', 'Trial of a transaction ended', { err: (error as Error).message });
      return { kind: 'unclear' };
    }
  }

  private settle({ transaction, limitMs }: Trial, outcome: Outcome): void {
    const { log, drop, release, fatal } = this.parts;
    if (outcome.kind === 'exceeds') {
      this.dropped++;
      const why = `transaction takes too long to execute: more than ${limitMs / 1000}s of CPU time`;
      log('warn', 'Transaction dropped: it takes too long to execute', {
        hash: `0x${bareHex(transaction.hash)}`,
        from: toHex(transaction.sender),
        gas: transaction.gasLimit,
        limit: `${limitMs / 1000}s`,
      });
      drop(transaction, why).catch(fatal);
      return;
    }
    if (outcome.kind === 'fits') {
      const { costMs } = outcome;
      this.proven.set(keyOf(transaction.hash), { transaction, costMs });
    }
    release(transaction);
  }
}
