/** The reasons that Solidity's `require` and `panic` put into revert data. */
import { equalBytes } from '../../base/bytes.ts';
import { bytesToBigInt } from '../../base/quantity.ts';

/** Error(string) */
const ERROR_SELECTOR = Uint8Array.of(0x08, 0xc3, 0x79, 0xa0);
const HEADER_BYTES = 4 + 64;

/** Text of `Error(string)`, or undefined when the data is something else. */
export function revertReason(output: Uint8Array): string | undefined {
  if (output.length < HEADER_BYTES) return undefined;
  if (!equalBytes(output.subarray(0, 4), ERROR_SELECTOR)) return undefined;
  const offset = Number(bytesToBigInt(output.subarray(4, 36)));
  if (offset + 36 > output.length) return undefined;
  const length = Number(bytesToBigInt(output.subarray(4 + offset, 36 + offset)));
  const start = 36 + offset;
  if (start + length > output.length) return undefined;
  return utf8(output.subarray(start, start + length));
}

/** Panic(uint256) */
const PANIC_SELECTOR = Uint8Array.of(0x4e, 0x48, 0x7b, 0x71);
/** Panic texts by code, in go-ethereum's words. */
const PANICS: Readonly<Record<number, string>> = {
  0: 'generic panic',
  1: 'assert(false)',
  17: 'arithmetic underflow or overflow',
  18: 'division or modulo by zero',
  33: 'enum overflow',
  34: 'invalid encoded storage byte array accessed',
  49: 'out-of-bounds array access; popping on an empty array',
  50: 'out-of-bounds access of an array or bytesN',
  65: 'out of memory',
  81: 'uninitialized function',
};

/** Text of `Panic(uint256)`, or undefined when the data is something else. */
export function panicReason(output: Uint8Array): string | undefined {
  if (output.length < 36 || !equalBytes(output.subarray(0, 4), PANIC_SELECTOR)) return undefined;
  const code = bytesToBigInt(output.subarray(4, 36));
  return PANICS[Number(code)] ?? `unknown panic code: 0x${code.toString(16)}`;
}

/**
 * Core has no TextDecoder, so this uses percent-decoding, which is part of the language. Invalid
 * bytes become one character each.
 */
function utf8(bytes: Uint8Array): string {
  let escaped = '';
  for (const byte of bytes) escaped += `%${byte.toString(16).padStart(2, '0')}`;
  try {
    return decodeURIComponent(escaped);
  } catch {
    return String.fromCharCode(...bytes);
  }
}
