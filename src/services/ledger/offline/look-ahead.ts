/**
 * Yields blocks in order and recovers their senders, and the signers of their seals, on other
 * threads while earlier blocks are executed.
 */

import type { Log, SenderRecovery, Signed } from '../../../core/base/ports.ts';
import type { Block } from '../../../core/chain/block.ts';
import { recoverElsewhere } from '../../../core/chain/sender-recovery.ts';
import type { Transaction } from '../../../core/chain/transaction.ts';

/**
 * Limits of how far ahead blocks are read. Those that wait longer survive collections of garbage,
 * which costs more than waiting saves.
 */
const SIGNATURES_AHEAD_MAX = 1_024;
const BLOCKS_AHEAD_MAX = 32;
/** Number of signatures per request to a thread: with fewer, the overhead dominates. */
const SIGNATURES_TOGETHER = 64;

interface Ahead {
  readonly block: Block;
  readonly signatures: number;
  recovered: Promise<void> | undefined;
}

export interface LookAheadParts {
  /** If it fails, senders are recovered when they are needed. */
  readonly recovery: SenderRecovery;
  /** Whether the senders of the block are needed. */
  isWanted(block: Block): boolean;
  sealsOf(block: Block): readonly Signed[];
  readonly log: Log;
}

/** Yields the blocks of `source`; if that fails, the error follows after the blocks before it. */
export async function* lookAhead(
  source: AsyncIterable<Block>,
  { recovery, isWanted, sealsOf, log }: LookAheadParts,
): AsyncGenerator<Block> {
  const iterator = source[Symbol.asyncIterator]();
  const window: Ahead[] = [];
  const queue = new RecoveryQueue(recovery, log);
  let signatures = 0;
  let ending: { readonly error?: unknown } | undefined;
  const read = async () => {
    try {
      const { value, done } = await iterator.next();
      if (done) ending = {};
      else {
        const next = isWanted(value)
          ? queue.add(value, sealsOf(value))
          : { block: value, signatures: value.transactions.length, recovered: NOTHING };
        window.push(next);
        signatures += next.signatures;
      }
    } catch (error) {
      ending = { error };
    }
  };
  try {
    for (;;) {
      while (!ending && signatures < SIGNATURES_AHEAD_MAX && window.length < BLOCKS_AHEAD_MAX)
        await read();
      const next = window.shift();
      if (!next) break;
      signatures -= next.signatures;
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

/** Requests the signers of several small blocks together. */
class RecoveryQueue {
  private readonly recovery: SenderRecovery;
  private readonly log: Log;
  private group: Ahead[] = [];
  private signed: (Transaction | Signed)[] = [];

  constructor(recovery: SenderRecovery, log: Log) {
    this.recovery = recovery;
    this.log = log;
  }

  add(block: Block, seals: readonly Signed[]): Ahead {
    const signatures = block.transactions.length + seals.length;
    const ahead: Ahead = { block, signatures, recovered: undefined };
    this.group.push(ahead);
    this.signed.push(...seals, ...block.transactions);
    if (this.signed.length >= SIGNATURES_TOGETHER) this.flush();
    return ahead;
  }

  /** The promise is awaited when the first of these signers is needed. */
  flush(): void {
    const recovered = recoverElsewhere(this.signed, this.recovery).catch(({ message }: Error) =>
      this.log('warn', 'Signers are recovered on the main thread', { err: message }),
    );
    for (const each of this.group) each.recovered = recovered;
    this.group = [];
    this.signed = [];
  }
}
