/**
 * Passwords in a Tessera configuration that are encrypted with Jasypt: `ENC(…)`, with Jasypt's
 * defaults. As in Tessera, the secret is in the file that TESSERA_CONFIG_SECRET names, or is typed
 * in.
 */

import { createDecipheriv, createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fail } from '../../../core/base/errors.ts';
import { isPostgresUrl } from '../../../io/database/postgres-address.ts';
import { reasonOf } from '../../../io/host/reason.ts';

const SECRET_FILE = 'TESSERA_CONFIG_SECRET';
const ROUNDS = 1000;
const SALT_BYTES = 8;
const KEY_BYTES = 8;
const LOCKED = /^\s*ENC\((.*)\)\s*$/s;

export interface SecretSource {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Asks the person who starts the manager. */
  readonly ask: (question: string) => Promise<string>;
}

/**
 * Replaces encrypted values by passwords; asks for the secret only if there are any. Throws
 * PTM_CONFIG_INVALID.
 */
export async function unlockConfig(root: unknown, source: SecretSource): Promise<void> {
  const jdbc = (root as { jdbc?: { url?: unknown; password?: unknown } } | null)?.jdbc;
  if (typeof jdbc?.password !== 'string' || typeof jdbc.url !== 'string') return;
  const locked = LOCKED.exec(jdbc.password)?.[1];
  // A database that is not read needs no password.
  if (locked === undefined || !isPostgresUrl(jdbc.url)) return;
  jdbc.password = unlock(locked, await secretOf(source));
}

async function secretOf({ env, ask }: SecretSource): Promise<string> {
  const file = env[SECRET_FILE];
  if (file === undefined)
    return ask('Please enter the secret/password used to decrypt config value');
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw invalid(`Error while reading secret from file: ${reasonOf(cause)}`);
  }
}

function unlock(locked: string, secret: string): string {
  const bytes = Buffer.from(locked, 'base64');
  // The secret unchanged, as in Tessera, and without the line end that editors add.
  for (const each of new Set([secret, secret.replace(/\r?\n$/, '')])) {
    const password = decrypt(bytes, each);
    if (password !== undefined) return password;
  }
  throw invalid(
    `jdbc.password does not open with this secret: check the file that ${SECRET_FILE} names, and that the password was encrypted by Jasypt with its default algorithm, PBEWithMD5AndDES`,
  );
}

/** PBEWithMD5AndDES, 1000 rounds, salt first. Undefined: the secret does not decrypt it. */
function decrypt(bytes: Uint8Array, secret: string): string | undefined {
  const salt = bytes.subarray(0, SALT_BYTES);
  let derived: Uint8Array = Buffer.concat([Buffer.from(secret.normalize('NFC')), salt]);
  for (let round = 0; round < ROUNDS; round++) {
    derived = createHash('md5').update(derived).digest();
  }
  const key = derived.subarray(0, KEY_BYTES);
  // Triple DES with one key equals single DES, which this platform no longer has.
  const cipher = createDecipheriv(
    'des-ede3-cbc',
    Buffer.concat([key, key, key]),
    derived.subarray(KEY_BYTES),
  );
  try {
    const clear = Buffer.concat([cipher.update(bytes.subarray(SALT_BYTES)), cipher.final()]);
    return new TextDecoder('utf-8', { fatal: true }).decode(clear);
  } catch {
    return undefined;
  }
}

function invalid(message: string): Error {
  return fail('PTM_CONFIG_INVALID', message);
}
