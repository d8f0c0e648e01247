/**
 * Sources of the manager's keys: inline or files, plain or encrypted (Tessera KeyConfiguration).
 */

import { resolve } from 'node:path';
import { fromBase64 } from '../../../core/base/base64.ts';
import { equalBytes } from '../../../core/base/bytes.ts';
import { fail, QuorateError } from '../../../core/base/errors.ts';
import { parseJson } from '../../../core/base/json.ts';
import type { EnclaveCrypto } from '../../../core/payload/enclave-crypto.ts';
import { parseKeyFile } from '../../../core/payload/key-file.ts';
import { readText } from '../../../io/host/files.ts';
import { reasonOf } from '../../../io/host/reason.ts';
import type { VaultEnv } from '../../../io/keys/vault-types.ts';
import { openKeyFile } from '../../../io/sodium/key-lock.ts';
import type { OwnKey } from '../manager/enclave.ts';
import { parseVaultKey, readVaultKey, type VaultKey } from './vault-keys.ts';

const KEY_BYTES = 32;
export type KeySource = {
  /** Nth line of `keys.passwords` or of the file; undefined when there is none. */
  readonly password: { readonly list?: string; readonly file?: string; readonly line: number };
} & (
  | { readonly kind: 'inline'; readonly publicKey: string; readonly privateKey: string }
  | { readonly kind: 'config'; readonly publicKey: string; readonly config: unknown }
  | { readonly kind: 'files'; readonly publicKeyPath: string; readonly privateKeyPath: string }
  | { readonly kind: 'vault'; readonly key: VaultKey }
);

/** `keys` of the configuration. Throws PTM_CONFIG_INVALID. */
export function parseKeySources(
  keys: Readonly<Record<string, unknown>>,
  folder: string,
): KeySource[] {
  const data = keys.keyData;
  if (!Array.isArray(data) || data.length === 0) {
    throw fail('PTM_CONFIG_INVALID', 'keys.keyData must list at least one key pair');
  }
  const passwords = Array.isArray(keys.passwords) ? keys.passwords : [];
  const file =
    typeof keys.passwordFile === 'string' ? resolve(folder, keys.passwordFile) : undefined;
  return data.map((value, line) => {
    const password = {
      line,
      ...(typeof passwords[line] === 'string' ? { list: passwords[line] as string } : {}),
      ...(file === undefined ? {} : { file }),
    };
    return { ...keyData(value, line, folder, keys), password };
  });
}

function keyData(
  value: unknown,
  index: number,
  folder: string,
  keys: Readonly<Record<string, unknown>>,
):
  | Omit<Extract<KeySource, { kind: 'vault' }>, 'password'>
  | Omit<Extract<KeySource, { kind: 'inline' }>, 'password'>
  | Omit<Extract<KeySource, { kind: 'config' }>, 'password'>
  | Omit<Extract<KeySource, { kind: 'files' }>, 'password'> {
  const fields = (value ?? {}) as Readonly<Record<string, unknown>>;
  const { publicKey, privateKey, config, publicKeyPath, privateKeyPath } = fields;
  if (typeof privateKey === 'string' && typeof publicKey === 'string') {
    return { kind: 'inline', publicKey, privateKey };
  }
  if (typeof config === 'object' && config !== null && typeof publicKey === 'string') {
    return { kind: 'config', publicKey, config };
  }
  if (typeof privateKeyPath === 'string' && typeof publicKeyPath === 'string') {
    return {
      kind: 'files',
      publicKeyPath: resolve(folder, publicKeyPath),
      privateKeyPath: resolve(folder, privateKeyPath),
    };
  }
  const key = parseVaultKey(fields, keys, `keys.keyData[${index}]`);
  if (key) return { kind: 'vault', key };
  throw fail(
    'PTM_CONFIG_INVALID',
    `keys.keyData[${index}] needs publicKey with privateKey or config, or publicKeyPath with privateKeyPath`,
  );
}

/**
 * Reads and unlocks one key pair; `env` holds the credentials of vaults. Errors name the place,
 * never the content.
 */
export async function loadKey(
  source: KeySource,
  crypto: EnclaveCrypto,
  env: VaultEnv = {},
): Promise<OwnKey> {
  const name = `keys.keyData[${source.password.line}]`;
  try {
    const { publicKey, secretKey } = await readPair(source, crypto, env);
    const pair = { publicKey: sized(publicKey), secretKey: sized(secretKey) };
    if (!equalBytes(crypto.publicKey(pair.secretKey), pair.publicKey)) {
      throw fail('PTM_KEY_MISMATCH', 'the private key does not match the public key');
    }
    return pair;
  } catch (cause) {
    const code = cause instanceof QuorateError ? cause.code : 'PTM_KEY_INVALID';
    throw fail(code, `${name}: ${reasonOf(cause)}${filesOf(source, reasonOf(cause))}`, { cause });
  }
}

/** Names the files of a pair, if the reason does not, and says what to do. */
function filesOf(source: KeySource, reason: string): string {
  if (source.kind !== 'files') return '';
  const { publicKeyPath, privateKeyPath } = source;
  const isNamed = [publicKeyPath, privateKeyPath].some((path) => reason.includes(path));
  const files = isNamed ? '' : ` (${publicKeyPath}, ${privateKeyPath})`;
  return `${files}. Restore both files from a backup`;
}

async function readPair(source: KeySource, crypto: EnclaveCrypto, env: VaultEnv): Promise<OwnKey> {
  switch (source.kind) {
    case 'inline':
      return { publicKey: fromBase64(source.publicKey), secretKey: fromBase64(source.privateKey) };
    case 'vault':
      return readVaultKey(source.key, env);
    case 'config': {
      const secretKey = await unlock(source.config, source, crypto);
      return { publicKey: fromBase64(source.publicKey), secretKey };
    }
    case 'files': {
      const publicText = readText(source.publicKeyPath);
      const privateText = readText(source.privateKeyPath);
      const secretKey = await unlock(
        parseKeyJson(privateText, source.privateKeyPath),
        source,
        crypto,
      );
      return { publicKey: fromBase64(publicText.trim()), secretKey };
    }
  }
}

function parseKeyJson(text: string, path: string): unknown {
  try {
    return parseJson(text);
  } catch (cause) {
    throw fail('PTM_KEY_INVALID', `the private key file ${path}: ${reasonOf(cause)}`, { cause });
  }
}

async function unlock(
  config: unknown,
  source: KeySource,
  crypto: EnclaveCrypto,
): Promise<Uint8Array> {
  const file = parseKeyFile(config);
  if (file.kind === 'unlocked') return file.secretKey;
  return openKeyFile(file, passwordOf(source.password), crypto);
}

function passwordOf(password: KeySource['password']): string | undefined {
  if (password.list !== undefined) return password.list;
  if (password.file === undefined) return undefined;
  return readText(password.file).split(/\r?\n/)[password.line];
}

function sized(bytes: Uint8Array): Uint8Array {
  if (bytes.length !== KEY_BYTES) throw fail('PTM_KEY_INVALID', 'a key is not 32 bytes long');
  return bytes;
}
