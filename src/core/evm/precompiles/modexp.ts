/** 5: base^exponent mod modulus over integers of any length (EIP-198, repriced by EIP-2565). */

import { EMPTY_BYTES } from '../../base/bytes.ts';
import { fastModularPower } from '../../base/modular-power.ts';
import { finish, type Slices } from '../../base/pace.ts';
import { bigIntToBytes, bytesToBigInt, bytesToNumber } from '../../base/quantity.ts';
import type { Precompile } from './precompile.ts';

const HEADER_BYTES = 96;
const WORD_BYTES = 32;
/** Bytes of integers that a number holds exactly. */
const SAFE_BYTES = 6;
const ONE = Uint8Array.of(1);

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
    run(input) {
      const work = begin(input);
      return work instanceof Uint8Array ? work : finish(work);
    },
    *inPieces(input) {
      const work = begin(input);
      return work instanceof Uint8Array ? work : yield* work;
    },
    error: () => 'invalid input',
  };
}

/** The output, or the work that is left. */
function begin(input: Uint8Array): Uint8Array | Slices<Uint8Array> {
  const lengths = lengthsOf(input);
  // The price bounds every length that matters, so these fit numbers.
  const base = Number(lengths.base);
  const exponent = Number(lengths.exponent);
  const modulus = Number(lengths.modulus);
  // COMPAT: an empty modulus gives no output, however long the exponent claims to be.
  if (modulus === 0) return EMPTY_BYTES;
  const at = HEADER_BYTES + base;
  const m = numberAt(input, at + exponent, modulus);
  if (m.length === 0 || (m.length === 1 && m[0] === 1)) return new Uint8Array(modulus);
  const b = numberAt(input, HEADER_BYTES, base);
  const e = numberAt(input, at, exponent);
  if (e.length === 0) return extended(ONE, modulus);
  // 0 and 1 need no arithmetic; an attacker would use them with a long exponent.
  if (b.length === 0 || (b.length === 1 && b[0] === 1)) return extended(b, modulus);
  const power = fastModularPower(b, e, m) ?? slowPower(b, e, m);
  if (!(power instanceof Uint8Array)) return extendedLater(power, modulus);
  return power.length === modulus ? power : extended(power, modulus);
}

/** New bytes: the number with as many leading zeros as `length` needs. */
function extended(number: Uint8Array, length: number): Uint8Array {
  const out = new Uint8Array(length);
  out.set(number, length - number.length);
  return out;
}

function* extendedLater(power: Slices<Uint8Array>, length: number): Slices<Uint8Array> {
  return extended(yield* power, length);
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
  const end = Math.min(at + WORD_BYTES, input.length);
  let first = at;
  while (first < end && input[first] === 0) first++;
  if (first >= end) return 0n;
  const isShort = first >= at + WORD_BYTES - SAFE_BYTES;
  const bytes = input.subarray(first, end);
  const value = isShort ? BigInt(bytesToNumber(bytes)) : bytesToBigInt(bytes);
  return end === at + WORD_BYTES ? value : value << BigInt(8 * (at + WORD_BYTES - end));
}

/**
 * "Adjusted exponent length": about the number of squarings, from the first 32 bytes of the
 * exponent.
 */
function iterations(input: Uint8Array, { base, exponent }: Lengths): bigint {
  const given = BigInt(Math.max(0, input.length - HEADER_BYTES));
  const head = base < given ? headBits(input, HEADER_BYTES + Number(base), exponent) : 0n;
  const count = exponent > 32n ? 8n * (exponent - 32n) + head : head;
  return count > 1n ? count : 1n;
}

/** The position of the highest bit in the first 32 bytes of the exponent, which starts at `at`. */
function headBits(input: Uint8Array, at: number, exponent: bigint): bigint {
  const length = exponent < 32n ? Number(exponent) : 32;
  const end = Math.min(at + length, input.length);
  let first = at;
  while (first < end && input[first] === 0) first++;
  if (first >= end) return 0n;
  return BigInt(8 * (at + length - 1 - first) + 31 - Math.clz32(input[first]!));
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

/** The number of `length` bytes at `at`, without leading zeros; bytes after the input are zero. */
function numberAt(input: Uint8Array, at: number, length: number): Uint8Array {
  const given = input.subarray(at, at + length);
  let first = 0;
  while (first < given.length && given[first] === 0) first++;
  if (first === given.length) return EMPTY_BYTES;
  if (given.length === length) return given.subarray(first);
  const number = new Uint8Array(length - first);
  number.set(given.subarray(first));
  return number;
}

/** Exponents up to this many bytes do not justify a table of powers. */
const SHORT_EXPONENT_BYTES = 3;

/** The result is at most as long as `modulus`, which is above 1. One exponent byte per slice. */
function* slowPower(
  base: Uint8Array,
  exponent: Uint8Array,
  modulus: Uint8Array,
): Slices<Uint8Array> {
  const m = bytesToBigInt(modulus);
  const b = bytesToBigInt(base) % m;
  if (b <= 1n) return bigIntToBytes(b);
  const isShort = exponent.length <= SHORT_EXPONENT_BYTES;
  const result = isShort ? shortPower(b, exponent, m) : yield* longPower(b, exponent, m);
  return bigIntToBytes(result);
}

/** Left to right, four bits per step. */
function* longPower(base: bigint, exponent: Uint8Array, modulus: bigint): Slices<bigint> {
  const table = powersOf(base, modulus);
  // After the last byte that is not zero there are squarings only, which do not change zero and
  // one.
  let end = exponent.length;
  while (exponent[end - 1] === 0) end--;
  let result = 1n;
  for (let i = 0; i < exponent.length; i++) {
    const byte = exponent[i]!;
    result = step(step(result, byte >> 4, table, modulus), byte & 15, table, modulus);
    if (result <= 1n && i >= end) return result;
    yield;
  }
  return result;
}

/** The power for a modulus of up to 31 bits. */
function shortPower(base: bigint, bytes: Uint8Array, modulus: bigint): bigint {
  let exponent = 0;
  for (const byte of bytes) exponent = exponent * 256 + byte;
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
