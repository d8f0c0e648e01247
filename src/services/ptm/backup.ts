/**
 * Snapshots of a running manager: payloads, configuration, key files; and restoring one
 * (docs/manager.md).
 */

import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fail } from '../../core/base/errors.ts';
import type { Clock, Log } from '../../core/base/ports.ts';
import { readJson } from '../../io/host/files.ts';
import { makeFolder } from '../../io/host/make-folder.ts';
import type { VaultEnv } from '../../io/keys/vault-types.ts';
import type { SnapshotReader } from '../../io/snapshot/reader.ts';
import type { SnapshotWriter } from '../../io/snapshot/writer.ts';
import type { PtmConfig } from './config/ptm-config.ts';
import { type DumpCounts, dumpStore, loadStore } from './dump.ts';
import { embeddedStorePath, openStore, openStoreToRead, type StoreSource } from './open-store.ts';

const PART = 'ptm';
const DUMP = `${PART}/payloads.dump`;
const CONFIG = `${PART}/config.json`;
const KEYS = 'keys';
const DATA = 'data';

export interface PtmHostParts {
  readonly clock: Clock;
  readonly say: Log;
  readonly env: VaultEnv;
}

type Fields = Record<string, unknown>;

/**
 * Takes the manager's snapshot, after the node's: a payload reaches its manager before its
 * transaction reaches any node, so that no private transaction in the node's snapshot lacks its
 * payload. Password files are omitted: a key and its password do not belong together.
 */
export async function backupPtm(
  config: PtmConfig,
  configFile: string,
  writer: SnapshotWriter,
  host: PtmHostParts,
  onBytes: (count: number) => void,
): Promise<DumpCounts> {
  const opened = await openStoreToRead(config, host.clock, host.say, host.env);
  let counts: DumpCounts;
  try {
    counts = await dumpStore(opened.store, writer.pathOf(DUMP), onBytes);
  } finally {
    await opened.close();
  }
  await writer.note(DUMP);
  const text = readJson(configFile) as Fields;
  await writer.write(CONFIG, `${JSON.stringify(await portable(text, config, writer), null, 2)}\n`);
  writer.part(PART, { ...counts, store: config.database ? 'postgresql' : 'embedded' });
  return counts;
}

/** The configuration inside the snapshot: with key files and the embedded store next to it. */
async function portable(text: Fields, config: PtmConfig, writer: SnapshotWriter): Promise<Fields> {
  const keys = (text.keys ?? {}) as Fields;
  const keyData = [...((keys.keyData ?? []) as Fields[])];
  for (const [i, source] of config.keys.entries()) {
    if (source.kind !== 'files') continue;
    const name = `${KEYS}/${i}`;
    await writer.copy(source.publicKeyPath, `${PART}/${name}.pub`);
    await writer.copy(source.privateKeyPath, `${PART}/${name}.key`);
    keyData[i] = { ...keyData[i], publicKeyPath: `${name}.pub`, privateKeyPath: `${name}.key` };
  }
  const passwordFile = config.keys.find(({ password }) => password.file !== undefined)?.password
    .file;
  return {
    ...text,
    keys: { ...keys, keyData, ...(passwordFile === undefined ? {} : { passwordFile }) },
    quorate: { ...((text.quorate ?? {}) as Fields), dataDir: DATA },
  };
}

/**
 * Restores configuration and key files into a new folder, but no payloads: `loadPtm` does that.
 * Returns the configuration's path.
 */
export async function restorePtmFolder(snapshot: SnapshotReader, folder: string): Promise<string> {
  const files = ptmFiles(snapshot).filter(({ path }) => path !== DUMP);
  if (existsSync(folder) && readdirSync(folder).length > 0) {
    throw notEmpty(`the folder ${folder}`, 'restore into a new folder, or move the old one away');
  }
  for (const file of files) {
    await snapshot.extract(file, join(folder, file.path.slice(PART.length + 1)));
  }
  return resolve(folder, 'config.json');
}

/** Throws RESTORE_TARGET_NOT_EMPTY, SNAPSHOT_… or STORAGE_…. */
export async function loadPtm(
  snapshot: SnapshotReader,
  source: StoreSource,
  host: PtmHostParts,
  onBytes: (count: number) => void,
): Promise<DumpCounts> {
  const dump = ptmFiles(snapshot).find(({ path }) => path === DUMP);
  if (!dump) throw partMissing(snapshot);
  const file = snapshot.pathOf(dump);
  if (source.database) return loadInto(source, file, host, onBytes);
  const folder = source.dataFolder;
  if (existsSync(embeddedStorePath(source))) {
    throw notEmpty(`the payload store in ${folder}`, 'move the folder away');
  }
  // The store gets its name only when it is complete.
  const partial = `${folder}.restoring`;
  rmSync(partial, { recursive: true, force: true });
  const counts = await loadInto({ dataFolder: partial }, file, host, onBytes);
  makeFolder(folder, 0o700);
  renameSync(embeddedStorePath({ dataFolder: partial }), embeddedStorePath(source));
  rmSync(partial, { recursive: true });
  return counts;
}

async function loadInto(
  source: StoreSource,
  file: string,
  host: PtmHostParts,
  onBytes: (count: number) => void,
): Promise<DumpCounts> {
  const opened = await openStore(source, host.clock, host.say, host.env);
  try {
    const { store } = opened;
    const held = [...(await store.page(1)), ...(await store.rawPage(1)), ...(await store.groups())];
    if (held.length > 0) {
      throw notEmpty(
        'the database',
        'name an empty one, and delete what an interrupted restore left',
      );
    }
    return await loadStore(store, file, onBytes);
  } finally {
    await opened.close();
  }
}

function ptmFiles(snapshot: SnapshotReader) {
  const files = snapshot.below(PART);
  if (files.length === 0) throw partMissing(snapshot);
  return files;
}

function partMissing({ folder }: SnapshotReader): Error {
  return fail(
    'SNAPSHOT_PART_MISSING',
    `${folder} holds no private transaction manager: omit --ptmdir and --configfile`,
  );
}

function notEmpty(what: string, how: string): Error {
  return fail('RESTORE_TARGET_NOT_EMPTY', `${what} is not empty: ${how}`);
}
