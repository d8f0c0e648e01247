/**
 * Words as limbs of 29 bits, whose products can be added in columns of 64 bits without carries, and
 * the digits of a quotient.
 *
 * A digit has 29 bits and a sign. It may be wrong by a half for rounding, a half for the bits of the
 * dividend that are left out, and a 2^31th of itself, because only 32 bits of the modulus and of its
 * reciprocal are used. The next digit corrects that; so a digit is at most 4/3 · 2^29, and the sum of
 * nine products in a column is below 2^63.
 */
import { COLUMNS } from './layout';
import { add, isLess, subtract } from './words';

export const LIMB_BITS: u64 = 29;
export const MASK: u64 = (1 << 29) - 1;
/** What is divided by: a word whose most significant bit is set. */
export const MODULUS: usize = COLUMNS;

/** The reciprocal, by its highest 32 bits, of the modulus with this highest limb of 64 bits. */
export function reciprocalOf(top: u64): u64 {
  const divisor = (top >> 32) + ((top >> 31) & 1);
  return (((<u64>1) << 63) + (divisor >> 1)) / divisor;
}

/** What makes a digit round, and the bits that its estimate leaves out half of what they may be. */
export function halfOf(reciprocal: u64): u64 {
  return ((<u64>1) << 31) + (reciprocal >> 1);
}

/** A digit of the quotient: `high` is the dividend above a column, `low` that column. */
export function digit(high: u64, low: u64, reciprocal: u64, half: u64): u64 {
  const estimate = <i64>(high + <u64>(<i64>low >> 29)) >> 23;
  return <u64>(<i64>(<u64>estimate * reciprocal + half) >> 32);
}

/** All ones if the number is negative, which what a digit leaves is as often as not; or 0. */
export function signOf(high: u64, low: u64): u64 {
  return <u64>(<i64>(high + <u64>(<i64>low >> 29)) >> 63);
}

/**
 * Brings the word, of which `high` is beyond its bits, between 0 and the modulus. Returns how often the
 * modulus had to be taken from it.
 */
export function settle(word: usize, high: i64): i64 {
  if (high < 0) {
    add(word, word, MODULUS);
    return -1;
  }
  if (high === 0 && isLess(word, MODULUS)) return 0;
  subtract(word, word, MODULUS);
  return 1;
}
