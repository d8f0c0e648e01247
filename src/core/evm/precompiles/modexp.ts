/** 5: base^exponent mod modulus over integers of any length (EIP-198, repriced by EIP-2565). */

import { EMPTY_BYTES } from '../../base/bytes.ts';
import { bareHex } from '../../base/hex.ts';
import { type Exponent, modularPowerFor } from '../../base/modular-power.ts';
import { finish, type Slices } from '../../base/pace.ts';
import { bytesToBigInt } from '../../base/quantity.ts';
import type { Precompile } from './precompile.ts';

const HEADER_BYTES = 96;

interface Lengths {
  readonly base: bigint;
  readonly exponent: bigint;
  readonly modulus: bigint;
}

export function modexp(pricing: 'eip198' | 'eip2565'): Precompile {
  const price = pricing === 'eip198' ? priceEip198 : priceEip2565;
  return {
    gas(input) {
      const lengths = lengthsOf(input);
      const larger = maxOf(lengths.modulus, lengths.base);
      return Number(price(larger, iterations(input, lengths)));
    },
    run: (input) => finish(inPieces(input)),
    inPieces,
    error: () => 'invalid input',
  };
}

function* inPieces(input: Uint8Array): Slices<Uint8Array> {
  const lengths = lengthsOf(input);
  // The price bounds every length that matters, so these fit numbers.
  const base = Number(lengths.base);
  const exponent = Number(lengths.exponent);
  const modulus = Number(lengths.modulus);
  // COMPAT: an empty modulus gives no output, however long the exponent claims to be.
  if (modulus === 0) return EMPTY_BYTES;
  const m = integerOf(bytesAt(input, HEADER_BYTES + base + exponent, modulus));
  const out = new Uint8Array(modulus);
  if (m <= 1n) return out;
  const b = integerOf(bytesAt(input, HEADER_BYTES, base)) % m;
  const result = yield* power(b, bytesAt(input, HEADER_BYTES + base, exponent), exponent, m);
  return padInto(out, result);
}

function maxOf(a: bigint, b: bigint): bigint {
  if (a > b) return a;
  return b;
}

function lengthsOf(input: Uint8Array): Lengths {
  return {
    base: wordOf(input, 0),
    exponent: wordOf(input, 32),
    modulus: wordOf(input, 64),
  };
}

/** 32 bytes at `at`, with zeros beyond the end of the input. */
function wordOf(input: Uint8Array, at: number): bigint {
  const bytes = new Uint8Array(32);
  bytes.set(input.subarray(at, at + 32));
  return bytesToBigInt(bytes);
}

/** "Adjusted exponent length": about the number of squarings, from the first 32 bytes of the exponent. */
function iterations(input: Uint8Array, lengths: Lengths): bigint {
  const { base, exponent } = lengths;
  let head = 0n;
  if (base < BigInt(Math.max(0, input.length - HEADER_BYTES))) {
    const length = exponent < 32n ? Number(exponent) : 32;
    const bytes = new Uint8Array(length);
    const at = HEADER_BYTES + Number(base);
    bytes.set(input.subarray(at, at + length));
    head = bytesToBigInt(bytes);
  }
  const headBits = head === 0n ? 0n : BigInt(head.toString(2).length - 1);
  const count = exponent > 32n ? 8n * (exponent - 32n) + headBits : headBits;
  return count > 1n ? count : 1n;
}

function priceEip198(larger: bigint, count: bigint): bigint {
  let complexity = larger * larger;
  if (larger > 1024n) complexity = complexity / 16n + 480n * larger - 199_680n;
  else if (larger > 64n) complexity = complexity / 4n + 96n * larger - 3_072n;
  return (complexity * count) / 20n;
}

function priceEip2565(larger: bigint, count: bigint): bigint {
  const words = (larger + 7n) / 8n;
  const price = (words * words * count) / 3n;
  return price > 200n ? price : 200n;
}

/** At most `length` bytes: missing input counts as zero and is left to the reader. */
function bytesAt(input: Uint8Array, at: number, length: number): Slice {
  return { bytes: input.subarray(at, at + length), length };
}

interface Slice {
  readonly bytes: Uint8Array;
  /** Including zeros beyond the end of `bytes`. */
  readonly length: number;
}

/** Through hexadecimal, which the engine parses in linear time. */
function integerOf({ bytes, length }: Slice): bigint {
  if (bytes.length === 0) return 0n;
  const missing = length - bytes.length;
  return BigInt(`0x${bareHex(bytes)}${'00'.repeat(missing)}`);
}

/** Exponents up to this many bytes do not justify a table of powers. */
const SHORT_EXPONENT_BYTES = 2;
/** Exponents up to this many bytes do not justify converting the numbers. */
const FEW_EXPONENT_BYTES = 4;

/** One exponent byte per slice. */
function* power(base: bigint, { bytes }: Slice, length: number, modulus: bigint): Slices<bigint> {
  let first = 0;
  while (first < bytes.length && bytes[first] === 0) first++;
  if (first === bytes.length) return 1n;
  // Fixed points need no arithmetic; an attacker would use them with a long exponent.
  if (base <= 1n) return base;
  const exponent = { bytes: bytes.subarray(first), length: length - first };
  if (exponent.length <= SHORT_EXPONENT_BYTES) {
    let short = 0;
    for (let i = 0; i < exponent.length; i++) short = short * 256 + (exponent.bytes[i] ?? 0);
    return shortPower(base, short, modulus);
  }
  const bits = 4 * modulus.toString(16).length;
  const fast = exponent.length > FEW_EXPONENT_BYTES ? modularPowerFor(bits) : undefined;
  if (fast && (modulus & 1n) === 1n) return yield* fast.power(base, exponent, modulus);
  return yield* longPower(base, exponent, modulus);
}

/** Left to right, four bits per step. */
function* longPower(base: bigint, exponent: Exponent, modulus: bigint): Slices<bigint> {
  const { bytes, length } = exponent;
  const table = powersOf(base, modulus);
  let result = 1n;
  for (let i = 0; i < length; i++) {
    const byte = bytes[i] ?? 0;
    result = step(step(result, byte >> 4, table, modulus), byte & 15, table, modulus);
    if (result <= 1n && i >= bytes.length) return result;
    yield;
  }
  return result;
}

function shortPower(base: bigint, exponent: number, modulus: bigint): bigint {
  let result = base;
  for (let bit = 30 - Math.clz32(exponent); bit >= 0; bit--) {
    result = (result * result) % modulus;
    if (((exponent >> bit) & 1) === 1) result = (result * base) % modulus;
  }
  return result;
}

function step(value: bigint, digit: number, table: readonly bigint[], modulus: bigint): bigint {
  let result = value;
  if (result !== 1n) {
    for (let i = 0; i < 4; i++) result = (result * result) % modulus;
  }
  return digit === 0 ? result : (result * table[digit]!) % modulus;
}

function powersOf(base: bigint, modulus: bigint): bigint[] {
  const table = [1n];
  for (let i = 1; i < 16; i++) table.push((table[i - 1]! * base) % modulus);
  return table;
}

function padInto(out: Uint8Array, value: bigint): Uint8Array {
  const hex = value.toString(16);
  let at = out.length - 1;
  for (let end = hex.length; end > 0; end -= 2) {
    out[at--] = Number.parseInt(hex.slice(Math.max(0, end - 2), end), 16);
  }
  return out;
}
