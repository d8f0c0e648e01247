/** Opens the configured payload store: our own folder, or a PostgreSQL database. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fail, hasCode } from '../../core/base/errors.ts';
import type { Clock, Kv, Log } from '../../core/base/ports.ts';
import { openPostgres } from '../../io/database/postgres.ts';
import { parsePostgresUrl } from '../../io/database/postgres-address.ts';
import { checkDiskRoom } from '../../io/host/disk-room.ts';
import { makeFolder } from '../../io/host/make-folder.ts';
import { lockDirectory } from '../../io/storage/directory-lock.ts';
import { type LmdbOptions, type OpenLmdb, openLmdbKv } from '../../io/storage/lmdb-kv.ts';
import { KvPayloadStore, PTM_TABLES, prepareFormat } from './manager/kv-store.ts';
import type { PayloadStore } from './manager/store.ts';
import { prepareSchema } from './postgres-schema.ts';
import { PostgresPayloadStore } from './postgres-store.ts';
import { checkStamp, noteWritten, olderThanNoted, writeStamp } from './store-stamp.ts';

const STORE_FOLDER = 'payloads';
const FOLDER_MODE = 0o700;
/**
 * Pages checked at every start, before the file is used: a file of 200 MB completely, in half a
 * second.
 */
const CHECKED_PAGES = 50_000;
/** Rows whose checksums are verified at every start: about 300 ms. */
const CHECKED_ROWS = 20_000;
const CHECKED_PAGE_ROWS = 256;
const FIRST_FORMAT =
  'The payload store is of version 0.1.0: it is read as it is, and what is written from now on has a checksum. To go back, take a snapshot with "quorate backup" and restore it with 0.1.0';

const OLDER_COPY = 'The payload store is an older copy: payloads may be missing';
const RECOVER = 'stop this manager, then fetch them from the peers with "quorate ptm recover"';

/** A PostgreSQL database, as `--store` or `jdbc` names it. */
export interface DatabaseSource {
  readonly url: string;
  readonly user: string | undefined;
  readonly password: string | undefined;
  /** Create Tessera's tables if they are missing. */
  readonly createTables: boolean;
  readonly connectionsMax: number;
}

export interface StoreSource {
  /** The folder of the embedded store. */
  readonly dataFolder: string;
  /** Undefined: the embedded store. */
  readonly database?: DatabaseSource | undefined;
}

export interface OpenedStore {
  readonly store: PayloadStore;
  /** The size of an embedded store. */
  readonly size?: () => { readonly payloads: number; readonly bytes: number };
  /** Waits for pending writes, then closes. */
  close(): Promise<void>;
}

export function embeddedStorePath({ dataFolder }: StoreSource): string {
  return join(dataFolder, STORE_FOLDER);
}

/**
 * `mayBeGone`: a missing former store is created again. Throws STORAGE_LOCKED when another process
 * uses the folder, STORAGE_MISSING, STORAGE_DAMAGED, STORAGE_FORMAT_NEWER, STORAGE_UNREACHABLE when
 * the database does not answer, STORAGE_….
 */
export async function openStore(
  source: StoreSource,
  clock: Clock,
  say: Log,
  env: Readonly<Record<string, string | undefined>>,
  mayBeGone = false,
): Promise<OpenedStore> {
  if (source.database) return openPostgresStore(source.database, clock, say, env);
  const path = embeddedStorePath(source);
  checkDiskRoom(path);
  makeFolder(path, FOLDER_MODE);
  const unlock = lockFolder(source.dataFolder);
  let kv: OpenLmdb | undefined;
  try {
    checkStamp(source.dataFolder, path, mayBeGone);
    kv = openFile({ path, tables: PTM_TABLES, checkPages: CHECKED_PAGES });
    const found = await prepareFormat(kv, source.dataFolder, false);
    writeStamp(source.dataFolder);
    if (found === 1) say('info', FIRST_FORMAT, { folder: source.dataFolder });
    const older = olderThanNoted(source.dataFolder, path);
    if (older !== undefined) say('error', OLDER_COPY, { folder: path, why: older, cure: RECOVER });
    const opened = overKv(kv, () => {
      noteWritten(source.dataFolder, path);
      unlock();
    });
    await sayDamaged(opened.store, kv, path, say);
    const lmdb = kv;
    const size = () => ({ payloads: lmdb.count('payloads'), bytes: bytesIn(path) });
    return { ...opened, size };
  } catch (error) {
    await kv?.close();
    unlock();
    throw error;
  }
}

/**
 * Reports damaged rows. A damaged key hides its payload: either the row is at the wrong position,
 * which its checksum reveals, or lmdb counts more rows than are found.
 */
