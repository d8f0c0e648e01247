/**
 * Montgomery's reduction for odd moduli, four digits at a time: a number a stands for a·R modulo the
 * modulus m, R = 2^(24·digits). Results are within 0.75·m of zero if R > 4·m.
 */
import { carry, relieve } from './digits';
import { COLUMNS, HALF, MASK, RADIX_BITS } from './layout';
import { addRows, digit } from './rows';

/** Rows between two calls of `relieve`: columns stay below 2^51, as `integer` needs. */
const ROWS_MAX: i32 = 28;
/** The product of so many digits and as many rows of the modulus stay below that, too. */
const SHORT: i32 = 16;
/** The nearest integer to a float is in the lowest bits of their sum; ROUND_BITS are its own bits. */
const ROUND: f64 = 6755399441055744.0;
const ROUND_BITS: i64 = 0x4338000000000000;

/** -1/m modulo 2^24 */
let inverse: i64 = 0;

export function openMontgomery(modulus: usize): void {
  const lowest = <i32>digit(modulus, 0);
  let found = lowest;
  // Each step doubles the number of right bits, of which there are three at first.
  for (let i = 0; i < 4; i++) found *= 2 - lowest * found;
  inverse = -(<i64>found);
}

/** Faster than a conversion, which checks its range. */
function integer(column: f64): i64 {
  return reinterpret<i64>(column + ROUND) - ROUND_BITS;
}

function quotient(column: i64): i64 {
  return ((column * inverse + HALF) & MASK) - HALF;
}

/** to = columns / R; the columns of a product of two numbers of `n` digits, a multiple of 4. */
export function reduceMontgomery(to: usize, modulus: usize, n: i32): void {
  const m0 = <i64>digit(modulus, 0);
  const m1 = <i64>digit(modulus, 1);
  const m2 = <i64>digit(modulus, 2);
  const m3 = <i64>digit(modulus, 3);
  let column = COLUMNS;
  let over: i64 = 0;
  if (n > SHORT) relieve(column, n);
  for (let i = 0; i < n; i += 4) {
    if (i !== 0 && i % ROWS_MAX === 0) relieve(column, n + 4);
    const c0 = integer(load<f64>(column)) + over;
    const q0 = quotient(c0);
    const c1 = integer(load<f64>(column, 8)) + q0 * m1 + ((c0 + q0 * m0) >> RADIX_BITS);
    const q1 = quotient(c1);
    const c2 = integer(load<f64>(column, 16)) + q0 * m2 + q1 * m1 + ((c1 + q1 * m0) >> RADIX_BITS);
    const q2 = quotient(c2);
    const before = integer(load<f64>(column, 24)) + q0 * m3 + q1 * m2 + q2 * m1;
    const c3 = before + ((c2 + q2 * m0) >> RADIX_BITS);
    const q3 = quotient(c3);
    column += 32;
    over = (c3 + q3 * m0) >> RADIX_BITS;
    addRows(column, modulus + 32, n, <f64>q0, <f64>q1, <f64>q2, <f64>q3);
  }
  carry(to, column, n, <f64>over);
}
