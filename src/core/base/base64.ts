/**
 * Base64 text at the edges of the program: the standard alphabet with padding (RFC 4648 §4),
 * strict.
 */
import { fail } from './errors.ts';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const PADDING = '=';
/** ASCII code -> 6 bits, or 255. */
const VALUES: Uint8Array = new Uint8Array(128).fill(255);
for (let i = 0; i < 64; i++) VALUES[ALPHABET.charCodeAt(i)] = i;

export function toBase64(bytes: Uint8Array): string {
  let out = '';
  const whole = bytes.length - (bytes.length % 3);
  for (let i = 0; i < whole; i += 3) {
    const word = (bytes[i]! << 16) | (bytes[i + 1]! << 8) | bytes[i + 2]!;
    out += ALPHABET[word >> 18]! + ALPHABET[(word >> 12) & 63]!;
    out += ALPHABET[(word >> 6) & 63]! + ALPHABET[word & 63]!;
  }
  if (bytes.length - whole === 1) {
    const word = bytes[whole]! << 16;
    out += `${ALPHABET[word >> 18]!}${ALPHABET[(word >> 12) & 63]!}==`;
  } else if (bytes.length - whole === 2) {
    const word = (bytes[whole]! << 16) | (bytes[whole + 1]! << 8);
    out += `${ALPHABET[word >> 18]!}${ALPHABET[(word >> 12) & 63]!}${ALPHABET[(word >> 6) & 63]!}=`;
  }
  return out;
}

/**
 * Throws BASE64_INVALID on an invalid character, wrong length, missing padding or unused bits that
 * are not zero.
 */
export function fromBase64(text: string): Uint8Array {
  if (text.length % 4 !== 0) throw fail('BASE64_INVALID', 'base64 text of wrong length');
  const padding = text.endsWith('==') ? 2 : text.endsWith(PADDING) ? 1 : 0;
  const out = new Uint8Array((text.length / 4) * 3 - padding);
  const digits = text.length - padding;
  let word = 0;
  let bits = 0;
  let at = 0;
  for (let i = 0; i < digits; i++) {
    const code = text.charCodeAt(i);
    const value = code < 128 ? VALUES[code]! : 255;
    if (value === 255) throw fail('BASE64_INVALID', 'invalid character in base64 text');
    word = ((word << 6) | value) & 0xffffff;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      out[at++] = (word >> bits) & 0xff;
    }
  }
  if ((word & ((1 << bits) - 1)) !== 0) {
    throw fail('BASE64_INVALID', 'base64 text with stray bits at its end');
  }
  return out;
}
