/** Opens the payload store that the configuration names: a folder of our own, or a PostgreSQL database. */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fail } from '../../core/base/errors.ts';
import type { Clock, Kv, Log } from '../../core/ports.ts';
import { openPostgres } from '../../io/database/postgres.ts';
import { parsePostgresUrl } from '../../io/database/postgres-address.ts';
import { lockDirectory } from '../../io/storage/directory-lock.ts';
import { openLmdbKv } from '../../io/storage/lmdb-kv.ts';
import { KvPayloadStore, PTM_TABLES } from './manager/kv-store.ts';
import type { PayloadStore } from './manager/store.ts';
import { prepareSchema } from './postgres-schema.ts';
import { PostgresPayloadStore } from './postgres-store.ts';

const STORE_FOLDER = 'payloads';
const FOLDER_MODE = 0o700;

/** A PostgreSQL database, as `--store` or `jdbc` names it. */
export interface DatabaseSource {
  readonly url: string;
  readonly user: string | undefined;
  readonly password: string | undefined;
  /** Make Tessera's tables where they are missing. */
  readonly createTables: boolean;
  readonly connectionsMax: number;
}

export interface StoreSource {
  /** Of the embedded store. */
  readonly dataFolder: string;
  /** Undefined: the embedded store. */
  readonly database?: DatabaseSource | undefined;
}

export interface OpenedStore {
  readonly store: PayloadStore;
  /** Waits for what is being written, then lets go. */
  close(): Promise<void>;
}

export function embeddedStorePath({ dataFolder }: StoreSource): string {
  return join(dataFolder, STORE_FOLDER);
}

/** Throws STORAGE_LOCKED where another process has the folder, STORAGE_UNREACHABLE where the database is away, STORAGE_…. */
export async function openStore(
  source: StoreSource,
  clock: Clock,
  say: Log,
  env: Readonly<Record<string, string | undefined>>,
): Promise<OpenedStore> {
  if (source.database) return openPostgresStore(source.database, clock, say, env);
  const path = embeddedStorePath(source);
  mkdirSync(path, { recursive: true, mode: FOLDER_MODE });
  const unlock = lockDirectory(source.dataFolder);
  try {
    return overKv(openLmdbKv({ path, tables: PTM_TABLES }), unlock);
  } catch (error) {
    unlock();
    throw error;
  }
}

/** Beside a manager that runs, or one that does not; nothing is locked or written. Throws STORAGE_…. */
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
  return overKv(openLmdbKv({ path, tables: PTM_TABLES, readOnly: true }));
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
  const database = openPostgres(address, source.connectionsMax);
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
