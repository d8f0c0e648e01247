/**
 * Appends blocks and receipts of the source unchanged, up to one block; each is checked against its
 * header and its parent.
 */

import { hasCode } from '../../../core/base/errors.ts';
import type { Clock } from '../../../core/base/ports.ts';
import type { ChainConfig } from '../../../core/chain/chain-config.ts';
import type { Psi } from '../../../core/privacy/inputs.ts';
import type { ChainStore } from '../../../core/store/chain-store.ts';
import type { ChainDatabase } from '../../../io/geth/chain-database.ts';
import type { ResidentMemory } from '../../../io/host/resident-memory.ts';
import { type PrivateRoots, takenBlock } from './taken-block.ts';

/** After this much time, yields to the event loop, which also makes the checkpoints. */
const TURN_MS = 20;

export interface CopyBlocksParts {
  readonly database: ChainDatabase;
  readonly store: ChainStore;
  readonly config: ChainConfig;
  readonly clock: Clock;
  /** Number of the last block. */
  readonly upTo: number;
  readonly privateRoots: PrivateRoots;
  readonly psis: readonly Psi[];
  readonly memory: ResidentMemory;
  /** Called after each block; true ends the copy there. */
  onBlock(number: number, transactions: number): boolean;
}

/**
 * Resolves when the blocks are durable; with false if the copy was ended early. Rejects with
 * GETH_DATA_DAMAGED and the errors of the store.
 */
export async function copyBlocks(parts: CopyBlocksParts): Promise<boolean> {
  const { database, store, config, clock, upTo, privateRoots, psis, memory } = parts;
  let turnEndMs = clock.nowMs() + TURN_MS;
  let isEnded = false;
  for (let number = store.head()!.number + 1; number <= upTo && !isEnded; number++) {
    const known = [...store.spaces(), ...psis];
    const next = guarded(database, number, () =>
      takenBlock(database.stored(number), config, privateRoots, known),
    );
    await store.append(next, 'group');
    isEnded = parts.onBlock(number, next.block.transactions.length);
    if (clock.nowMs() < turnEndMs) continue;
    await new Promise(setImmediate);
    await memory.bound();
    turnEndMs = clock.nowMs() + TURN_MS;
  }
  await store.sync();
  return !isEnded;
}

/** Unreadable data count as damage, regardless of where they are found. */
function guarded<T>(database: ChainDatabase, number: number, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (hasCode(error, 'GETH_DATA_DAMAGED')) throw error;
    const { message } = error as Error;
    throw database.stateDamaged(`has block ${number} damaged (${message})`, error);
  }
}
