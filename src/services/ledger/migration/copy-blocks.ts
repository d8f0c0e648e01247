/**
 * Appends blocks and receipts of the source unchanged, up to one block; another thread reads them
 * and checks each against its header.
 */
import type { ChainConfig } from '../../../core/chain/chain-config.ts';
import type { Psi } from '../../../core/privacy/inputs.ts';
import type { ChainStore } from '../../../core/store/chain-store.ts';
import type { ChainDatabase } from '../../../io/geth/chain-database.ts';
import type { ResidentMemory } from '../../../io/host/resident-memory.ts';
import { BlockReaderThread } from './block-reader-thread.ts';

/** Batches between two checks of the memory in use. */
const BATCHES_A_LOOK = 16;

export interface CopyBlocksParts {
  readonly database: ChainDatabase;
  readonly store: ChainStore;
  readonly config: ChainConfig;
  /** Number of the last block. */
  readonly upTo: number;
  /** Names of private states in addition to those in the blocks. */
  readonly psis: readonly Psi[];
  readonly memory: ResidentMemory;
  /** Called after some blocks; true ends the copy there. */
  onBlocks(copied: { readonly blocks: number; readonly transactions: number }): boolean;
}

/**
 * Resolves when the blocks are durable; with false if the copy was ended early. Rejects with
 * GETH_DATA_DAMAGED and the errors of the store.
 */
export async function copyBlocks(parts: CopyBlocksParts): Promise<boolean> {
  const { database, store, config, upTo } = parts;
  const from = store.head()!.number + 1;
  const psis = [...store.spaces(), ...parts.psis];
  const isDone = await database.lent(async (folders) => {
    const reader = new BlockReaderThread({ folders, config, psis, from, upTo });
    try {
      return await appendAll(reader, parts);
    } finally {
      await reader.stop();
    }
  });
  await store.sync();
  return isDone;
}

async function appendAll(
  reader: BlockReaderThread,
  { store, memory, onBlocks }: CopyBlocksParts,
): Promise<boolean> {
  let batches = 0;
  for (let blocks = await reader.next(); blocks; blocks = await reader.next()) {
    await store.appendCopied(blocks);
    const transactions = blocks.reduce((sum, { block }) => sum + block.transactions.length, 0);
    if (onBlocks({ blocks: blocks.length, transactions })) return false;
    // Checkpoints are written meanwhile.
    await new Promise(setImmediate);
    if (++batches % BATCHES_A_LOOK === 0) await memory.bound();
  }
  return true;
}
