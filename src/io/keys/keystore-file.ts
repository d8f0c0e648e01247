/**
 * A keystore in one file and its password in another: the keystore is identified by its address,
 * and opened when its key is needed.
 */
import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Address } from '../../core/base/bytes.ts';
import { fail, hasCode } from '../../core/base/errors.ts';
import { fromHex } from '../../core/base/hex.ts';
import { decryptKey } from './keystore.ts';
import { readSmallFile } from './secret-key.ts';

const KEYSTORE_BYTES_MAX = 64 * 1024;
const PASSWORD_BYTES_MAX = 64 * 1024;
const LINE_FEED = 0x0a;
const RETURN = 0x0d;

export interface PasswordFile {
  readonly path: string;
  /** Which part of the file is the password: all of it, or its first line. */
  readonly take: 'whole' | 'firstLine';
  readonly mayBeEmpty: boolean;
}

export interface KeystoreSummary {
  /** Found in the file or in its name; undefined if neither contains it. */
  readonly address: Address | undefined;
  /** Changes whenever the file changes. */
  readonly contentHash: string;
}

/** Throws KEYSTORE_INVALID, KEY_FILE_TOO_LARGE, or the error of the file system. */
export async function readKeystoreSummary(path: string): Promise<KeystoreSummary> {
  const bytes = await readSmallFile(path, KEYSTORE_BYTES_MAX);
  const { address, crypto, Crypto } = parseKeystore(bytes, path);
  if (typeof (crypto ?? Crypto) !== 'object') {
    throw fail('KEYSTORE_INVALID', `${path} is not a keystore: it has no "crypto"`);
  }
  return {
    address:
      addressOf(address) ?? addressOf(/([0-9a-fA-F]{40})(\.json)?$/.exec(basename(path))?.[1]),
    contentHash: createHash('sha256').update(bytes).digest('hex'),
  };
}

function parseKeystore(bytes: Buffer, path: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // The parser's error is dropped, because it would quote the file.
  }
  throw fail('KEYSTORE_INVALID', `${path} is not a keystore: it is not a JSON object`);
}

function addressOf(value: unknown): Address | undefined {
  return typeof value === 'string' && /^(?:0[xX])?[0-9a-fA-F]{40}$/.test(value)
    ? fromHex(value)
    : undefined;
}

/**
 * Text with size and time of a file; it changes when the file is rewritten. Throws
 * KEYSTORE_PASSWORD_MISSING.
 */
export async function passwordStamp({ path }: PasswordFile): Promise<string> {
  const info = await stat(path).catch(() => undefined);
  if (info?.isFile()) return `${info.size}:${info.mtimeMs}:${info.ino}`;
  throw fail('KEYSTORE_PASSWORD_MISSING', `Keystore password file not found: ${path}`);
}

/**
 * Decrypts the secret key. Throws KEYSTORE_PASSWORD_WRONG, KEYSTORE_INVALID,
 * KEYSTORE_PASSWORD_MISSING.
 */
export async function openKeystoreFile(path: string, password: PasswordFile): Promise<Uint8Array> {
  const file = parseKeystore(await readSmallFile(path, KEYSTORE_BYTES_MAX), path);
  await passwordStamp(password);
  const bytes = await readSmallFile(password.path, PASSWORD_BYTES_MAX);
  try {
    const taken = password.take === 'whole' ? bytes : firstLine(bytes);
    if (taken.length === 0 && !password.mayBeEmpty) {
      throw fail(
        'KEYSTORE_PASSWORD_MISSING',
        `Keystore password cannot be empty: ${password.path}`,
      );
    }
    return await decryptEither(file, taken);
  } finally {
    bytes.fill(0);
  }
}

/**
 * A line feed at the end of a whole file is rarely intended: the password is also tried without
 * it.
 */
async function decryptEither(file: unknown, password: Buffer): Promise<Uint8Array> {
  try {
    return await decryptKey(file, password);
  } catch (error) {
    const line = firstLine(password);
    const isOneLine = /^\r?\n$/.test(password.subarray(line.length).toString('latin1'));
    if (!isOneLine || !hasCode(error, 'KEYSTORE_PASSWORD_WRONG')) throw error;
    return decryptKey(file, line);
  }
}

function firstLine(bytes: Buffer): Buffer {
  const feed = bytes.indexOf(LINE_FEED);
  const line = feed < 0 ? bytes : bytes.subarray(0, feed);
  return line.at(-1) === RETURN ? line.subarray(0, -1) : line;
}
