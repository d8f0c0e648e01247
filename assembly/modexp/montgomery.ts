/**
 * Montgomery's reduction for odd moduli, four digits at a time: a number a stands for a·R modulo the
 * modulus m, R = 2^(28·digits). Results are within 0.75·m of zero if R > 4·m.
 */
import { carry } from './digits';
import { COLUMNS, HALF, MASK, RADIX_BITS } from './layout';
import { addRows, digit } from './rows';

/** -1/m modulo 2^28 */
let inverse: i64 = 0;

export function openMontgomery(modulus: usize): void {
  const lowest = load<i32>(modulus);
  let found = lowest;
  // Each step doubles the number of right bits, of which there are three at first.
  for (let i = 0; i < 4; i++) found *= 2 - lowest * found;
  inverse = -(<i64>found);
}

function quotient(column: i64): i64 {
  return ((column * inverse + HALF) & MASK) - HALF;
}

/** to = columns / R; the columns of a product of two numbers of `n` digits, a multiple of 4. */
export function reduceMontgomery(to: usize, modulus: usize, n: i32): void {
  const m0 = digit(modulus, 0);
  const m1 = digit(modulus, 1);
  const m2 = digit(modulus, 2);
  const m3 = digit(modulus, 3);
  let column = COLUMNS;
  for (let i = 0; i < n; i += 4) {
    const c0 = load<i64>(column);
    const q0 = quotient(c0);
    const c1 = load<i64>(column, 8) + q0 * m1 + ((c0 + q0 * m0) >> RADIX_BITS);
    const q1 = quotient(c1);
    const c2 = load<i64>(column, 16) + q0 * m2 + q1 * m1 + ((c1 + q1 * m0) >> RADIX_BITS);
    const q2 = quotient(c2);
    const before = load<i64>(column, 24) + q0 * m3 + q1 * m2 + q2 * m1;
    const c3 = before + ((c2 + q2 * m0) >> RADIX_BITS);
    const q3 = quotient(c3);
    column += 32;
    store<i64>(column, load<i64>(column) + ((c3 + q3 * m0) >> RADIX_BITS));
    addRows(column, modulus + 16, n, <i32>q0, <i32>q1, <i32>q2, <i32>q3);
  }
  carry(to, column, n);
}