async function sayDamaged(
  store: PayloadStore,
  lmdb: OpenLmdb,
  path: string,
  say: Log,
): Promise<void> {
  let rows = 0;
  for (const [table, pageOf] of [
    ['payloads', store.page.bind(store)],
    ['raw', store.rawPage.bind(store)],
  ] as const) {
    const count = lmdb.count(table);
    let looked = 0;
    for (let page = await pageOf(CHECKED_PAGE_ROWS); page.length > 0 && looked < CHECKED_ROWS; ) {
      rows += page.filter(([, payload]) => payload === undefined).length;
      looked += page.length;
      page = await pageOf(CHECKED_PAGE_ROWS, page.at(-1)![0]);
    }
    if (looked < CHECKED_ROWS) rows += Math.abs(count - looked);
  }
  if (rows === 0) return;
  say('error', 'Payloads are damaged or missing', {
    ...{ folder: path, rows },
    cure: 'stop this manager, then run "quorate ptm repair", which requests them from the peers, or "quorate restore"',
  });
}

/** Works while the manager runs or is stopped; locks and writes nothing. Throws STORAGE_…. */
export async function openStoreToRead(
  source: StoreSource,
  clock: Clock,
  say: Log,
  env: Readonly<Record<string, string | undefined>>,
): Promise<OpenedStore> {
  if (source.database) return openPostgresStore(source.database, clock, say, env);
  const path = embeddedStorePath(source);
  if (!existsSync(path)) {
    throw fail('STORAGE_MISSING', `there is no payload store in ${source.dataFolder}`);
  }
  const kv = openFile({
    path,
    tables: PTM_TABLES,
    readOnly: true,
    // A running manager changes pages during the check, and has checked them itself at its start.
    ...(isInUse(source.dataFolder) ? {} : { checkPages: Number.POSITIVE_INFINITY }),
  });
  try {
    await prepareFormat(kv, source.dataFolder, true);
  } catch (error) {
    await kv.close();
    throw error;
  }
  return overKv(kv);
}

/** Throws STORAGE_DAMAGED with what to do about it. */
function openFile(options: LmdbOptions): OpenLmdb {
  try {
    return openLmdbKv(options);
  } catch (error) {
    if (!hasCode(error, 'STORAGE_DAMAGED')) throw error;
    throw fail(
      'STORAGE_DAMAGED',
      `${error.message}. Move ${options.path} away, then restore a snapshot ("quorate restore") or fetch the payloads from the peers ("quorate ptm recover")`,
      { data: error.data },
    );
  }
}

function bytesIn(folder: string): number {
  const sizes = readdirSync(folder).map((name) => statSync(join(folder, name)).size);
  return sizes.reduce((sum, size) => sum + size, 0);
}

function isInUse(folder: string): boolean {
  try {
    lockDirectory(folder)();
    return false;
  } catch (error) {
    if (hasCode(error, 'STORAGE_LOCKED')) return true;
    throw error;
  }
}

/** Throws STORAGE_LOCKED. */
function lockFolder(folder: string): () => void {
  try {
    return lockDirectory(folder);
  } catch (error) {
    if (!hasCode(error, 'STORAGE_LOCKED')) throw error;
    const { pid } = (error.data ?? {}) as { pid?: number };
    throw fail(
      'STORAGE_LOCKED',
      `the payload store in ${folder} is in use by process ${pid ?? 'unknown'}: stop that one first, or give each manager its own quorate.dataDir`,
      { data: error.data },
    );
  }
}

export function overKv(kv: Kv, unlock: () => void = () => undefined): OpenedStore {
  const store = new KvPayloadStore(kv);
  return {
    store,
    async close() {
      await store.settled();
      await kv.close().finally(unlock);
    },
  };
}

async function openPostgresStore(
  source: DatabaseSource,
  clock: Clock,
  say: Log,
  env: Readonly<Record<string, string | undefined>>,
): Promise<OpenedStore> {
  const address = parsePostgresUrl(source.url, {
    user: source.user ?? env.PGUSER,
    password: source.password ?? env.PGPASSWORD,
  });
  const database = await openPostgres(address, source.connectionsMax);
  try {
    const { warnings } = await prepareSchema(database, source.createTables);
    for (const warning of warnings) say('warn', warning, { database: database.place });
  } catch (error) {
    await database.close();
    throw error;
  }
  say('info', 'Payloads are kept in PostgreSQL', { database: database.place });
  const store = new PostgresPayloadStore(database, clock);
  return {
    store,
    async close() {
      await store.settled();
      await database.close();
    },
  };
}
