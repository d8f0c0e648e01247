/**
 * Sources of many keys: folders of configurations and keystores. A damaged file is skipped, counted
 * and logged by name.
 */

import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Address } from '../../../core/base/bytes.ts';
import { fail, hasCode } from '../../../core/base/errors.ts';
import { bareHex, toHex } from '../../../core/base/hex.ts';
import type { Log } from '../../../core/base/ports.ts';
import { reasonOf } from '../../../io/host/reason.ts';
import { inParallel } from '../../../io/threads/parallel.ts';
import { listAzureKeys, listKmsKeys } from './cloud-keys.ts';
import type { KeyConfig } from './key-config.ts';
import type { LoadedKey } from './key-ring.ts';
import { type KeyContext, openKey } from './open-key.ts';
import {
  type AwsFilter,
  type AzureFilter,
  CONFIG_FILE_BYTES_MAX,
  type KeySettings,
  type KeystoreFolder,
} from './settings.ts';
import { accountOfFileName, readTomlConfig } from './toml-configs.ts';
import { readKeyConfigs } from './yaml-configs.ts';

const FILES_AT_ONCE = 64;
const TOML_BYTES_MAX = 1024 * 1024;
/** Folders with this many files report progress, once per tenth. */
const PROGRESS_FILES_MIN = 1000;
const PROGRESS_STEPS = 10;
const KEY_TIMEOUT_MS = 60_000;

export interface LoadContext extends KeyContext {
  readonly log: Log;
  readonly settings: KeySettings;
}

export interface SourceKeys {
  readonly keys: readonly LoadedKey[];
  readonly errors: number;
}

/** A source of keys; `id` is its name in Web3Signer's /healthcheck. */
export interface KeySource {
  readonly id: string;
  load(context: LoadContext): Promise<SourceKeys>;
}

/** Loads keys one after another: rejects with the first failure. */
export function namedKeys(configs: readonly KeyConfig[]): KeySource {
  return {
    id: 'named-keys-loading',
    async load(context) {
      const keys: LoadedKey[] = [];
      for (const config of configs) keys.push(await openKey(config, context));
      return { keys, errors: 0 };
    },
  };
}

/** Web3Signer's folder of YAML files. If it is the default folder, unrelated files are skipped. */
export function yamlFolder(path: string, isImplied: boolean): KeySource {
  return {
    id: 'config-files-loading',
    async load(context) {
      const bytesMax = context.settings.configFileBytesMax ?? CONFIG_FILE_BYTES_MAX;
      const names = (await namesIn(path)).filter((name) => /\.ya?ml$/i.test(name));
      return loadEach(names, context, async (name, add) => {
        const file = join(path, name);
        const configs = configsIn(await readText(file, bytesMax), path, isImplied);
        // A file is loaded completely or not at all.
        const keys: LoadedKey[] = [];
        for (const config of configs) keys.push(await inTime(openKey(config, context), context));
        for (const key of keys) add(key);
      });
    },
  };
}

function configsIn(text: string, path: string, isImplied: boolean): KeyConfig[] {
  try {
    return readKeyConfigs(text, path);
  } catch (error) {
    if (isImplied && hasCode(error, 'KEY_CONFIG_FOREIGN')) return [];
    throw error;
  }
}

/** EthSigner's folder of TOML files. If two files have the same account, neither is used. */
export function tomlFolder(path: string): KeySource {
  return {
    id: 'config-files-loading',
    async load(context) {
      const files = new Map<string, { readonly name: string; readonly account: Address }[]>();
      for (const name of await namesIn(path)) {
        const account = accountOfFileName(name);
        if (!account) continue;
        const key = bareHex(account);
        files.set(key, [...(files.get(key) ?? []), { name, account }]);
      }
      const lists = [...files.values()];
      return loadEach(lists, context, async (list, add) => {
        const [{ name, account }, more] = list as [(typeof list)[0], (typeof list)[0]?];
        if (more) {
          throw fail(
            'KEY_AMBIGUOUS',
            `Found multiple signing metadata TOML file matches for filter ${bareHex(account)}`,
          );
        }
        const source = await readText(join(path, name), TOML_BYTES_MAX);
        const config = readTomlConfig(source, name, path);
        add(await inTime(openKey(config, context, account), context));
      });
    },
  };
}

/** A folder of keystores. */
export function keystoreFolder({ path, passwords }: KeystoreFolder): KeySource {
  const passwordOf = (name: string): string =>
    passwords.kind === 'file'
      ? passwords.path
      : join(passwords.path, `${name.slice(0, -'.json'.length)}.txt`);
  return {
    id: 'v3-keystores-bulk-loading',
    async load(context) {
      const names = (await namesIn(path)).filter((name) => /\.json$/i.test(name));
      return loadEach(names, context, async (name, add) => {
        const password = { path: passwordOf(name), take: 'whole', mayBeEmpty: true } as const;
        const config = { kind: 'keystore', path: join(path, name), password } as const;
        add(await inTime(openKey(config, context), context));
      });
    },
  };
}

