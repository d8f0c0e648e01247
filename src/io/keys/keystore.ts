/**
 * Web3 secret storage: key files of version 3 (version 1 is only read), scrypt and PBKDF2,
 * AES-128-CTR, Keccak MAC.
 * https://ethereum.org/en/developers/docs/data-structures-and-encoding/web3-secret-storage
 */
import {
  createCipheriv,
  createDecipheriv,
  pbkdf2,
  randomBytes,
  randomUUID,
  scrypt,
  timingSafeEqual,
} from 'node:crypto';
import { promisify } from 'node:util';
import { scryptAsync } from '@noble/hashes/scrypt.js';
import { concatBytes, padLeft } from '../../core/base/bytes.ts';
import { fail, type QuorateError } from '../../core/base/errors.ts';
import { bareHex, fromHex } from '../../core/base/hex.ts';
import { keccak256 } from '../../core/base/keccak.ts';
import { addressOfSecretKey, secp256k1 } from '../../core/base/secp256k1.ts';

/**
 * `standard` and `light` are geth's StandardScryptN/P and LightScryptN/P; `instant` is for
 * well-known passwords.
 */
const SCRYPT = {
  standard: { n: 262_144, p: 1 },
  light: { n: 4096, p: 6 },
  instant: { n: 2, p: 1 },
} as const;
/** Upper bounds for what a key file may require. */
const SCRYPT_MEMORY_BYTES_MAX = 1024 * 1024 * 1024;
const PBKDF2_ROUNDS_MAX = 10_000_000;
const DERIVED_BYTES_MAX = 128;

export interface KeystoreFile {
  readonly address: string;
  readonly crypto: {
    readonly cipher: string;
    readonly ciphertext: string;
    readonly cipherparams: { readonly iv: string };
    readonly kdf: string;
    readonly kdfparams: Readonly<Record<string, number | string>>;
    readonly mac: string;
  };
  readonly id: string;
  readonly version: 3;
}

const deriveScrypt = promisify(
  (
    password: string | Uint8Array,
    salt: Uint8Array,
    length: number,
    options: { N: number; r: number; p: number; maxmem: number },
    done: (error: Error | null, key: Buffer) => void,
  ) => scrypt(password, salt, length, options, done),
);
const derivePbkdf2 = promisify(pbkdf2);

/**
 * Writes a version 3 file as geth does; `light` and `instant` take little time and memory, for
 * tests and devnets.
 */
export async function encryptKey(
  secretKey: Uint8Array,
  password: string,
  { light = false, instant = false }: { light?: boolean; instant?: boolean } = {},
): Promise<KeystoreFile> {
  const { n, p } = SCRYPT[instant ? 'instant' : light ? 'light' : 'standard'];
  const salt = randomBytes(32);
  const iv = randomBytes(16);
  const derived = await runScrypt(password, salt, { n, r: 8, p, dklen: 32 });
  const cipher = createCipheriv('aes-128-ctr', derived.subarray(0, 16), iv);
  const ciphertext = concatBytes(cipher.update(secretKey), cipher.final());
  return {
    address: bareHex(addressOfSecretKey(secretKey)),
    crypto: {
      cipher: 'aes-128-ctr',
      ciphertext: bareHex(ciphertext),
      cipherparams: { iv: bareHex(iv) },
      kdf: 'scrypt',
      kdfparams: { dklen: 32, n, p, r: 8, salt: bareHex(salt) },
      mac: bareHex(keccak256(concatBytes(derived.subarray(16, 32), ciphertext))),
    },
    id: randomUUID(),
    version: 3,
  };
}

/**
 * Decrypts the 32-byte key of a parsed key file. Throws KEYSTORE_PASSWORD_WRONG or
 * KEYSTORE_INVALID.
 */
export async function decryptKey(
  file: unknown,
  password: string | Uint8Array,
): Promise<Uint8Array> {
  const root = record(file, 'the file');
  const crypto = record(root.crypto ?? root.Crypto, 'crypto');
  const version = Number(root.version);
  if (version !== 3 && version !== 1) throw invalid(`version ${String(root.version)}`);
  const ciphertext = hexField(crypto, 'ciphertext');
  const iv = hexField(record(crypto.cipherparams, 'cipherparams'), 'iv');
  const derived = await derive(crypto, password);
  const mac = keccak256(concatBytes(derived.subarray(16, 32), ciphertext));
  const wanted = hexField(crypto, 'mac');
  if (wanted.length !== mac.length || !timingSafeEqual(mac, wanted)) {
    throw fail('KEYSTORE_PASSWORD_WRONG', 'could not decrypt key with given password');
  }
  const plain = decipher(version, String(crypto.cipher), derived, iv, ciphertext);
  derived.fill(0);
  const secretKey = padLeft(plain, 32);
  if (plain.length < 32) plain.fill(0);
  if (!secp256k1().isSecretKey(secretKey)) throw invalid('its content is not a key');
  return secretKey;
}

