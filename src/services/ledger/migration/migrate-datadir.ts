/**
 * `quorate migrate datadir`: migrates the chain of a stopped GoQuorum node. By default it copies
 * the blocks, and the states of the newest one from its tries. With `--execute` it executes block
 * by block, as a syncing node would, and compares the private state with GoQuorum's after each.
 * Continues where it was interrupted.
 */
import { existsSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { equalBytes } from '../../../core/base/bytes.ts';
import { fail, hasCode } from '../../../core/base/errors.ts';
import { bareHex } from '../../../core/base/hex.ts';
import { engineAt } from '../../../core/chain/consensus-rules.ts';
import { memoryFrom } from '../../../core/consensus/bft/memory-loss.ts';
import { ChainDatabase } from '../../../io/geth/chain-database.ts';
import { COPY_AGAIN } from '../../../io/geth/freezer.ts';
import { readText } from '../../../io/host/files.ts';
import { makeFolder } from '../../../io/host/make-folder.ts';
import { ResidentMemory } from '../../../io/host/resident-memory.ts';
import { type ImportParts, type ImportReport, importFrom } from '../offline/import.ts';
import { MIGRATING, type OpenChain, openChain, readGenesis, storeFolder } from '../store/data.ts';
import { snapshotKeeper } from '../store/keep-snapshots.ts';
import { type CarriedFiles, carryFiles } from './carry-files.ts';
import { type CarriedPending, carryPending } from './carry-pending.ts';
import { type CarriedRaft, carryRaft } from './carry-raft.ts';
import { type CopyCheck, checkCopy } from './check-copy.ts';
import { checkFiles } from './check-files.ts';
import { type Comparison, compareWithSource } from './compare-with-source.ts';
import { type CopyReport, copyChain, newestState } from './copy-chain.ts';
import { countPayloads, type PayloadCount } from './count-payloads.ts';
import { migratedGenesis } from './genesis.ts';
import type { GethSource } from './source.ts';

const SCRATCH = 'migrate-scratch';
/** Yields to the event loop after this many blocks. */
const BLOCKS_A_TURN = 64;

export interface MigrationReport {
  readonly head: { readonly number: number; readonly hash: string };
  readonly genesis: { readonly isFileOlder: boolean };
  /** Undefined: everything was executed, or was copied by an earlier run. */
  readonly copied: CopyReport | undefined;
  readonly copyCheck: CopyCheck | undefined;
  /** The first block whose states were migrated; undefined: those of all blocks were. */
  readonly base: number | undefined;
  /** Blocks that were executed: all with `--execute`, otherwise those above the copied states. */
  readonly imported: ImportReport;
  readonly files: CarriedFiles;
  /** Undefined: the node was not a Raft member. */
  readonly raft: CarriedRaft | undefined;
  /** Undefined: there was no journal of transactions, or the migration is incomplete. */
  readonly pending: CarriedPending | undefined;
  /**
   * First block that the node votes on if it is a validator; undefined: it is a Raft member, or the
   * migration is incomplete.
   */
  readonly votesFrom: number | undefined;
  /**
   * Undefined: the comparison was not requested, nothing was executed, or the migration was
   * interrupted.
   */
  readonly comparison: Comparison | undefined;
  /** Undefined under the same conditions as `comparison`. */
  readonly payloads: PayloadCount | undefined;
  readonly isWhole: boolean;
}

export interface MigrationParts {
  readonly source: GethSource;
  readonly target: string;
  readonly isVerified: boolean;
  /** Whether to execute every block, instead of copying the blocks and the newest states. */
  readonly isExecuted: boolean;
  /** Everything that the import needs for the opened chain. */
  importParts(opened: OpenChain): Promise<Omit<ImportParts, 'opened'>>;
}

const NOTHING_IMPORTED: ImportReport = { blocks: 0, known: 0, transactions: 0, elapsedMs: 0 };

/**
 * Rejects with GETH_…, GENESIS_…, MIGRATION_…, BLOCK_INVALID, STORE_… and the errors of disk and
 * manager.
 */
export async function migrateDatadir(parts: MigrationParts): Promise<MigrationReport> {
  const { source, target } = parts;
  const folder = storeFolder(target);
  const mark = join(folder, MIGRATING);
  checkTarget(parts, mark);
  makeFolder(folder, 0o700);
  writeFileSync(mark, `${realpathSync(source.folder)}\n`, { mode: 0o600, flush: true });
  const database = await openSource(source, join(folder, SCRATCH));
  try {
    const { text, isFileOlder } = migratedGenesis(readText(source.genesisFile), {
      path: source.genesisFile,
      stored: database.storedConfig(),
      hash: database.hashOf(0),
    });
    const genesisFile = join(folder, 'genesis.migrated.json');
    writeFileSync(genesisFile, text, { mode: 0o600 });
    const { isMps } = readGenesis(text, source.genesisFile).config;
    const base = parts.isExecuted ? undefined : newestState(database, isMps);
    const opened = await openChain(target, { genesisFile, isMigrating: true, base });
    rmSync(genesisFile);
    try {
      checkSameWay(parts, opened);
      checkSameChain(opened, database, source);
      const steps = await runSteps(parts, database, opened);
      const { isWhole } = steps;
      const files = carryFiles(source, target);
      const raft = await carryRaft(source, folder);
      const head = opened.store.head()!;
      const pending = isWhole ? await carryPending(source, opened.folder, opened.store) : undefined;
      const votesFrom = isWhole ? await beginVotes(opened, head.number + 1) : undefined;
      if (isWhole) rmSync(mark);
      return {
        head: { number: head.number, hash: bareHex(head.hash) },
        base: opened.store.base?.number,
        genesis: { isFileOlder },
        ...{ ...steps, files, raft, pending, votesFrom, isWhole },
      };
    } finally {
      await opened.close();
    }
  } finally {
    await database.close();
  }
}

/**
 * Lets validators vote at once, so that a network migrated as a whole makes blocks. GoQuorum stores
 * no votes: its validators forget them at every stop too.
 */
async function beginVotes(
  { genesis, votes }: OpenChain,
  height: number,
): Promise<number | undefined> {
  if (engineAt(genesis.config, height) === 'raft') return undefined;
  await votes.remember(memoryFrom(height));
  return height;
}

type Steps = Pick<
  MigrationReport,
  'copied' | 'copyCheck' | 'imported' | 'comparison' | 'payloads' | 'isWhole'
>;

/** Copies unless `--execute` is given, executes the rest, and compares. */
async function runSteps(
  parts: MigrationParts,
  database: ChainDatabase,
  opened: OpenChain,
): Promise<Steps> {
  const { source, isVerified } = parts;
  const { store } = opened;
  const importParts = await parts.importParts(opened);
  const { privateStates, clock, log, shouldStop } = importParts;
  const { isMps } = opened.genesis.config;
  const psis = isMps ? privateStates.psis : [];
  let copied: CopyReport | undefined;
  let copyCheck: CopyCheck | undefined;
  const memory = new ResidentMemory(async () => {
    await opened.folder.release();
    await database.release();
  });
  const nothing = {
    ...{ imported: NOTHING_IMPORTED, comparison: undefined, payloads: undefined },
    isWhole: false,
  };
  const count = async () =>
    isVerified
      ? countPayloads(store, opened.genesis.config, importParts.manager, memory)
      : undefined;
  if (isVerified && store.head()!.number === 0) {
    if (!(await checkFiles(source, { clock, log, shouldStop })))
      return { ...nothing, copied, copyCheck };
  }
  const rest = { opened, clock, log, memory, shouldStop };
  const defaults = importParts.consensusDefaults;
  const snapshots = store.base && snapshotKeeper({ opened, defaults, log }, store.base.number);
  if (store.base && !store.base.isWhole) {
    const copy = await copyChain({ ...{ database, psis, snapshots }, ...rest });
    copied = copy;
    if (!copy.isWhole) return { ...nothing, copied, copyCheck };
  }
  if (store.base && snapshots && !(await snapshots.keepRest(rest)))
    return { ...nothing, copied, copyCheck };
  if (store.base && isVerified && store.head()!.number === store.base.number) {
    copyCheck = await checkCopy({
      ...{ database, store, isMps, psis, memory, kv: opened.folder.kv },
    });
    if (copyCheck.difference) return { ...nothing, copied, copyCheck };
  }
  if (store.base && store.head()!.number === database.head.number) {
    return { ...nothing, copied, copyCheck, payloads: await count(), isWhole: true };
  }
  const blocks = blockSource(source, database, opened);
  const imported = await importFrom([blocks], { ...importParts, opened }).catch(rethrowWithCure);
  const isAtHead = store.head()!.number >= database.head.number;
  const comparison =
    isAtHead && isVerified && !store.base
      ? await compareWithSource({ database, store, privateStates, memory })
      : undefined;
  const isWhole = isAtHead && comparison?.difference === undefined;
  const payloads = isWhole ? await count() : undefined;
  return { copied, copyCheck, imported, comparison, payloads, isWhole };
}

/** Opens the source read-only. Closing it removes the scratch folder. */
export function openSource(source: GethSource, scratch: string): Promise<ChainDatabase> {
  const { chaindata, ancient } = source;
  return ChainDatabase.open({ chaindata, ancient, scratch });
}

function checkTarget({ source, target }: MigrationParts, mark: string): void {
  const store = storeFolder(target);
  const path = relative(realpathSync(source.folder), realPathOf(target));
  if (path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path)) {
    throw fail(
      'MIGRATION_TARGET',
      `${target} is in the node's own folder, which must stay as it is: name a new folder beside it with --datadir`,
    );
  }
  if (!existsSync(join(store, 'format'))) return;
  if (!existsSync(mark)) {
    throw fail(
      'MIGRATION_TARGET',
      `${target} holds a chain already: name a new folder with --datadir, or start it ("quorate node --datadir ${target}")`,
    );
  }
  const before = readText(mark).trim();
  if (before === realpathSync(source.folder)) return;
  throw fail(
    'MIGRATION_TARGET',
    `${target} holds the unfinished migration of ${before}: continue it, or delete ${store}`,
  );
}

