/**
 * `quorate migrate datadir`: takes the chain of a stopped GoQuorum node over, block by block, as a syncing node would, and proves
 * at each block with private transactions that the private state is what GoQuorum had. Goes on where it was interrupted.
 */
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { equalBytes } from '../../../core/base/bytes.ts';
import { fail } from '../../../core/base/errors.ts';
import { bareHex } from '../../../core/base/hex.ts';
import { ChainDatabase } from '../../../io/geth/chain-database.ts';
import { readText } from '../../../io/host/files.ts';
import { makeFolder } from '../../../io/host/make-folder.ts';
import { type ImportParts, type ImportReport, importFrom } from '../offline/import.ts';
import { MIGRATING, type OpenChain, openChain, storeFolder } from '../store/data.ts';
import { type CarriedFiles, carryFiles } from './carry-files.ts';
import { type Comparison, compareWithSource } from './compare-with-source.ts';
import { migratedGenesis } from './genesis.ts';
import type { GethSource } from './source.ts';

const SCRATCH = 'migrate-scratch';
/** The event loop is left to others between this many blocks that were read. */
const BLOCKS_A_TURN = 64;

export interface MigrationReport {
  readonly head: { readonly number: number; readonly hash: string };
  readonly genesis: { readonly isFileOlder: boolean };
  readonly imported: ImportReport;
  readonly files: CarriedFiles;
  /** Undefined: it was not asked for, or the migration was interrupted. */
  readonly comparison: Comparison | undefined;
  readonly isWhole: boolean;
}

export interface MigrationParts {
  readonly source: GethSource;
  readonly target: string;
  readonly isVerified: boolean;
  /** All that the import needs for the chain that was opened. */
  importParts(opened: OpenChain): Promise<Omit<ImportParts, 'opened'>>;
}

/** Rejects with GETH_DATA_DAMAGED, GENESIS_…, MIGRATION_TARGET, BLOCK_INVALID, STORE_… and the errors of disk and manager. */
export async function migrateDatadir(parts: MigrationParts): Promise<MigrationReport> {
  const { source, target } = parts;
  const folder = storeFolder(target);
  const mark = join(folder, MIGRATING);
  checkTarget(parts, mark);
  makeFolder(folder, 0o700);
  writeFileSync(mark, `${source.folder}\n`, { mode: 0o600, flush: true });
  const database = await openSource(source, join(folder, SCRATCH));
  try {
    const { text, isFileOlder } = migratedGenesis(readText(source.genesisFile), {
      path: source.genesisFile,
      stored: database.storedConfig(),
      hash: database.hashOf(0),
    });
    const genesisFile = join(folder, 'genesis.migrated.json');
    writeFileSync(genesisFile, text, { mode: 0o600 });
    const opened = await openChain(target, { genesisFile, isMigrating: true });
    rmSync(genesisFile);
    try {
      checkSameChain(opened, database, source);
      const importParts = await parts.importParts(opened);
      const imported = await importFrom([blockSource(source, database, opened)], {
        ...importParts,
        opened,
      });
      const head = opened.store.head()!;
      const isAtHead = head.number >= database.head.number;
      const comparison =
        isAtHead && parts.isVerified
          ? await compareWithSource({
              database,
              store: opened.store,
              privateStates: importParts.privateStates,
            })
          : undefined;
      const files = carryFiles(source, target);
      const isWhole = isAtHead && comparison?.difference === undefined;
      if (isWhole) rmSync(mark);
      return {
        head: { number: head.number, hash: bareHex(head.hash) },
        genesis: { isFileOlder },
        ...{ imported, files, comparison, isWhole },
      };
    } finally {
      await opened.close();
    }
  } finally {
    await database.close();
  }
}

/** Read only, for `--dry-run` and above. The scratch folder is gone when it is closed. */
export function openSource(source: GethSource, scratch: string): Promise<ChainDatabase> {
  const { chaindata, ancient } = source;
  return ChainDatabase.open({ chaindata, ancient, scratch });
}

function checkTarget({ source, target }: MigrationParts, mark: string): void {
  const store = storeFolder(target);
  if (!existsSync(join(store, 'format'))) return;
  if (!existsSync(mark)) {
    throw fail(
      'MIGRATION_TARGET',
      `${target} holds a chain already: name a new folder with --datadir, or start it ("quorate node --datadir ${target}")`,
    );
  }
  const before = readText(mark).trim();
  if (before === source.folder) return;
  throw fail(
    'MIGRATION_TARGET',
    `${target} holds the unfinished migration of ${before}: go on with that one, or delete ${store}`,
  );
}

function checkSameChain({ store }: OpenChain, database: ChainDatabase, source: GethSource): void {
  const head = store.head()!;
  if (head.number <= database.head.number && equalBytes(database.hashOf(head.number), head.hash))
    return;
  throw fail(
    'MIGRATION_TARGET',
    `block ${head.number} here is not that of ${source.folder}: delete the target's folder "quorate" and begin anew`,
  );
}

function blockSource(source: GethSource, database: ChainDatabase, { store }: OpenChain) {
  return {
    name: source.chaindata,
    async *blocks() {
      const last = database.head.number;
      for (let number = store.head()!.number + 1; number <= last; number++) {
        yield database.block(number);
        if (number % BLOCKS_A_TURN === 0) await new Promise(setImmediate);
      }
    },
  };
}
