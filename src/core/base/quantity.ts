/** Big-endian unsigned integers in bytes, and bigints. */
import { EMPTY_BYTES } from './bytes.ts';
import { fromHex } from './hex.ts';

export const MAX_UINT64 = (1n << 64n) - 1n;
export const MAX_UINT256 = (1n << 256n) - 1n;

/**
 * Holds 256 bits, the lowest word first, to convert between a bigint and bytes: far cheaper than
 * through hex text or byte by byte.
 */
const words = new BigUint64Array(4);
const wordBytes = new Uint8Array(words.buffer);
/**
 * Byte `i` of the value (0 is the lowest) is at `i ^ FLIP`: big-endian machines keep the high byte
 * of a word first.
 */
const FLIP = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1 ? 0 : 7;

/** Big-endian; empty bytes are zero. Any length. */
export function bytesToBigInt(bytes: Uint8Array): bigint {
  const { length } = bytes;
  if (length <= 6) return length === 0 ? 0n : BigInt(bytesToNumber(bytes));
  if (length <= 32) return ofWords(bytes, length, length);
  const head = length % 32;
  let value = ofWords(bytes, head, head);
  for (let end = head + 32; end <= length; end += 32) {
    value = (value << 256n) | ofWords(bytes, end, 32);
  }
  return value;
}

/** The `length` bytes before `end`, at most 32. */
function ofWords(bytes: Uint8Array, end: number, length: number): bigint {
  wordBytes.fill(0);
  const last = end - 1;
  for (let i = 0; i < length; i++) wordBytes[i ^ FLIP] = bytes[last - i]!;
  const low = words[0]!;
  if (length <= 8) return low;
  const lowHalf = (words[1]! << 64n) | low;
  if (length <= 16) return lowHalf;
  return (((words[3]! << 64n) | words[2]!) << 128n) | lowHalf;
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
  if (value > MAX_UINT256) return bytesOf(value);
  const length = toWords(value);
  const out = new Uint8Array(length);
  fromWords(out, length, length);
  return out;
}

/** Exactly `length` bytes; the value must fit. */
export function bigIntToFixed(value: bigint, length: number): Uint8Array {
  const out = new Uint8Array(length);
  if (value > MAX_UINT256) {
    const digits = bytesOf(value);
    out.set(digits, length - digits.length);
    return out;
  }
  fromWords(out, length, toWords(value));
  return out;
}

/**
 * Writes the minimal big-endian form to `out` at `at`, where 32 bytes must fit; returns its length.
 * Up to 256 bits.
 */
export function putBigInt(value: bigint, out: Uint8Array, at: number): number {
  const length = toWords(value);
  fromWords(out, at + length, length);
  return length;
}

/** Number of bytes that the value needs. */
function toWords(value: bigint): number {
  words[0] = value;
  let length = 8;
  if (value > MAX_UINT64) {
    let rest = value >> 64n;
    words[1] = rest;
    length = 16;
    if (rest > MAX_UINT64) {
      rest >>= 64n;
      words[2] = rest;
      words[3] = rest >> 64n;
      length = 32;
    }
  }
  while (length > 0 && wordBytes[(length - 1) ^ FLIP] === 0) length--;
  return length;
}

function fromWords(out: Uint8Array, end: number, length: number): void {
  for (let i = 0; i < length; i++) out[end - 1 - i] = wordBytes[i ^ FLIP]!;
}

function bytesOf(value: bigint): Uint8Array {
  const digits = value.toString(16);
  return fromHex(digits.length % 2 === 0 ? digits : `0${digits}`);
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
  putUint64(value, out, 0);
  return out;
}

/** The same 8 bytes in place. */
export function putUint64(value: number, out: Uint8Array, at: number): void {
  const high = Math.floor(value / 0x1_0000_0000);
  const low = value >>> 0;
  out[at] = high >>> 24;
  out[at + 1] = high >>> 16;
  out[at + 2] = high >>> 8;
  out[at + 3] = high;
  out[at + 4] = low >>> 24;
  out[at + 5] = low >>> 16;
  out[at + 6] = low >>> 8;
  out[at + 7] = low;
}
