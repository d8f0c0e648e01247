/** Hex text at the edges: `0x` + lower-case digits. */
import { fail } from './errors.ts';

const DIGITS: readonly string[] = Array.from({ length: 256 }, (_, i) =>
  i.toString(16).padStart(2, '0'),
);

const DIGIT_CODES: Uint8Array = Uint8Array.from('0123456789abcdef', (digit) => digit.charCodeAt(0));
/**
 * Longer input is written in pieces of this size: text built digit by digit takes sixteen times its
 * length in memory.
 */
const PIECE_BYTES = 2_048;

/** Without `0x`. */
export function bareHex(bytes: Uint8Array): string {
  let out = '';
  if (bytes.length > PIECE_BYTES) {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES)
      out += pieceHex(bytes.subarray(at, at + PIECE_BYTES));
    return out;
  }
  for (let i = 0; i < bytes.length; i++) out += DIGITS[bytes[i]!];
  return out;
}

function pieceHex(bytes: Uint8Array): string {
  const codes = new Uint8Array(2 * bytes.length);
  for (let i = 0; i < bytes.length; i++) {
    codes[2 * i] = DIGIT_CODES[bytes[i]! >>> 4]!;
    codes[2 * i + 1] = DIGIT_CODES[bytes[i]! & 15]!;
  }
  return String.fromCharCode(...codes);
}

export function toHex(bytes: Uint8Array): string {
  return `0x${bareHex(bytes)}`;
}

function nibble(code: number): number {
  if (code >= 48 && code <= 57) return code - 48;
  if (code >= 97 && code <= 102) return code - 87;
  if (code >= 65 && code <= 70) return code - 55;
  return -1;
}

/** Accepts upper and lower case, with or without `0x`. Throws HEX_INVALID on odd length or a foreign character. */
export function fromHex(text: string): Uint8Array {
  const start = text.startsWith('0x') || text.startsWith('0X') ? 2 : 0;
  const digits = text.length - start;
  if (digits % 2 !== 0) throw fail('HEX_INVALID', 'hex string of odd length');
  const out = new Uint8Array(digits / 2);
  for (let i = 0; i < out.length; i++) {
    const high = nibble(text.charCodeAt(start + 2 * i));
    const low = nibble(text.charCodeAt(start + 2 * i + 1));
    if (high < 0 || low < 0) throw fail('HEX_INVALID', 'invalid hex string');
    out[i] = (high << 4) | low;
  }
  return out;
}

/** JSON-RPC quantity: no leading zeros, zero is `0x0`. */
export function toQuantity(value: bigint | number): string {
  return `0x${value.toString(16)}`;
}
