/**
 * Division by a divisor of more than one limb of 64 bits, by digits of 29 bits with a sign; see
 * limbs.ts. Only the highest columns of the dividend must wait for a digit before the next one.
 */
import { DIVIDEND } from './digits';
import { COLUMNS } from './layout';
import { aligned } from './limb-quotient';
import { digit, halfOf, LIMB_BITS, MASK, MODULUS, reciprocalOf, settle, signOf } from './limbs';
import { leadingZeros, set, shiftLeft, shiftRight } from './words';

/** More than the columns left out can add to the others. */
const DOUBT: u64 = 64;
/** The digits of the quotient, the lowest first. */
const DIGITS: usize = COLUMNS + 128;
/** The columns of the dividend. Six may be below them, for the bits by which it is shifted. */
const SPLIT: usize = COLUMNS + 256;

/**
 * Divides the word at DIVIDEND, and `carry` beyond its bits, by the word b, of more than 64 bits.
 * Leaves the quotient or the remainder.
 */
export function divide(to: usize, carry: u64, b: usize, isQuotient: bool): void {
  const shift = leadingZeros(b);
  // Before the divisor is shifted, because it takes as long.
  const reciprocal = reciprocalOf(aligned(b + 24 - ((<usize>shift >> 6) << 3), shift & 63));
  const limbs = shift / LIMB_BITS;
  const first = SPLIT - ((<usize>limbs) << 3);
  shiftLeft(MODULUS, b, shift);
  split(carry, shift - LIMB_BITS * limbs);
  for (let at = first; at < SPLIT; at += 8) store<u64>(at, 0);
  const correction = reduce(to, first, reciprocal, isQuotient);
  if (isQuotient) join(to, <i32>limbs, correction);
  else shiftRight(to, to, shift, 0);
}

/** The dividend as columns, each shifted by less than the bits of a limb. */
function split(carry: u64, bits: u64): void {
  const aw0 = load<u64>(DIVIDEND);
  const aw1 = load<u64>(DIVIDEND, 8);
  const aw2 = load<u64>(DIVIDEND, 16);
  const aw3 = load<u64>(DIVIDEND, 24);
  store<u64>(SPLIT, (aw0 & MASK) << bits);
  store<u64>(SPLIT, ((aw0 >> 29) & MASK) << bits, 8);
  store<u64>(SPLIT, (((aw0 >> 58) | (aw1 << 6)) & MASK) << bits, 16);
  store<u64>(SPLIT, ((aw1 >> 23) & MASK) << bits, 24);
  store<u64>(SPLIT, (((aw1 >> 52) | (aw2 << 12)) & MASK) << bits, 32);
  store<u64>(SPLIT, ((aw2 >> 17) & MASK) << bits, 40);
  store<u64>(SPLIT, (((aw2 >> 46) | (aw3 << 18)) & MASK) << bits, 48);
  store<u64>(SPLIT, ((aw3 >> 11) & MASK) << bits, 56);
  store<u64>(SPLIT, ((aw3 >> 40) | (carry << 24)) << bits, 64);
}

/**
 * Leaves the remainder by the word at MODULUS at `to`. Returns what must be added to the digits of the
 * quotient.
 */
function reduce(to: usize, first: usize, reciprocal: u64, isQuotient: bool): i64 {
  const mw0 = load<u64>(MODULUS);
  const mw1 = load<u64>(MODULUS, 8);
  const mw2 = load<u64>(MODULUS, 16);
  const mw3 = load<u64>(MODULUS, 24);
  const m0 = mw0 & MASK;
  const m1 = (mw0 >> 29) & MASK;
  const m2 = ((mw0 >> 58) | (mw1 << 6)) & MASK;
  const m3 = (mw1 >> 23) & MASK;
  const m4 = ((mw1 >> 52) | (mw2 << 12)) & MASK;
  const m5 = (mw2 >> 17) & MASK;
  const m6 = ((mw2 >> 46) | (mw3 << 18)) & MASK;
  const m7 = mw3 >> 11;
  const half = halfOf(reciprocal);
  let high = load<u64>(SPLIT, 64);
  let low = load<u64>(SPLIT, 56);
  for (let at = SPLIT; at >= first; at -= 8) {
    const q = digit(high, low, reciprocal, half);
    store<u64>(DIGITS + (at - first), q);
    high = (high << 29) + low - q * m7;
    low = load<u64>(at, 48) - q * m6;
    store<u64>(at, load<u64>(at, 40) - q * m5, 40);
    store<u64>(at, load<u64>(at, 32) - q * m4, 32);
    store<u64>(at, load<u64>(at, 24) - q * m3, 24);
    store<u64>(at, load<u64>(at, 16) - q * m2, 16);
    store<u64>(at, load<u64>(at, 8) - q * m1, 8);
    store<u64>(at, load<u64>(at) - q * m0);
  }
  const mask = signOf(high, low);
  if (isQuotient) {
    // Mostly, the highest columns are enough to know that the quotient is right.
    const rest = high + <u64>(<i64>low >> 29) + (m7 & mask);
    if (rest - DOUBT < m7 - 2 * DOUBT) return <i64>mask;
  }
  let t = load<u64>(first) + (m0 & mask);
  const r0 = t & MASK;
  t = <u64>(<i64>t >> 29) + load<u64>(first, 8) + (m1 & mask);
  const r1 = t & MASK;
  t = <u64>(<i64>t >> 29) + load<u64>(first, 16) + (m2 & mask);
  const r2 = t & MASK;
  t = <u64>(<i64>t >> 29) + load<u64>(first, 24) + (m3 & mask);
  const r3 = t & MASK;
  t = <u64>(<i64>t >> 29) + load<u64>(first, 32) + (m4 & mask);
  const r4 = t & MASK;
  t = <u64>(<i64>t >> 29) + load<u64>(first, 40) + (m5 & mask);
  const r5 = t & MASK;
  t = <u64>(<i64>t >> 29) + low + (m6 & mask);
  const r6 = t & MASK;
  t = <u64>(<i64>t >> 29) + high + (m7 & mask);
  store<u64>(to, r0 | (r1 << 29) | (r2 << 58));
  store<u64>(to, (r2 >> 6) | (r3 << 23) | (r4 << 52), 8);
  store<u64>(to, (r4 >> 12) | (r5 << 17) | (r6 << 46), 16);
  store<u64>(to, (r6 >> 18) | (t << 11), 24);
  return <i64>mask + settle(to, <i64>t >> 53);
}

/** The quotient as a word, of digits up to `last`. */
function join(to: usize, last: i32, correction: i64): void {
  let carry = correction;
  let limb: u64 = 0;
  let bits: u64 = 0;
  set(to, 0);
  for (let i = 0; i <= last; i++) {
    carry += load<i64>(DIGITS + ((<usize>i) << 3));
    const part = <u64>carry & MASK;
    carry >>= 29;
    limb |= part << bits;
    bits += LIMB_BITS;
    if (bits < 64) continue;
    store<u64>(to, limb);
    to += 8;
    bits -= 64;
    limb = part >> (LIMB_BITS - bits);
  }
  store<u64>(to, limb);
}
