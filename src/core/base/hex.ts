/** Hex text at the edges of the program: `0x` + lower-case digits. */
import { fail } from './errors.ts';

const DIGITS: readonly string[] = Array.from({ length: 256 }, (_, i) =>
  i.toString(16).padStart(2, '0'),
);
const DIGIT_CODES: Uint8Array = Uint8Array.from('0123456789abcdef', (digit) => digit.charCodeAt(0));
/** Value of a digit by its character code; 255: not a digit. */
const NIBBLES: Uint8Array = new Uint8Array(256).fill(255);
for (const digits of ['0123456789abcdef', '0123456789ABCDEF']) {
  for (let i = 0; i < 16; i++) NIBBLES[digits.charCodeAt(i)] = i;
}
/** Above these sizes, a conversion through an array of character codes is faster. */
const SHORT_BYTES = 32;
const SHORT_DIGITS = 192;
const decoder = new TextDecoder('latin1');
const encoder = new TextEncoder();

/** Without `0x`. */
export function bareHex(bytes: Uint8Array): string {
  if (bytes.length <= SHORT_BYTES) {
    let out = '';
    for (let i = 0; i < bytes.length; i++) out += DIGITS[bytes[i]!];
    return out;
  }
  const codes = new Uint8Array(2 * bytes.length);
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]!;
    codes[2 * i] = DIGIT_CODES[byte >>> 4]!;
    codes[2 * i + 1] = DIGIT_CODES[byte & 15]!;
  }
  return decoder.decode(codes);
}

export function toHex(bytes: Uint8Array): string {
  return `0x${bareHex(bytes)}`;
}

/**
 * Accepts upper and lower case, with or without `0x`. Throws HEX_INVALID on odd length or an
 * invalid character.
 */
export function fromHex(text: string): Uint8Array {
  const start = text.startsWith('0x') || text.startsWith('0X') ? 2 : 0;
  const digits = text.length - start;
  if (digits % 2 !== 0) throw fail('HEX_INVALID', 'hex string of odd length');
  const out = new Uint8Array(digits / 2);
  if (digits <= SHORT_DIGITS) {
    for (let i = 0; i < out.length; i++) {
      // Characters with codes beyond the table are not digits either.
      const high = NIBBLES[text.charCodeAt(start + 2 * i)] ?? 255;
      const low = NIBBLES[text.charCodeAt(start + 2 * i + 1)] ?? 255;
      if ((high | low) > 15) throw fail('HEX_INVALID', 'invalid hex string');
      out[i] = (high << 4) | low;
    }
    return out;
  }
  // The first byte of a character that takes several bytes is above 127, so it is never a digit.
  const codes = new Uint8Array(text.length);
  encoder.encodeInto(text, codes);
  let all = 0;
  for (let i = 0, at = start; i < out.length; i++, at += 2) {
    const high = NIBBLES[codes[at]!]!;
    const low = NIBBLES[codes[at + 1]!]!;
    all |= high | low;
    out[i] = (high << 4) | low;
  }
  if (all > 15) throw fail('HEX_INVALID', 'invalid hex string');
  return out;
}

/** The bytes of `0x` and two digits, of upper or lower case, for each; undefined: another value. */
export function hexOfLength(value: unknown, length: number): Uint8Array | undefined {
  if (typeof value !== 'string' || value.length !== 2 + 2 * length) return undefined;
  return /^0x[0-9a-f]*$/i.test(value) ? fromHex(value) : undefined;
}

/** JSON-RPC quantity: no leading zeros, zero is `0x0`. */
export function toQuantity(value: bigint | number): string {
  return `0x${value.toString(16)}`;
}