/** Of a folder that may not exist yet. */
function realPathOf(folder: string): string {
  const path = resolve(folder);
  if (existsSync(path) || dirname(path) === path) return realpathSync(path);
  return join(realPathOf(dirname(path)), basename(path));
}

/** A migration must continue in the way in which it was started: copying, or executing. */
function checkSameWay({ target, isExecuted }: MigrationParts, { store }: OpenChain): void {
  if (isExecuted === (store.base === undefined)) return;
  const how = isExecuted ? 'without --execute' : 'with --execute';
  throw fail(
    'MIGRATION_TARGET',
    `${target} holds a migration that was started ${how}: continue ${how}, or delete ${storeFolder(target)}`,
  );
}

function checkSameChain({ store }: OpenChain, database: ChainDatabase, source: GethSource): void {
  const head = store.head()!;
  if (head.number <= database.head.number && equalBytes(database.hashOf(head.number), head.hash))
    return;
  throw fail(
    'MIGRATION_TARGET',
    `block ${head.number} here is not that of ${source.folder}: delete the target's folder "quorate" and start again`,
  );
}

function rethrowWithCure(error: Error): never {
  if (!hasCode(error, 'BLOCK_INVALID')) throw error;
  throw fail('BLOCK_INVALID', `${error.message}. ${COPY_AGAIN}`, { cause: error });
}

function blockSource(source: GethSource, database: ChainDatabase, { store }: OpenChain) {
  const memory = new ResidentMemory(() => database.release());
  return {
    name: source.chaindata,
    async *blocks() {
      const last = database.head.number;
      for (let number = store.head()!.number + 1; number <= last; number++) {
        yield database.block(number);
        if (number % BLOCKS_A_TURN > 0) continue;
        await new Promise(setImmediate);
        await memory.bound();
      }
    },
  };
}
