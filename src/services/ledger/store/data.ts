/** The data folder of a node for commands: the genesis file and the store. */

import { join } from 'node:path';
import { fail, hasCode } from '../../../core/base/errors.ts';
import type { Log } from '../../../core/base/ports.ts';
import { checkStart } from '../../../core/chain/check-start.ts';
import { configFault } from '../../../core/chain/config-compatibility.ts';
import { type Genesis, parseGenesis } from '../../../core/chain/genesis.ts';
import { memoryFrom } from '../../../core/consensus/bft/memory-loss.ts';
import type { AccountIndex } from '../../../core/store/accounts/account-index.ts';
import type { ChainStore } from '../../../core/store/chain-store.ts';
import { BASE_FORMAT_VERSION } from '../../../core/store/format.ts';
import { KEPT_STATES } from '../../../core/store/pruning.ts';
import { Seals, sealedNumber } from '../../../core/store/seals.ts';
import { VoteFile } from '../../../core/store/vote-file.ts';
import { isThere, readText } from '../../../io/host/files.ts';
import { makeFolder } from '../../../io/host/make-folder.ts';
import { type DataFolder, stampFormat } from '../../../io/storage/data-folder.ts';
import { ensureFirstBlock } from '../node/chain/first-block.ts';
import { KeptAccounts } from './kept-accounts.ts';
import {
  checkKept,
  genesisDamaged,
  genesisPath,
  keepGenesis,
  keptGenesis,
} from './kept-genesis.ts';
import { openStore } from './store.ts';

/** In the data directory, next to files of other software. */
const STORE_FOLDER = 'quorate';
/**
 * Name of a marker file: the folder is being migrated, and is incomplete until the file is removed.
 */
export const MIGRATING = 'migrating';
/**
 * For an execution of a whole chain: a commit loads the neighbours of every row into memory, 64 KB
 * of the index each, so this is less than a running node writes at once. Copied blocks are written
 * in order.
 */
const EXECUTION_CHECKPOINT_BYTES = 1024 * 1024;

export interface OpenChain {
  readonly folder: DataFolder;
  readonly store: ChainStore;
  readonly votes: VoteFile;
  /** Numbers that the index stores about files outside it, such as the last vote. */
  readonly seals: Seals;
  readonly genesis: Genesis;
  /** Undefined: the index was not requested. */
  readonly accounts: AccountIndex | undefined;
  /**
   * Effect of the genesis file at opening: a new chain, a new configuration for an existing one, or
   * nothing.
   */
  readonly outcome: 'begun' | 'changed' | 'same';
  close(): Promise<void>;
}

export type GcMode = 'archive' | 'full';

export interface OpenOptions {
  readonly genesisFile?: string | undefined;
  /** Text of the genesis, instead of a file. */
  readonly genesisText?: string | undefined;
  /** Whether transactions may name their senders without a signature. */
  readonly isDevelopment?: boolean | undefined;
  /** The disk failed, or the index is damaged: the process must end. */
  readonly onFault?: ((error: unknown) => void) | undefined;
  /** `full`: only the newest states are kept. Otherwise none that is there is pruned. */
  readonly gcmode?: GcMode | undefined;
  /** Drops the index and rebuilds it from the log. */
  readonly reindex?: boolean;
  /** Opens the index of accounts too; `new`: starts with an empty one. */
  readonly accounts?: 'kept' | 'new' | undefined;
  /** Called with the reason for rebuilding the index, and the progress. */
  readonly log?: Log | undefined;
  /** Set by the migration that created the marker file. */
  readonly isMigrating?: boolean;
  /** For a new chain: the first block whose states will be stored. */
  readonly base?: number | undefined;
}

export function storeFolder(dataDirectory: string): string {
  return join(dataDirectory, STORE_FOLDER);
}

/**
 * Opens the chain. With `genesisFile` it starts one in an empty folder; for an existing chain it
 * adopts the file's changes above the head, and refuses a file that would change anything below, as
 * GoQuorum's `init` does. Throws GENESIS_MISSING, GENESIS_INVALID, GENESIS_DAMAGED,
 * GENESIS_MISMATCH, MIGRATION_UNFINISHED, STORE_… and STORAGE_….
 */
