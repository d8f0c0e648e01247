/**
 * Opens and creates password-locked key files: Argon2 derives the key of a secretbox (Tessera
 * KeyData).
 */
import * as slow from '@noble/hashes/argon2.js';
import { argon2d, argon2i, argon2id } from 'hash-wasm';
import { fail } from '../../core/base/errors.ts';
import type { Entropy } from '../../core/base/ports.ts';
import type { EnclaveCrypto } from '../../core/payload/enclave-crypto.ts';
import type { Argon2Options, KeyFile } from '../../core/payload/key-file.ts';

const DERIVED_BYTES = 32;
const NONCE_BYTES = 24;
const SALT_BYTES = 32;
const VARIANTS = { d: argon2d, i: argon2i, id: argon2id } as const;
const SLOW_VARIANTS = { d: slow.argon2d, i: slow.argon2i, id: slow.argon2id } as const;

/**
 * The secret key in the file. Throws PTM_KEY_LOCKED when a password is missing,
 * PTM_KEY_PASSWORD_WRONG when it is wrong.
 */
export async function openKeyFile(
  file: KeyFile,
  password: string | undefined,
  crypto: EnclaveCrypto,
): Promise<Uint8Array> {
  if (file.kind === 'unlocked') return file.secretKey;
  if (password === undefined) {
    throw fail(
      'PTM_KEY_LOCKED',
      'the private key is locked: give its password in keys.passwords or keys.passwordFile',
    );
  }
  const derived = await derive(password, file.salt, file.options);
  const secretKey = crypto.open(file.box, file.nonce, derived);
  if (!secretKey) {
    throw fail('PTM_KEY_PASSWORD_WRONG', 'the password does not open the locked private key');
  }
  return secretKey;
}

export async function lockKey(
  secretKey: Uint8Array,
  password: string,
  options: Argon2Options,
  crypto: EnclaveCrypto,
  entropy: Entropy,
): Promise<KeyFile> {
  const nonce = entropy.bytes(NONCE_BYTES);
  const salt = entropy.bytes(SALT_BYTES);
  const derived = await derive(password, salt, options);
  return { kind: 'locked', options, nonce, salt, box: crypto.seal(secretKey, nonce, derived) };
}

async function derive(
  password: string,
  salt: Uint8Array,
  options: Argon2Options,
): Promise<Uint8Array> {
  // hash-wasm refuses the empty password, which Tessera accepts.
  if (password === '') {
    return SLOW_VARIANTS[options.variant](password, salt, {
      t: options.iterations,
      m: options.memory,
      p: options.parallelism,
      dkLen: DERIVED_BYTES,
    });
  }
  return VARIANTS[options.variant]({
    password,
    salt,
    iterations: options.iterations,
    parallelism: options.parallelism,
    memorySize: options.memory,
    hashLength: DERIVED_BYTES,
    outputType: 'binary',
  });
}
