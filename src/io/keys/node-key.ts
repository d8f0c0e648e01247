/** The node key: 64 hex digits in a file, like geth's `nodekey`. */

import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { fail } from '../../core/base/errors.ts';
import { bareHex, fromHex } from '../../core/base/hex.ts';
import { secp256k1 } from '../../core/base/secp256k1.ts';
import { readText } from '../host/files.ts';
import { reasonOf } from '../host/reason.ts';

const KEY_DIGITS = 64;

/** Throws FILE_UNREADABLE, or NODE_KEY_INVALID with the path and geth's text. */
export function readKeyFile(path: string): Uint8Array {
  const text = readText(path);
  try {
    return parseKeyHex(text);
  } catch (cause) {
    throw fail('NODE_KEY_INVALID', `${path}: ${reasonOf(cause)}`, { cause, data: { path } });
  }
}

/** One line of 64 hex digits; white space may follow. */
export function parseKeyHex(text: string): Uint8Array {
  const digits = text.replace(/[\r\n]+$/, '').trim();
  if (digits.length < KEY_DIGITS) {
    throw fail('NODE_KEY_INVALID', 'key file too short, want 64 hex characters');
  }
  if (digits.length > KEY_DIGITS) {
    throw fail('NODE_KEY_INVALID', 'key file too long, want 64 hex characters');
  }
  if (!/^[0-9a-fA-F]+$/.test(digits)) {
    throw fail('NODE_KEY_INVALID', 'invalid hex character in private key');
  }
  const key = fromHex(digits);
  if (!secp256k1().isSecretKey(key)) throw fail('NODE_KEY_INVALID', 'invalid private key');
  return key;
}

/** Reads the key in that file; generates it and writes the file when it is missing. */
export function loadOrCreateKeyFile(path: string): Uint8Array {
  if (existsSync(path)) return readKeyFile(path);
  const key = newSecretKey();
  writeKeyFile(path, key);
  return key;
}

function writeKeyFile(path: string, key: Uint8Array): void {
  writeFileSync(path, bareHex(key), { mode: 0o600, flush: true });
  chmodSync(path, 0o600);
}

export function newSecretKey(): Uint8Array {
  for (;;) {
    const key = new Uint8Array(randomBytes(32));
    if (secp256k1().isSecretKey(key)) return key;
  }
}
