/**
 * Migrates a stopped Tessera: its configuration, keys and payloads (docs/migration.md).
 */
import { chmodSync, existsSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { fail } from '../../../core/base/errors.ts';
import type { Log } from '../../../core/base/ports.ts';
import type { PublicKey } from '../../../core/payload/payload.ts';
import { isPostgresUrl } from '../../../io/database/postgres-address.ts';
import { systemClock } from '../../../io/host/clock.ts';
import { systemEntropy } from '../../../io/host/entropy.ts';
import { readJson } from '../../../io/host/files.ts';
import { makeFolder } from '../../../io/host/make-folder.ts';
import type { VaultEnv } from '../../../io/keys/vault-types.ts';
import { loadEnclaveCrypto } from '../../../io/sodium/nacl.ts';
import { type CheckReport, checkPtm } from '../check.ts';
import type { SecretSource } from '../config/jasypt.ts';
import { loadKey } from '../config/key-sources.ts';
import { applyOverrides } from '../config/overrides.ts';
import type { PtmConfig, PtmServer } from '../config/ptm-config.ts';
import { readTesseraConfig } from '../config.ts';
import { Enclave } from '../manager/enclave.ts';
import { checkResidentGroups } from '../manager/groups.ts';
import { openStore, openStoreToRead } from '../open-store.ts';
import {
  comparePayloads,
  type MovedCounts,
  movePayloads,
  type PayloadComparison,
} from './move-payloads.ts';
import { tesseraDatabase } from './tessera-database.ts';
import type { TesseraRows } from './tessera-rows.ts';
import { writtenConfig } from './written-config.ts';

const CONFIG = 'config.json';
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
const CONNECT_MS = 2_000;
const PROGRESS_MS = 5_000;

export interface ManagerMigration {
  readonly configFile: string;
  readonly overrides: readonly string[];
  readonly secrets: SecretSource;
  /** The new folder; undefined: only a dry run. */
  readonly target: string | undefined;
  /** An export of the database, if the database itself is not read. */
  readonly dump: string | undefined;
  /** Leaves the payloads in Tessera's PostgreSQL database. */
  readonly isInPlace: boolean;
  readonly withoutDamaged: boolean;
  readonly env: VaultEnv;
  readonly say: Log;
}

export interface ManagerReport {
  readonly place: string;
  readonly keys: readonly PublicKey[];
  readonly config: PtmConfig;
  readonly warnings: readonly string[];
  /** Servers of Tessera that answer. Empty when it is stopped. */
  readonly answering: readonly string[];
  /** Undefined: nothing was written. */
  readonly moved: MovedCounts | undefined;
  readonly comparison: PayloadComparison | undefined;
  readonly check: CheckReport | undefined;
}

/**
 * Throws PTM_CONFIG_INVALID, PTM_KEY_…, PTM_SOURCE_…, SQL_DUMP_INVALID, MIGRATION_TARGET_NOT_EMPTY,
 * STORAGE_….
 */
export async function migrateManager(work: ManagerMigration): Promise<ManagerReport> {
  const { config, warnings } = await readTesseraConfig(
    work.configFile,
    work.overrides,
    work.secrets,
  );
  const crypto = await loadEnclaveCrypto();
  const keys = await Promise.all(config.keys.map((key) => loadKey(key, crypto, work.env)));
  const enclave = new Enclave({ keys, forwardingKeys: [], crypto, entropy: systemEntropy });
  checkResidentGroups(config.residentGroups, enclave.publicKeys);
  const root = rawConfig(work);
  const source = sourceOf(root, config, work);
  const answering = await answeringServers(config.servers);
  const seen = { place: source.place, keys: enclave.publicKeys, config, answering };
  const told = { ...seen, warnings: warnings.filter((text) => !text.startsWith('jdbc: ')) };
  if (work.target === undefined) {
    return { ...told, moved: undefined, comparison: undefined, check: undefined };
  }
  if (answering.length > 0) {
    throw fail(
      'PTM_SOURCE_RUNS',
      `Tessera still answers at ${answering[0]}: stop it first, or what is sent to it from now on would be missing (--dry-run works while it runs)`,
    );
  }
  return { ...told, ...(await take(work, { target: work.target, root, config, source, enclave })) };
}

interface Taking {
  readonly target: string;
  readonly root: Readonly<Record<string, unknown>>;
  readonly config: PtmConfig;
  readonly source: TesseraRows;
  readonly enclave: Enclave;
}

/** The target gets its name only when it is complete and equal to the source. */
async function take(
  work: ManagerMigration,
  { target, root, config, source, enclave }: Taking,
): Promise<Pick<ManagerReport, 'moved' | 'comparison' | 'check'>> {
  const { isInPlace, say, env, withoutDamaged } = work;
  if (existsSync(target) && readdirSync(target).length > 0) {
    throw fail(
      'MIGRATION_TARGET_NOT_EMPTY',
      `the folder ${target} is not empty: name a new one, or move it away`,
    );
  }
  const partial = `${target}.partial`;
  rmSync(partial, { recursive: true, force: true });
  makeFolder(partial, FOLDER_MODE);
  const folder = dirname(resolve(work.configFile));
  const written = writtenConfig(root, { folder, target: partial, keys: config.keys, isInPlace });
  const file = join(partial, CONFIG);
  writeFileSync(file, `${JSON.stringify(written, null, 2)}\n`, { mode: FILE_MODE });
  if (existsSync(join(partial, 'keys'))) {
    for (const name of readdirSync(join(partial, 'keys')))
      chmodSync(join(partial, 'keys', name), FILE_MODE);
  }
  const now = (await readTesseraConfig(file, [], work.secrets)).config;
  const moved = isInPlace
    ? undefined
    : await into(now, work, (store) =>
        movePayloads(source, store, {
          enclave,
          withoutDamaged,
          onRows: counted('taken over', say),
        }),
      );
  const opened = await openStoreToRead(now, systemClock, say, env);
  let comparison: PayloadComparison;
  try {
    const onRows = counted('compared', say);
    comparison = await comparePayloads(source, opened.store, { enclave, onRows });
  } finally {
    await opened.close();
  }
  const check = await checkPtm(now, { say, env });
  if (comparison.difference === undefined) {
    rmSync(target, { recursive: true, force: true });
    renameSync(partial, target);
  }
  return { moved, comparison, check };
}

async function into<T>(
  config: PtmConfig,
  { say, env }: ManagerMigration,
  work: (store: Awaited<ReturnType<typeof openStore>>['store']) => Promise<T>,
): Promise<T> {
  const opened = await openStore(config, systemClock, say, env);
  try {
    return await work(opened.store);
  } finally {
    await opened.close();
  }
}

/** Tessera's file with the overrides; its secrets stay encrypted. */
function rawConfig({ configFile, overrides }: ManagerMigration): Readonly<Record<string, unknown>> {
  const root = readJson(configFile);
  applyOverrides(root, overrides);
  return root as Readonly<Record<string, unknown>>;
}

function sourceOf(
  root: Readonly<Record<string, unknown>>,
  { database }: PtmConfig,
  { dump, isInPlace, configFile, env }: ManagerMigration,
): TesseraRows {
  const jdbc = (root.jdbc ?? {}) as { readonly url?: unknown; readonly username?: unknown };
  const url = typeof jdbc.url === 'string' ? jdbc.url : undefined;
  if (isInPlace && (url === undefined || !isPostgresUrl(url) || dump !== undefined)) {
    throw fail(
      'OPTION_REFUSED',
      '--in-place is for PostgreSQL: other databases are copied into a store of the new manager',
    );
  }
  const named = url === undefined ? undefined : { url, user: undefined, password: undefined };
  return tesseraDatabase(database ?? named, { dump, env, folder: dirname(resolve(configFile)) });
}

async function answeringServers(servers: readonly PtmServer[]): Promise<string[]> {
  const asked = await Promise.all(
    servers.map(async ({ address }) => {
      const place =
        address.kind === 'unix'
          ? { path: address.path }
          : {
              port: address.port,
              host: /^(0\.0\.0\.0|::)$/.test(address.host) ? '127.0.0.1' : address.host,
            };
      const name = address.kind === 'unix' ? address.path : `${address.host}:${address.port}`;
      return (await answers(place)) ? [name] : [];
    }),
  );
  return asked.flat();
}

function answers(place: { path: string } | { port: number; host: string }): Promise<boolean> {
  if ('port' in place && place.port === 0) return Promise.resolve(false);
  return new Promise((done) => {
    const socket = connect({ ...place, timeout: CONNECT_MS });
    const end = (isThere: boolean) => {
      socket.destroy();
      done(isThere);
    };
    socket.once('connect', () => end(true));
    socket.once('timeout', () => end(false));
    socket.once('error', () => end(false));
  });
}

function counted(what: string, say: Log): (count: number) => void {
  let rows = 0;
  const begun = performance.now();
  let next = begun + PROGRESS_MS;
  return (count) => {
    rows += count;
    const now = performance.now();
    if (now < next) return;
    next = now + PROGRESS_MS;
    const rate = Math.round((rows * 1_000) / (now - begun));
    say('info', `payloads ${what}`, { count: rows, 'a second': rate });
  };
}
