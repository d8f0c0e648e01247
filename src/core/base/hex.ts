/** Hex text at the edges of the program: `0x` + lower-case digits. */
import { fail } from './errors.ts';

/** Character codes of the digits. */
export const DIGIT_CODES: Uint8Array = Uint8Array.from('0123456789abcdef', (digit) =>
  digit.charCodeAt(0),
);
/** Value of a digit by its character code; 255: not a digit. */
const NIBBLES: Uint8Array = new Uint8Array(256).fill(255);
for (const digits of ['0123456789abcdef', '0123456789ABCDEF']) {
  for (let i = 0; i < 16; i++) NIBBLES[digits.charCodeAt(i)] = i;
}
const ZERO = 0x30;
const X = 0x78;
/** Above these sizes, a conversion through an array of character codes is faster. */
const SHORT_BYTES = 32;
const SHORT_DIGITS = 192;
/** Long texts are decoded in pieces that stay in the processor's cache. */
const PIECE_BYTES = 8 * 1024;
const codes = new Uint8Array(2 * PIECE_BYTES);
const codePairs = new Uint16Array(codes.buffer);
let bytesOfPairs: Uint16Array | undefined;
const decoder = new TextDecoder('latin1');
const encoder = new TextEncoder();

/** Without `0x`. */
export function bareHex(bytes: Uint8Array): string {
  return digitsAfter('', bytes);
}

export function toHex(bytes: Uint8Array): string {
  return digitsAfter('0x', bytes);
}

/** A text made of one array needs no copy when it is written; one put together from parts does. */
function digitsAfter(prefix: '' | '0x', bytes: Uint8Array): string {
  const start = prefix.length;
  const length = start + 2 * bytes.length;
  const isShort = bytes.length <= SHORT_BYTES;
  const codes = isShort ? new Array<number>(length) : new Uint8Array(length);
  if (start > 0) {
    codes[0] = ZERO;
    codes[1] = X;
  }
  for (let i = 0, at = start; i < bytes.length; i++, at += 2) {
    const byte = bytes[i]!;
    codes[at] = DIGIT_CODES[byte >>> 4]!;
    codes[at + 1] = DIGIT_CODES[byte & 15]!;
  }
  return isShort
    ? String.fromCharCode.apply(null, codes as number[])
    : decoder.decode(codes as Uint8Array);
}

/**
 * `toHex` for a value that is often the same array again, such as the hash of a block beside each
 * of its transactions: it is converted when it changes.
 */
export function repeatedHex(): (bytes: Uint8Array) => string {
  let last: Uint8Array | undefined;
  let text = '';
  return (bytes) => {
    if (bytes !== last) {
      last = bytes;
      text = toHex(bytes);
    }
    return text;
  };
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
  for (let at = 0; at < out.length; at += PIECE_BYTES) {
    const piece = text.slice(start + 2 * at, start + 2 * (at + PIECE_BYTES));
    if (!decodePiece(piece, out.subarray(at, at + PIECE_BYTES)))
      throw fail('HEX_INVALID', 'invalid hex string');
  }
  return out;
}

/** Whether all are digits. */
function decodePiece(digits: string, out: Uint8Array): boolean {
  // A character that takes several bytes leaves no space for all.
  if (encoder.encodeInto(digits, codes).read !== digits.length) return false;
  bytesOfPairs ??= tableOfPairs();
  const [table, pairs] = [bytesOfPairs, codePairs];
  let all = 0;
  for (let i = 0; i < out.length; i++) {
    const byte = table[pairs[i]!]!;
    all |= byte;
    out[i] = byte;
  }
  return all <= 255;
}

/** The byte of two character codes, read as one little-endian number; above 255: not digits. */
function tableOfPairs(): Uint16Array {
  const table = new Uint16Array(1 << 16).fill(256);
  for (let high = 0; high < 128; high++) {
    for (let low = 0; low < 128; low++) {
      const [first, second] = [NIBBLES[high]!, NIBBLES[low]!];
      if ((first | second) <= 15) table[high | (low << 8)] = (first << 4) | second;
    }
  }
  return table;
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
