/**
 * The fast way: blocks and receipts of the source are appended unchanged, and the states after one
 * block are copied from its tries. Nothing is executed; everything is verified by hashes.
 */

import { equalBytes, type Hash32 } from '../../../core/base/bytes.ts';
import { fail } from '../../../core/base/errors.ts';
import { EMPTY_ROOT } from '../../../core/base/keccak.ts';
import type { Clock, Log } from '../../../core/base/ports.ts';
import { decodeHeader } from '../../../core/chain/header.ts';
import type { Psi } from '../../../core/privacy/inputs.ts';
import type { ChainDatabase } from '../../../io/geth/chain-database.ts';
import type { ResidentMemory } from '../../../io/host/resident-memory.ts';
import { Progress } from '../../../io/telemetry/progress.ts';
import type { OpenChain } from '../store/data.ts';
import type { SnapshotKeeper } from '../store/keep-snapshots.ts';
import { copyBlocks } from './copy-blocks.ts';
import { copyStates, type StateCounts } from './copy-states.ts';

export interface CopyReport {
  /** Number of blocks copied by this run. */
  readonly blocks: number;
  readonly transactions: number;
  /** Milliseconds to copy the blocks. */
  readonly elapsedMs: number;
  /** Milliseconds to copy the states. */
  readonly statesMs: number;
  /** Undefined: the states were copied by an earlier run, or this one ended before them. */
  readonly states: StateCounts | undefined;
}

export interface CopyChainParts {
  readonly database: ChainDatabase;
  readonly opened: OpenChain;
  readonly psis: readonly Psi[];
  /** Undefined: the chain has no validators. */
  readonly snapshots: SnapshotKeeper | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly memory: ResidentMemory;
  shouldStop(): boolean;
}

/**
 * The newest block whose states the source has: its head, unless its node was killed, or did not
 * store all states. Throws GETH_STATE_MISSING.
 */
export function newestState(database: ChainDatabase, isMps: boolean): number {
  for (let number = database.head.number; number >= 0; number--) {
    const { stateRoot } = decodeHeader(database.header(number));
    if (!isThere(database, stateRoot)) continue;
    const root = isMps ? database.privateStatesRoot(stateRoot) : database.privateRoot(stateRoot);
    if (root === undefined || isThere(database, root)) return number;
  }
  throw fail(
    'GETH_STATE_MISSING',
    'the source has no state of any block: migrate it with --execute, which executes every block',
  );
}

/** If the result's `isWhole` is false, the copy was interrupted; the next call continues it. */
export async function copyChain(
  parts: CopyChainParts,
): Promise<CopyReport & { readonly isWhole: boolean }> {
  const { database, opened, psis, snapshots, clock, log, memory, shouldStop } = parts;
  const { store, genesis } = opened;
  const base = store.base!.number;
  const startMs = clock.nowMs();
  const first = store.head()!.number;
  const counts = { blocks: 0, transactions: 0 };
  const { isMps } = genesis.config;
  const progress = new Progress(clock, log);
  const isCopied = await copyBlocks({
    ...{ database, store, psis, memory, upTo: base, config: genesis.config },
    onBlocks({ blocks, transactions }) {
      counts.blocks += blocks;
      counts.transactions += transactions;
      const { number } = store.head()!;
      snapshots?.keepBelow(number);
      progress.tell('Copied blocks', (number - first) / (base - first), () => ({
        ...{ number, of: base },
        'blocks/s': progress.perSecond(counts.blocks),
        'tx/s': progress.perSecond(counts.transactions),
      }));
      return shouldStop();
    },
  });
  progress.begin();
  const isIndexed =
    isCopied &&
    (await store.indexHashes(async (part) => {
      progress.tell('Indexed hashes', part, () => ({}));
      await memory.bound();
      return !shouldStop();
    }));
  const copiedMs = clock.nowMs();
  const report = { ...counts, elapsedMs: copiedMs - startMs };
  if (!isIndexed) return { ...report, states: undefined, statesMs: 0, isWhole: false };
  progress.begin();
  const states = await copyStates({
    ...{ database, store, isMps, psis, memory },
    shouldStop({ accounts, slots }) {
      const hash = store.stateProgress?.account;
      const part = hash ? (hash[0]! * 256 + hash[1]!) / 65_536 : 0;
      progress.tell('Copied states', part, () => ({
        ...{ accounts, slots, 'leaves/s': progress.perSecond(accounts + slots) },
        of: store.stateProgress?.psi ?? 'the public state',
      }));
      return shouldStop();
    },
  });
  const statesMs = clock.nowMs() - copiedMs;
  return { ...report, states, statesMs, isWhole: states !== undefined };
}

function isThere(database: ChainDatabase, root: Hash32): boolean {
  const isNothing = equalBytes(root, EMPTY_ROOT) || root.every((byte) => byte === 0);
  return isNothing || database.node(root) !== undefined;
}
