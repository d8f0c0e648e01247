/** Big-endian unsigned integers in bytes, and bigints. */
import { EMPTY_BYTES } from './bytes.ts';

export const MAX_UINT64 = (1n << 64n) - 1n;
export const MAX_UINT256 = (1n << 256n) - 1n;

/** Big-endian; empty bytes are zero. Any length. */
export function bytesToBigInt(bytes: Uint8Array): bigint {
  const length = bytes.length;
  if (length === 0) return 0n;
  if (length <= 6) return BigInt(bytesToNumber(bytes));
  let value = 0n;
  let at = 0;
  const head = length % 6;
  if (head !== 0) {
    value = BigInt(bytesToNumber(bytes.subarray(0, head)));
    at = head;
  }
  for (; at < length; at += 6) {
    const high = (bytes[at]! << 16) | (bytes[at + 1]! << 8) | bytes[at + 2]!;
    const low = (bytes[at + 3]! << 16) | (bytes[at + 4]! << 8) | bytes[at + 5]!;
    value = (value << 48n) | BigInt(high * 0x1000000 + low);
  }
  return value;
}

/** Big-endian, up to 2^53 - 1; the caller bounds the length. */
export function bytesToNumber(bytes: Uint8Array): number {
  let value = 0;
  for (let i = 0; i < bytes.length; i++) value = value * 256 + bytes[i]!;
  return value;
}

/** Minimal big-endian form; zero is empty (RLP's scalar). */
export function bigIntToBytes(value: bigint): Uint8Array {
  if (value === 0n) return EMPTY_BYTES;
  const hex = value.toString(16);
  const length = (hex.length + 1) >> 1;
  return writeHexDigits(hex, length);
}

/** Exactly `length` bytes; the value must fit. */
export function bigIntToFixed(value: bigint, length: number): Uint8Array {
  return writeHexDigits(value.toString(16), length);
}

function writeHexDigits(hex: string, length: number): Uint8Array {
  const out = new Uint8Array(length);
  let at = length - 1;
  for (let end = hex.length; end > 0; end -= 2) {
    out[at--] = Number.parseInt(hex.slice(Math.max(0, end - 2), end), 16);
  }
  return out;
}

/** Minimal big-endian form of a safe integer; zero is empty. */
export function numberToBytes(value: number): Uint8Array {
  let length = 0;
  for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) length++;
  const out = new Uint8Array(length);
  for (let i = length - 1, rest = value; i >= 0; i--, rest = Math.floor(rest / 256))
    out[i] = rest % 256;
  return out;
}

/** Big-endian 8 bytes of a safe integer (storage keys). */
export function numberToUint64(value: number): Uint8Array {
  const out = new Uint8Array(8);
  for (let i = 7, rest = value; i >= 0; i--, rest = Math.floor(rest / 256)) out[i] = rest % 256;
  return out;
}
