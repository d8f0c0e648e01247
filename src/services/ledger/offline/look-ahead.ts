/**
 * Yields blocks in order and recovers their senders on other threads while earlier blocks are
 * executed.
 */

import type { Log, SenderRecovery } from '../../../core/base/ports.ts';
import type { Block } from '../../../core/chain/block.ts';
import { recoverElsewhere } from '../../../core/chain/sender-recovery.ts';
import type { Transaction } from '../../../core/chain/transaction.ts';

/** Limits of how far ahead blocks are read. */
const TRANSACTIONS_AHEAD_MAX = 4_096;
const BLOCKS_AHEAD_MAX = 256;
/** Number of signatures per request to a thread: with fewer, the overhead dominates. */
const TRANSACTIONS_TOGETHER = 64;

interface Ahead {
  readonly block: Block;
  recovered: Promise<void> | undefined;
}

export interface LookAheadParts {
  /** If it fails, senders are recovered when they are needed. */
  readonly recovery: SenderRecovery;
  /** Whether the senders of the block are needed. */
  isWanted(block: Block): boolean;
  readonly log: Log;
}

/** Yields the blocks of `source`; if that fails, the error follows after the blocks before it. */
export async function* lookAhead(
  source: AsyncIterable<Block>,
  { recovery, isWanted, log }: LookAheadParts,
): AsyncGenerator<Block> {
  const iterator = source[Symbol.asyncIterator]();
  const window: Ahead[] = [];
  const queue = new RecoveryQueue(recovery, log);
  let transactions = 0;
  let ending: { readonly error?: unknown } | undefined;
  const read = async () => {
    try {
      const { value, done } = await iterator.next();
      if (done) ending = {};
      else {
        window.push(isWanted(value) ? queue.add(value) : { block: value, recovered: NOTHING });
        transactions += value.transactions.length;
      }
    } catch (error) {
      ending = { error };
    }
  };
  try {
    for (;;) {
      while (!ending && transactions < TRANSACTIONS_AHEAD_MAX && window.length < BLOCKS_AHEAD_MAX)
        await read();
      const next = window.shift();
      if (!next) break;
      transactions -= next.block.transactions.length;
      if (!next.recovered) queue.flush();
      await next.recovered;
      yield next.block;
    }
  } finally {
    await iterator.return?.();
  }
  if (ending && 'error' in ending) throw ending.error;
}

const NOTHING: Promise<void> = Promise.resolve();

/** Requests the senders of several small blocks together. */
class RecoveryQueue {
  private readonly recovery: SenderRecovery;
  private readonly log: Log;
  private group: Ahead[] = [];
  private transactions: Transaction[] = [];

  constructor(recovery: SenderRecovery, log: Log) {
    this.recovery = recovery;
    this.log = log;
  }

  add(block: Block): Ahead {
    const ahead: Ahead = { block, recovered: undefined };
    this.group.push(ahead);
    this.transactions.push(...block.transactions);
    if (this.transactions.length >= TRANSACTIONS_TOGETHER) this.flush();
    return ahead;
  }

  /** The promise is awaited when the first of these senders is needed. */
  flush(): void {
    const recovered = recoverElsewhere(this.transactions, this.recovery).catch(
      ({ message }: Error) =>
        this.log('warn', 'Senders are recovered on the main thread', { err: message }),
    );
    for (const each of this.group) each.recovered = recovered;
    this.group = [];
    this.transactions = [];
  }
}