export async function openChain(
  dataDirectory: string,
  {
    genesisFile,
    genesisText,
    isDevelopment = false,
    onFault,
    gcmode,
    reindex = false,
    accounts: wanted,
    log = () => {},
    isMigrating = false,
    base,
  }: OpenOptions = {},
): Promise<OpenChain> {
  const folder = storeFolder(dataDirectory);
  if (!isMigrating && isThere(join(folder, MIGRATING))) throw unfinished(dataDirectory, folder);
  const stored = keptGenesis(folder);
  const given = genesisFile === undefined ? genesisText : readText(genesisFile);
  const text = given ?? stored;
  if (text === undefined) throw noChain(dataDirectory);
  const kept = stored === undefined ? undefined : checkKept(folder, stored);
  if (given === undefined && !kept!.isSame) throw genesisDamaged(dataDirectory, folder);
  const genesis = readGenesis(text, genesisFile ?? genesisPath(folder));
  if (genesisFile !== undefined) checkStart(genesis);
  makeFolder(folder, 0o700);
  const dialect = isDevelopment ? 'development' : genesis.config.isQuorum ? 'quorum' : 'ethereum';
  const seals = new Seals();
  const accounts = new KeptAccounts(folder, log);
  const { data, store, stopLooking } = await openStore(folder, {
    ...{ dialect, reindex, seals, log, onFault },
    checkpointBytes: isMigrating && base === undefined ? EXECUTION_CHECKPOINT_BYTES : undefined,
    keptStates: gcmode === 'full' ? KEPT_STATES : undefined,
    beforeRewind: (target, to) => accounts.rewind(target, to),
  });
  const close = async () => {
    stopLooking();
    try {
      await accounts.close();
    } finally {
      await closeStore();
    }
  };
  const closeStore = async () => {
    try {
      await store.close();
    } finally {
      data.close();
    }
  };
  try {
    // Nothing can be compared with a damaged file, and giving the original again needs no
    // comparison.
    const isMeasure = kept?.isSame && text !== stored;
    if (isMeasure) checkChange(store, parseGenesis(stored!), genesis);
    const votes = new VoteFile(data.votes, data.votesWritten, sealedNumber(data.kv, 'votes'));
    seals.follow('votes', () => votes.lastWritten);
    const isNewBase = base !== undefined && !store.head();
    if (isNewBase) stampFormat(folder, BASE_FORMAT_VERSION);
    await ensureFirstBlock(store, genesis, base);
    if (store.head()!.number === 0 && votes.loss === 'empty') await votes.remember(memoryFrom(1));
    if (text !== stored || !kept?.isSame || !kept.wasNoted) keepGenesis(folder, text);
    if (wanted) await accounts.open(store, wanted);
    const outcome = stored === undefined ? 'begun' : text === stored ? 'same' : 'changed';
    return { folder: data, store, votes, seals, genesis, accounts: accounts.index, outcome, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Throws GENESIS_INVALID, whose data contain the file. */
export function readGenesis(text: string, path: string): Genesis {
  try {
    return parseGenesis(text);
  } catch (cause) {
    if (!hasCode(cause, 'GENESIS_INVALID')) throw cause;
    throw fail(cause.code, `${path}: ${cause.message}`, { cause, data: { path } });
  }
}

function checkChange(store: ChainStore, stored: Genesis, next: Genesis): void {
  const { number, header } = store.head() ?? { number: 0, header: stored.header };
  const fault = configFault(stored.config, next.config, { number, timestamp: header.timestamp });
  if (fault === undefined) return;
  throw fail(
    'GENESIS_MISMATCH',
    `${fault}. The genesis file would change blocks that exist, up to ${number}: change only what comes after, or start a new chain in another --datadir`,
  );
}

function unfinished(dataDirectory: string, folder: string): Error {
  const from = readText(join(folder, MIGRATING)).trim();
  return fail(
    'MIGRATION_UNFINISHED',
    `${dataDirectory} is incomplete: its migration from ${from} was interrupted, or found a difference. Continue with "quorate migrate datadir ${from} --datadir ${dataDirectory}"`,
    { data: { path: dataDirectory } },
  );
}

function noChain(dataDirectory: string): Error {
  if (isThere(join(dataDirectory, 'geth', 'chaindata'))) {
    const text = `${dataDirectory} holds a chain of GoQuorum (geth/chaindata). Migrate it into a separate folder: "quorate migrate datadir ${dataDirectory} --datadir NEW" only reads it`;
    return fail('GENESIS_MISSING', text, { data: { path: dataDirectory } });
  }
  return fail(
    'GENESIS_MISSING',
    `there is no chain in ${dataDirectory}: run "quorate init --datadir ${dataDirectory} genesis.json" first, or give --genesis`,
  );
}
