/** Secret keys as text, in files and vaults. */

import { fail } from '../../core/base/errors.ts';
import { fromHex } from '../../core/base/hex.ts';
import { secp256k1 } from '../../core/base/secp256k1.ts';
import { readBytes } from '../host/files.ts';

const TEXT = /^(?:0[xX])?[0-9a-fA-F]{64}$/;
const FILE_BYTES_MAX = 1024;

/**
 * 32 bytes in hex, with or without `0x` and surrounding white space. Throws KEY_INVALID, whose text
 * never contains a digit of the key.
 */
export function parseSecretKey(text: string): Uint8Array {
  const trimmed = text.trim();
  if (!TEXT.test(trimmed)) throw fail('KEY_INVALID', 'Invalid hex value for private key');
  const secretKey = fromHex(trimmed);
  if (secp256k1().isSecretKey(secretKey)) return secretKey;
  throw fail('KEY_INVALID', 'Invalid hex value for private key: not a valid secp256k1 key');
}

/** Reads a file that contains only a key in hex. Throws KEY_INVALID. */
export async function readSecretKeyFile(path: string): Promise<Uint8Array> {
  const bytes = await readSmallFile(path, FILE_BYTES_MAX);
  try {
    return parseSecretKey(bytes.toString('latin1'));
  } finally {
    bytes.fill(0);
  }
}

/** Throws KEY_FILE_TOO_LARGE or FILE_UNREADABLE. */
export async function readSmallFile(path: string, bytesMax: number): Promise<Buffer> {
  const bytes = readBytes(path);
  if (bytes.length <= bytesMax) return bytes;
  throw fail('KEY_FILE_TOO_LARGE', `${path} is larger than ${bytesMax} bytes`);
}
