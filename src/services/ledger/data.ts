/** The data folder of a node as commands see it: genesis beside the store, in the store's own folder. */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fail } from '../../core/base/errors.ts';
import { configFault } from '../../core/chain/config-compatibility.ts';
import { type Genesis, parseGenesis } from '../../core/chain/genesis.ts';
import { ChainStore } from '../../core/store/chain-store.ts';
import { systemClock } from '../../io/host/clock.ts';
import { type DataFolder, openDataFolder } from '../../io/storage/data-folder.ts';
import { ensureFirstBlock } from './node/first-block.ts';

/** Below the data directory, beside what other software keeps there. */
const STORE_FOLDER = 'quorate';

export interface OpenChain {
  readonly folder: DataFolder;
  readonly store: ChainStore;
  readonly genesis: Genesis;
  close(): Promise<void>;
}

export interface OpenOptions {
  readonly genesisFile?: string | undefined;
  readonly onFault?: ((error: unknown) => void) | undefined;
  /** Drops the index and makes it anew from the log. */
  readonly reindex?: boolean;
}

export function storeFolder(dataDirectory: string): string {
  return join(dataDirectory, STORE_FOLDER);
}

/**
 * Opens the chain; with `genesisFile` it begins one in an empty folder, or takes over new transitions of the file (the
 * reference's `init`). Throws GENESIS_MISSING, GENESIS_INVALID, GENESIS_MISMATCH, STORE_… and STORAGE_….
 */
export async function openChain(
  dataDirectory: string,
  { genesisFile, onFault, reindex = false }: OpenOptions = {},
): Promise<OpenChain> {
  const folder = storeFolder(dataDirectory);
  const kept = join(folder, 'genesis.json');
  const text = genesisText(dataDirectory, kept, genesisFile);
  const genesis = parseGenesis(text);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const data = await openDataFolder(folder, { reindex });
  try {
    const dialect = genesis.config.isQuorum ? 'quorum' : 'ethereum';
    const store = await ChainStore.open({
      log: data.log,
      kv: data.kv,
      clock: systemClock,
      dialect,
      ...(onFault ? { onFault } : {}),
    });
    if (existsSync(kept)) {
      const head = store.head()?.number ?? 0;
      const fault = configFault(
        parseGenesis(readFileSync(kept, 'utf8')).config,
        genesis.config,
        head,
      );
      if (fault !== undefined) throw fail('GENESIS_MISMATCH', fault);
    }
    await ensureFirstBlock(store, genesis);
    keepGenesis(kept, text);
    return {
      folder: data,
      store,
      genesis,
      async close() {
        await store.close();
        data.close();
      },
    };
  } catch (error) {
    data.close();
    throw error;
  }
}

function genesisText(dataDirectory: string, kept: string, file: string | undefined): string {
  if (file !== undefined) return readFileSync(file, 'utf8');
  if (existsSync(kept)) return readFileSync(kept, 'utf8');
  throw fail(
    'GENESIS_MISSING',
    `there is no chain in ${dataDirectory}: run "quorate init --datadir ${dataDirectory} genesis.json" first, or give --genesis`,
  );
}

/** Whole or not at all. */
export function keepGenesis(path: string, text: string): void {
  const temporary = `${path}.new`;
  writeFileSync(temporary, text, { mode: 0o600, flush: true });
  renameSync(temporary, path);
}
