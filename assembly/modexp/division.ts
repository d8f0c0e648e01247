/**
 * Remainders: long division with signed digits of the quotient, each of which is the nearest to the
 * top of the dividend divided by the top of the divisor as 64-bit floats. Nothing is corrected: the
 * remainder stays within 0.501 of the divisor, above or below zero. Columns of the dividend are not
 * carried in between; their digits weigh less than 2^-18 of a digit of the quotient.
 */
import { carry, carryColumns, shiftDown } from './digits';
import { COLUMNS, DIVISOR, HALF, MASK, RADIX_BITS, SCRATCH } from './layout';
import { addRows, digit } from './rows';

/** The divisor is the modulus multiplied by 2^(28·places + shift), so that its top is 2^26 or more. */
let places: i32 = 0;
let shift: i32 = 0;
/** Digits of the divisor. */
let size: i32 = 0;
/** -1 / (divisor / 2^(28·(size - 2))) */
let inverse: f64 = 0;

const RADIX: f64 = <f64>(1 << RADIX_BITS);
/** Adding it to a float leaves the nearest integer in the low bits. */
const ROUND: f64 = 6755399441055744.0;
/** The window below needs five digits. */
const SIZE_MIN: i32 = 6;

export function openDivision(modulus: usize, bits: i32): void {
  size = max(SIZE_MIN, (bits + RADIX_BITS) / RADIX_BITS);
  const scale = RADIX_BITS * size - 1 - bits;
  places = scale / RADIX_BITS;
  shift = scale % RADIX_BITS;
  memory.fill(DIVISOR - 64, 0, ((<usize>size) << 2) + 128);
  let to = DIVISOR + ((<usize>places) << 2);
  let over: i64 = 0;
  const last = size - places - 1;
  for (let i = 0; i < last; i++) {
    const sum = (digit(modulus, i) << shift) + HALF + over;
    over = sum >> RADIX_BITS;
    store<i32>(to, <i32>((sum & MASK) - HALF));
    to += 4;
  }
  // The divisor's last digit may be 2^27, so it needs no further one, where the modulus may have one.
  const top = digit(modulus, last) + (digit(modulus, last + 1) << RADIX_BITS);
  store<i32>(to, <i32>((top << shift) + over));
  inverse = -1.0 / topOf(size - 1);
}

function topOf(i: i32): f64 {
  const next = <f64>digit(DIVISOR, i - 1) + <f64>digit(DIVISOR, i - 2) / RADIX;
  return <f64>digit(DIVISOR, i) * RADIX + next;
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
  memory.fill(from + ((<usize>count) << 3), 0, (<usize>max(6, size - places - count)) << 3);
  carryColumns(from, count + 1, shift);
  const length = places + count + 1;
  // The lowest digit of each block of four digits of the quotient.
  for (let j = (((length - size + 4) >> 2) << 2) - 4; j >= 0; j -= 4) divideBlock(j);
  carry(SCRATCH, COLUMNS, size);
  memory.fill(remainder, 0, (<usize>digits) << 2);
  shiftDown(remainder, SCRATCH + ((<usize>places) << 2), size - places, shift);
}

function quotient(high: i64, middle: i64, low: i64): i64 {
  const top = (<f64>high * RADIX + <f64>middle) * RADIX + <f64>low;
  return <i64>(<i32>reinterpret<i64>(top * inverse + ROUND));
}

/** Four digits of the quotient, negated: the top columns at once, because the next digit needs them. */
function divideBlock(j: i32): void {
  const top = COLUMNS + ((<usize>(j + size)) << 3);
  let c0 = load<i64>(top - 16);
  let c1 = load<i64>(top - 8);
  let c2 = load<i64>(top);
  let c3 = load<i64>(top, 8);
  let c4 = load<i64>(top, 16);
  const c5 = load<i64>(top, 24);
  const v1 = digit(DIVISOR, size - 1);
  const v2 = digit(DIVISOR, size - 2);
  const v3 = digit(DIVISOR, size - 3);
  const v4 = digit(DIVISOR, size - 4);
  const q3 = quotient(c5, c4, c3);
  c4 += q3 * v1 + (c5 << RADIX_BITS);
  c3 += q3 * v2;
  c2 += q3 * v3;
  c1 += q3 * v4;
  c0 += q3 * digit(DIVISOR, size - 5);
  const q2 = quotient(c4, c3, c2);
  c3 += q2 * v1 + (c4 << RADIX_BITS);
  c2 += q2 * v2;
  c1 += q2 * v3;
  c0 += q2 * v4;
  const q1 = quotient(c3, c2, c1);
  c2 += q1 * v1 + (c3 << RADIX_BITS);
  c1 += q1 * v2;
  c0 += q1 * v3;
  const q0 = quotient(c2, c1, c0);
  c1 += q0 * v1 + (c2 << RADIX_BITS);
  c0 += q0 * v2;
  const column = COLUMNS + ((<usize>j) << 3);
  addRows(column, DIVISOR, size - 2, <i32>q0, <i32>q1, <i32>q2, <i32>q3);
  store<i64>(top - 16, c0);
  store<i64>(top - 8, c1);
}
