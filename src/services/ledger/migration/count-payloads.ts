/**
 * Counts the payloads that the private transactions of a migrated chain refer to, and those of them
 * that the node's manager has.
 */

import type { ChainConfig } from '../../../core/chain/chain-config.ts';
import { rulesAt } from '../../../core/chain/rules.ts';
import { type PrivateQuery, queryKey } from '../../../core/privacy/inputs.ts';
import type { Manager } from '../../../core/privacy/manager-port.ts';
import {
  isEmptyPayloadHash,
  isPrivateTransaction,
  opensInner,
  payloadHashOf,
} from '../../../core/privacy/marker.ts';
import type { ChainStore } from '../../../core/store/chain-store.ts';
import type { ResidentMemory } from '../../../io/host/resident-memory.ts';

/** Number of payloads per request. */
const BATCH = 64;
/** Yields to the event loop after this many blocks. */
const BLOCKS_A_TURN = 1_024;

export interface PayloadCount {
  /** Number of payloads that private transactions and privacy markers refer to. */
  readonly named: number;
  /**
   * Number of payloads that the manager has; undefined: no manager is configured. The others are
   * not for this node, or the manager has lost them.
   */
  readonly held: number | undefined;
}

/** Rejects with the errors of the manager. */
export async function countPayloads(
  store: ChainStore,
  config: ChainConfig,
  manager: Manager,
  memory: ResidentMemory,
): Promise<PayloadCount> {
  let [named, held] = [0, 0];
  let batch: PrivateQuery[] = [];
  const ask = async () => {
    if (!manager.isInUse || batch.length === 0) return;
    const answers = await manager.ask(batch);
    held += batch.filter((query) => answers.get(queryKey(query))?.kind === 'held').length;
    batch = [];
  };
  const head = store.head()!.number;
  for (let number = 0; number <= head; number++) {
    if (number % BLOCKS_A_TURN === 0) {
      await new Promise(setImmediate);
      await memory.bound();
    }
    if (!store.hasPrivateWork(number)) continue;
    const { header, transactions } = store.block(number)!;
    const rules = rulesAt(config, number, header.timestamp);
    for (const tx of transactions) {
      if (!isPrivateTransaction(tx, rules) && !opensInner(tx, rules)) continue;
      const hash = payloadHashOf(tx.data);
      if (isEmptyPayloadHash(hash)) continue;
      named++;
      batch.push({ kind: 'payload', hash });
      if (!manager.isInUse) batch = [];
      else if (batch.length >= BATCH) await ask();
    }
  }
  await ask();
  return { named, held: manager.isInUse ? held : undefined };
}