/** A folder of files with one hex key each, whatever their names. */
export function hexFolder(path: string): KeySource {
  return {
    id: 'hex-files-loading',
    async load(context) {
      return loadEach(await namesIn(path), context, async (name, add) => {
        const config = { kind: 'hexFile', path: join(path, name) } as const;
        add(await inTime(openKey(config, context), context));
      });
    },
  };
}

/** All keys of an Azure vault, or those with some tags. */
export function azureKeysOf(filter: AzureFilter): KeySource {
  return bulk('azure-bulk-loading', ({ clouds }) => listAzureKeys(filter, clouds));
}

/** All keys of AWS KMS in a region, or those with some tags. */
export function awsKeysOf(filter: AwsFilter): KeySource {
  return bulk('aws-bulk-loading', ({ clouds }) => listKmsKeys(filter, clouds));
}

/** COMPAT: a failed list counts as one error; the other sources still work. */
function bulk(id: string, list: (context: LoadContext) => Promise<KeyConfig[]>): KeySource {
  return {
    id,
    async load(context) {
      let configs: KeyConfig[];
      try {
        configs = await list(context);
      } catch (error) {
        context.log('error', 'Keys cannot be listed', { source: id, error });
        return { keys: [], errors: 1 };
      }
      return loadEach(configs, context, async (config, add) =>
        add(await inTime(openKey(config, context), context)),
      );
    },
  };
}

/** Names in the folder, sorted, without hidden files. */
async function namesIn(path: string): Promise<string[]> {
  try {
    return (await readdir(path)).filter((name) => !name.startsWith('.')).sort();
  } catch (cause) {
    const text = `the folder of keys ${path} cannot be read: ${reasonOf(cause)}`;
    throw fail('KEYS_FOLDER_UNREADABLE', text, { cause, data: { path } });
  }
}

async function readText(path: string, bytesMax: number): Promise<string> {
  const { size } = await stat(path);
  if (size > bytesMax) {
    throw fail('KEY_FILE_TOO_LARGE', `${path} is larger than ${bytesMax} bytes`);
  }
  return readFile(path, 'utf8');
}

/** Calls `load` for many items at a time; the keys are in the order of the items. */
async function loadEach<T>(
  items: readonly T[],
  { log }: LoadContext,
  load: (item: T, add: (key: LoadedKey) => void) => Promise<void>,
): Promise<SourceKeys> {
  const found: LoadedKey[][] = items.map(() => []);
  const tell = progress(items.length, log);
  let errors = 0;
  await inParallel(items, FILES_AT_ONCE, async (item, index) => {
    try {
      await load(item, (key) => found[index]!.push(key));
    } catch (error) {
      errors += 1;
      log('error', 'Error converting signing metadata to Artifact Signer', {
        source: labelOf(item),
        error,
      });
    }
    tell();
  });
  return { keys: found.flat(), errors };
}

function progress(total: number, log: Log): () => void {
  const step = Math.ceil(total / PROGRESS_STEPS);
  let done = 0;
  return () => {
    done += 1;
    if (total < PROGRESS_FILES_MIN || (done % step !== 0 && done !== total)) return;
    log('info', 'Loading keys', { done, total });
  };
}

/** Name of the item, or of the first of several, for messages; never its content. */
function labelOf(item: unknown): string {
  if (typeof item === 'string') return item;
  if (Array.isArray(item)) return labelOf(item[0]);
  const { name, keyName, keyId } = item as Readonly<Record<string, unknown>>;
  const label = name ?? keyName ?? keyId;
  return typeof label === 'string' ? label : 'unnamed';
}

async function inTime(key: Promise<LoadedKey>, { settings }: LoadContext): Promise<LoadedKey> {
  const limitMs = settings.keyTimeoutMs ?? KEY_TIMEOUT_MS;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const tell = () => reject(fail('KEY_TIMEOUT', `not loaded within ${limitMs / 1000} s`));
    timer = setTimeout(tell, limitMs);
  });
  try {
    return await Promise.race([key, late]);
  } finally {
    clearTimeout(timer);
    // After a timeout, the outcome of loading is ignored.
    void key.catch(() => undefined);
  }
}

/** Keeps the first key of each account. */
export function withoutDuplicates(keys: readonly LoadedKey[], log: Log): LoadedKey[] {
  const seen = new Set<string>();
  return keys.filter((key) => {
    const address = toHex(key.signer.address);
    if (!seen.has(address)) return seen.add(address);
    log('warn', 'Duplicate key found while loading', { account: address });
    key.signer.forget();
    return false;
  });
}