function decipher(
  version: number,
  cipher: string,
  derived: Uint8Array,
  iv: Uint8Array,
  ciphertext: Uint8Array,
): Uint8Array {
  const name = version === 3 ? 'aes-128-ctr' : 'aes-128-cbc';
  if (cipher !== name) throw fail('KEYSTORE_INVALID', `Cipher not supported: ${cipher}`);
  if (iv.length !== 16) throw invalid('the initialisation vector is not 16 bytes');
  // COMPAT: version 1 hashes the derived key once more.
  const key =
    version === 3 ? derived.subarray(0, 16) : keccak256(derived.subarray(0, 16)).subarray(0, 16);
  try {
    const decrypting = createDecipheriv(name, key, iv);
    const first = decrypting.update(ciphertext);
    const plain = concatBytes(first, decrypting.final());
    first.fill(0);
    return plain;
  } catch {
    throw fail('KEYSTORE_PASSWORD_WRONG', 'could not decrypt key with given password');
  }
}

async function derive(
  crypto: Readonly<Record<string, unknown>>,
  password: string | Uint8Array,
): Promise<Uint8Array> {
  const params = record(crypto.kdfparams, 'kdfparams');
  const salt = hexField(params, 'salt');
  const dklen = numberField(params, 'dklen', DERIVED_BYTES_MAX);
  if (dklen < 32) throw invalid('"dklen" is below 32');
  if (crypto.kdf === 'scrypt') {
    const n = numberField(params, 'n', 2 ** 30);
    const r = numberField(params, 'r', 2 ** 20);
    return runScrypt(password, salt, { n, r, p: numberField(params, 'p', 2 ** 20), dklen });
  }
  if (crypto.kdf !== 'pbkdf2') {
    throw fail('KEYSTORE_INVALID', `Unsupported KDF: ${String(crypto.kdf)}`);
  }
  if (params.prf !== 'hmac-sha256') {
    throw fail('KEYSTORE_INVALID', `Unsupported PBKDF2 PRF: ${String(params.prf)}`);
  }
  const rounds = numberField(params, 'c', PBKDF2_ROUNDS_MAX);
  return derivePbkdf2(password, salt, rounds, dklen, 'sha256');
}

function runScrypt(
  password: string | Uint8Array,
  salt: Uint8Array,
  { n, r, p, dklen }: { n: number; r: number; p: number; dklen: number },
): Promise<Uint8Array> {
  const bytes = 128 * r * (n + p + 2);
  if (bytes > SCRYPT_MEMORY_BYTES_MAX || n < 2 || (n & (n - 1)) !== 0) {
    throw invalid('scrypt parameters out of range');
  }
  // OpenSSL requires n below 2^(16 r), as in RFC 7914; files of some wallets exceed it.
  if (n >= 2 ** (16 * r)) return scryptAsync(password, salt, { N: n, r, p, dkLen: dklen });
  return deriveScrypt(password, salt, dklen, { N: n, r, p, maxmem: bytes + 1024 * 1024 });
}

function record(value: unknown, name: string): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) throw invalid(`${name} is not an object`);
  return value as Readonly<Record<string, unknown>>;
}

function hexField(from: Readonly<Record<string, unknown>>, name: string): Uint8Array {
  const value = from[name];
  if (typeof value !== 'string') throw invalid(`"${name}" is missing`);
  try {
    return fromHex(value);
  } catch {
    throw invalid(`"${name}" is not hex`);
  }
}

function numberField(
  from: Readonly<Record<string, unknown>>,
  name: string,
  maximum: number,
): number {
  const value = from[name];
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1 || value > maximum) {
    throw invalid(`"${name}" is not an integer from 1 to ${maximum}`);
  }
  return value;
}

function invalid(what: string): QuorateError {
  return fail('KEYSTORE_INVALID', `key file: ${what}`);
}
