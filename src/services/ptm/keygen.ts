/**
 * New key pairs in Tessera's files: `<name>.pub` and `<name>.key`, locked when a password is given
 * (Tessera KeyData).
 */
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { toBase64 } from '../../core/base/base64.ts';
import { fail } from '../../core/base/errors.ts';
import type { Entropy } from '../../core/base/ports.ts';
import { ARGON2_DEFAULTS, type Argon2Options, formatKeyFile } from '../../core/payload/key-file.ts';
import { makeFolder } from '../../io/host/make-folder.ts';
import { lockKey } from '../../io/sodium/key-lock.ts';
import { loadEnclaveCrypto } from '../../io/sodium/nacl.ts';
import type { OwnKey } from './manager/enclave.ts';

const SECRET_KEY_BYTES = 32;
const SECRET_FILE_MODE = 0o600;
const entropy: Entropy = { bytes: (length) => new Uint8Array(randomBytes(length)) };

export interface GeneratedKey {
  /** Base64: the content of the .pub file. */
  readonly publicKey: string;
  /** JSON: the content of the .key file. */
  readonly keyFile: string;
}

/**
 * Without a password the key is unlocked. The default lock takes 1 GiB of memory for some seconds,
 * as Tessera's does.
 */
export async function generateKey(
  options: { password?: string; argon2?: Argon2Options } = {},
): Promise<GeneratedKey> {
  const crypto = await loadEnclaveCrypto();
  const secretKey = entropy.bytes(SECRET_KEY_BYTES);
  const file =
    options.password === undefined
      ? ({ kind: 'unlocked', secretKey } as const)
      : await lockKey(
          secretKey,
          options.password,
          options.argon2 ?? ARGON2_DEFAULTS,
          crypto,
          entropy,
        );
  return { publicKey: toBase64(crypto.publicKey(secretKey)), keyFile: formatKeyFile(file) };
}

/** A new pair for a key vault, which protects the private key itself. */
export async function generatePair(): Promise<OwnKey> {
  const crypto = await loadEnclaveCrypto();
  const secretKey = entropy.bytes(SECRET_KEY_BYTES);
  return { publicKey: crypto.publicKey(secretKey), secretKey };
}

/**
 * Writes `<path>.pub` and `<path>.key` (owner only). Throws PTM_KEY_EXISTS instead of overwriting a
 * key.
 */
export async function writeKeyPair(path: string, key: GeneratedKey): Promise<void> {
  makeFolder(dirname(path));
  try {
    await writeFile(`${path}.key`, key.keyFile, { mode: SECRET_FILE_MODE, flag: 'wx' });
    await writeFile(`${path}.pub`, key.publicKey, { flag: 'wx' });
  } catch (cause) {
    if ((cause as { code?: string }).code !== 'EEXIST') throw cause;
    throw fail('PTM_KEY_EXISTS', `${path}.key or ${path}.pub exists already: choose another name`, {
      cause,
    });
  }
}
