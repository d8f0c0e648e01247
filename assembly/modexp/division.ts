/**
 * Remainders: long division with signed digits of the quotient, each of which is the nearest to the
 * top of the dividend divided by the top of the divisor. Nothing is corrected: the remainder stays
 * within 0.501 of the divisor, above or below zero. Columns of the dividend are below 2^52, so those
 * that the estimate leaves out weigh less than 2^-17 of a digit of the quotient.
 */
import { carry, relieve } from './digits';
import { COLUMNS, DIVISOR, RADIX, RELIEF_ROWS } from './layout';
import { addRows, digit } from './rows';

/** The divisor is the modulus multiplied by 2^(24·places). */
let places: i32 = 0;
/** Digits of the divisor, the highest of which is not zero. */
let size: i32 = 0;
/** -1 / (divisor / 2^(24·(size - 1))), and that divided by the radix, once and twice. */
let inverse0: f64 = 0;
let inverse1: f64 = 0;
let inverse2: f64 = 0;

/** Adding it to a float and subtracting it again leaves the nearest integer. */
const ROUND: f64 = 6755399441055744.0;
/** The window below needs six digits. */
const SIZE_MIN: i32 = 6;

/** The modulus has at most `digits` digits. */
export function openDivision(modulus: usize, digits: i32): void {
  let used = digits;
  while (digit(modulus, used - 1) === 0) used--;
  size = max(SIZE_MIN, used);
  places = size - used;
  memory.fill(DIVISOR - 64, 0, ((<usize>size) << 3) + 128);
  memory.copy(DIVISOR + ((<usize>places) << 3), modulus, (<usize>used) << 3);
  const lower = digit(DIVISOR, size - 3) + digit(DIVISOR, size - 4) / RADIX;
  const top = digit(DIVISOR, size - 1) + (digit(DIVISOR, size - 2) + lower / RADIX) / RADIX;
  inverse0 = -1.0 / top;
  inverse1 = inverse0 / RADIX;
  inverse2 = inverse1 / RADIX;
}

/** The column where a dividend starts; those below are zero. */
export function dividend(): usize {
  return COLUMNS + ((<usize>places) << 3);
}

/**
 * remainder = the `count` columns from `dividend` on, modulo the modulus; it has `digits` digits.
 */
export function reduce(remainder: usize, digits: i32, count: i32): void {
  memory.fill(COLUMNS, 0, (<usize>places) << 3);
  const from = dividend();
  // Those that the carry, the first quotient or, for a short dividend, the remainder read.
  memory.fill(from + ((<usize>count) << 3), 0, (<usize>max(8, size - places - count)) << 3);
  carry(from, from, count, 0);
  const length = places + count + 1;
  // The lowest digit of each block of four digits of the quotient.
  let rows = 0;
  for (let j = (((length - size + 4) >> 2) << 2) - 4; j >= 0; j -= 4) {
    divideBlock(j);
    rows += 4;
    if (rows % RELIEF_ROWS === 0) relieve(COLUMNS + ((<usize>j) << 3), size - 3);
  }
  carry(COLUMNS, COLUMNS, size, 0);
  const used = size - places;
  memory.copy(remainder, from, (<usize>used) << 3);
  memory.fill(remainder + ((<usize>used) << 3), 0, (<usize>(digits - used)) << 3);
}

/** A digit of the quotient, negated: that of high, middle and low, next to each other. */
function quotient(high: f64, middle: f64, low: f64): f64 {
  return high * inverse0 + (middle * inverse1 + low * inverse2) + ROUND - ROUND;
}

/** Four digits of the quotient, negated: the top columns at once, because the next digit needs them. */
function divideBlock(j: i32): void {
  const top = COLUMNS + ((<usize>(j + size)) << 3);
  let below = load<f64>(top - 24);
  let c0 = load<f64>(top - 16);
  let c1 = load<f64>(top - 8);
  let c2 = load<f64>(top);
  let c3 = load<f64>(top, 8);
  const c4 = load<f64>(top, 16) + load<f64>(top, 24) * RADIX;
  const v1 = digit(DIVISOR, size - 1);
  const v2 = digit(DIVISOR, size - 2);
  const v3 = digit(DIVISOR, size - 3);
  const v4 = digit(DIVISOR, size - 4);
  const v5 = digit(DIVISOR, size - 5);
  const q3 = quotient(c4, c3, c2);
  c3 += q3 * v2 + (c4 + q3 * v1) * RADIX;
  c2 += q3 * v3;
  c1 += q3 * v4;
  c0 += q3 * v5;
  below += q3 * digit(DIVISOR, size - 6);
  const q2 = quotient(c3, c2, c1);
  c2 += q2 * v2 + (c3 + q2 * v1) * RADIX;
  c1 += q2 * v3;
  c0 += q2 * v4;
  below += q2 * v5;
  const q1 = quotient(c2, c1, c0);
  c1 += q1 * v2 + (c2 + q1 * v1) * RADIX;
  c0 += q1 * v3;
  below += q1 * v4;
  const q0 = quotient(c1, c0, below);
  c0 += q0 * v2;
  c1 += q0 * v1;
  const column = COLUMNS + ((<usize>j) << 3);
  addRows(column, DIVISOR, size - 2, q0, q1, q2, q3);
  store<f64>(top - 16, c0);
  store<f64>(top - 8, c1);
}
