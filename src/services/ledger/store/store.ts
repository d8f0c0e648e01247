/**
 * Opens the chain store of a folder. An index that is damaged, or does not match the log, is
 * rebuilt from the log, once.
 */
import { fail, hasCode, type QuorateError } from '../../../core/base/errors.ts';
import type { Log } from '../../../core/base/ports.ts';
import type { TransactionDialect } from '../../../core/chain/transaction.ts';
import type { Psi } from '../../../core/privacy/inputs.ts';
import { ChainStore } from '../../../core/store/chain-store.ts';
import {
  BASE_FORMAT_VERSION,
  FORMAT_VERSION,
  PRUNED_FORMAT_VERSION,
} from '../../../core/store/format.ts';
import type { Seals } from '../../../core/store/seals.ts';
import { steadyClock } from '../../../io/host/clock.ts';
import { memoryOfProcess } from '../../../io/host/memory.ts';
import {
  type DataFolder,
  openDataFolder,
  readFormat,
  stampFormat,
} from '../../../io/storage/data-folder.ts';
import { isIndexDamageNoted } from '../../../io/storage/index-state.ts';
import { Progress } from '../../../io/telemetry/progress.ts';
import { trieMemory } from './trie-memory.ts';

const MB = 1_000_000;
/** Interval for checking whether a reader thread has found damage. */
const LOOK_MS = 1_000;

interface StoreOptions {
  readonly dialect: TransactionDialect;
  readonly reindex: boolean;
  readonly seals: Seals;
  readonly log: Log;
  readonly onFault: ((error: unknown) => void) | undefined;
  /** Undefined: the default. */
  readonly checkpointBytes: number | undefined;
  /** Undefined: the states of all blocks are kept. */
  readonly keptStates: number | undefined;
  beforeRewind(target: Psi | 'all', to: number): Promise<void>;
}

interface OpenStore {
  readonly data: DataFolder;
  readonly store: ChainStore;
  stopLooking(): void;
}

/** Throws STORE_… and STORAGE_…. */
export async function openStore(folder: string, options: StoreOptions): Promise<OpenStore> {
  try {
    return await openOnce(folder, options);
  } catch (error) {
    const isOfIndex = hasCode(error, 'STORE_INDEX_DAMAGED') || hasCode(error, 'STORE_INDEX_UNFIT');
    if (!isOfIndex || options.reindex) throw withoutCure(error);
    options.log('warn', 'The index is rebuilt from the block log', { why: error.message });
  }
  return openOnce(folder, { ...options, reindex: true }).catch((error: unknown) => {
    throw withoutCure(error);
  });
}

async function openOnce(
  folder: string,
  {
    dialect,
    reindex,
    seals,
    log,
    onFault,
    checkpointBytes,
    keptStates,
    beforeRewind,
  }: StoreOptions,
): Promise<OpenStore> {
  let isOpen = false;
  const data = await openDataFolder(folder, {
    reindex,
    onDrop: (why) => log('warn', 'The index is rebuilt from the block log', { why }),
    onDamage: (error) => isOpen && onFault?.(error),
    writesInThread: !onFault,
  });
  try {
    const store = await ChainStore.open({
      log: data.log,
      kv: data.kv,
      clock: steadyClock,
      dialect,
      seals,
      keptStates,
      beforePruning: () => stampFormat(folder, PRUNED_FORMAT_VERSION),
      beforeRewind,
      onDamage: data.noteDamage,
      onReplay: progress(log),
      // Only a node has clients, and only it ends by itself.
      ...(onFault ? { onFault } : { hasClients: false, trieMemory: trieMemory(memoryOfProcess()) }),
      ...(checkpointBytes === undefined ? {} : { checkpointBytes }),
    });
    checkStamp(folder, store);
    isOpen = true;
    const look = setInterval(() => {
      if (isIndexDamageNoted(folder)) onFault?.(damageOfReader());
    }, LOOK_MS);
    look.unref();
    return { data, store, stopLooking: () => clearInterval(look) };
  } catch (error) {
    await data.kv.close();
    data.close();
    throw error;
  }
}

/**
 * An index that was rebuilt may have all states again; a lost stamp was replaced by an older one.
 */
function checkStamp(folder: string, store: ChainStore): void {
  const { isPruned } = store;
  if (isPruned === (readFormat(folder) === PRUNED_FORMAT_VERSION)) return;
  const whole = store.base ? BASE_FORMAT_VERSION : FORMAT_VERSION;
  stampFormat(folder, isPruned ? PRUNED_FORMAT_VERSION : whole);
}

function progress(log: Log): (bytes: number, ofBytes: number) => void {
  const told = new Progress(steadyClock, log);
  return (bytes, ofBytes) =>
    told.tell('Reading the block log', bytes / ofBytes, () => ({
      ...{ bytes, ofBytes, 'MB/s': told.perSecond(bytes / MB) },
    }));
}

function damageOfReader(): QuorateError {
  return fail(
    'STORE_INDEX_DAMAGED',
    'the folder "index" is damaged: a reader has found an invalid row. The next start rebuilds it from the block log',
  );
}

/** Converts the error after the index was just rebuilt: then the log itself is damaged. */
function withoutCure(error: unknown): unknown {
  if (!hasCode(error, 'STORE_INDEX_UNFIT')) return error;
  return fail(
    'STORE_CORRUPT',
    `the block log does not lead to the roots of its own headers (${error.message.split('. ')[0]}): restore the folder "blocks" from a backup, or delete the folder "quorate" and sync or "quorate import" again`,
    { cause: error },
  );
}
