/** Blocks in order, their senders recovered on other threads while the blocks before them are executed. */
import type { Block } from '../../core/chain/block.ts';
import { recoverElsewhere } from '../../core/chain/sender-recovery.ts';
import type { Transaction } from '../../core/chain/transaction.ts';
import type { Log, SenderRecovery } from '../../core/ports.ts';

/** What is read ahead ends at either. */
const TRANSACTIONS_AHEAD_MAX = 4_096;
const BLOCKS_AHEAD_MAX = 256;
/** Asked of a thread at once: below, the way there and back counts. */
const TRANSACTIONS_TOGETHER = 64;

interface Ahead {
  readonly block: Block;
  recovered: Promise<void> | undefined;
}

export interface LookAheadParts {
  /** When it fails, senders are left to be recovered where they are read. */
  readonly recovery: SenderRecovery;
  /** False for blocks whose senders nobody will read. */
  isWanted(block: Block): boolean;
  readonly log: Log;
}

/** The blocks of `source`; its error comes after the blocks before it. */
export async function* lookAhead(
  source: AsyncIterable<Block>,
  { recovery, isWanted, log }: LookAheadParts,
): AsyncGenerator<Block> {
  const iterator = source[Symbol.asyncIterator]();
  const window: Ahead[] = [];
  let transactions = 0;
  let ending: { readonly error?: unknown } | undefined;
  const recover = (some: readonly Transaction[]) =>
    recoverElsewhere(some, recovery).catch(({ message }: Error) =>
      log('warn', 'Senders are recovered on the main thread', { err: message }),
    );
  const read = async () => {
    try {
      const { value, done } = await iterator.next();
      if (done) ending = {};
      else {
        window.push({ block: value, recovered: isWanted(value) ? undefined : Promise.resolve() });
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
      ask(window, recover);
      const next = window.shift();
      if (!next) break;
      transactions -= next.block.transactions.length;
      await next.recovered;
      yield next.block;
    }
  } finally {
    await iterator.return?.();
  }
  if (ending && 'error' in ending) throw ending.error;
}

/** For the senders of all blocks that nobody was asked for, some blocks together. */
function ask(
  window: readonly Ahead[],
  recover: (some: readonly Transaction[]) => Promise<void>,
): void {
  let group: Ahead[] = [];
  let transactions: Transaction[] = [];
  const flush = () => {
    const recovered = recover(transactions);
    for (const each of group) each.recovered = recovered;
    group = [];
    transactions = [];
  };
  for (const each of window) {
    if (each.recovered) continue;
    group.push(each);
    transactions.push(...each.block.transactions);
    if (transactions.length >= TRANSACTIONS_TOGETHER) flush();
  }
  if (group.length > 0) flush();
}
