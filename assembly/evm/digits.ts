/** Integers as digits of 32 bits, and the digits of a quotient. */
import { SCRATCH } from './layout';

/**
 * A dividend of up to 16 digits, plus one for the bits that normalising shifts out; a divisor of 8
 * digits; a quotient of 16.
 */
export const DIVIDEND: usize = SCRATCH;
export const DIVISOR: usize = SCRATCH + 80;
export const QUOTIENT: usize = SCRATCH + 128;
/** Of a digit. */
export const LOW: u64 = 0xffffffff;

export function digit(at: usize, i: i32): u64 {
  return <u64>load<u32>(at + ((<usize>i) << 2));
}

export function setDigit(at: usize, i: i32, value: u64): void {
  store<u32>(at + ((<usize>i) << 2), <u32>value);
}

export function digits(at: usize, most: i32): i32 {
  let n = most;
  while (n > 0 && load<u32>(at + ((<usize>(n - 1)) << 2)) === 0) n--;
  return n;
}

/** A digit of the quotient, at most one too large, of a dividend with these highest digits. */
export function quotientDigit(
  first: u64,
  next: u64,
  third: u64,
  top: u64,
  second: u64,
  inverse: u64,
): u64 {
  let q: u64 = LOW;
  let rest = first + next;
  if (first < top) {
    q = estimate(first, next, top, inverse);
    rest = ((first << 32) | next) - q * top;
  }
  while (rest <= LOW && q * second > ((rest << 32) | third)) {
    q--;
    rest += top;
  }
  return q;
}

/**
 * The quotient of the two digits `first` and `next` by `divisor`, which is normalised and larger
 * than `first`, by its inverse (Möller, Granlund: Improved division by invariant integers, 2011,
 * algorithm 4).
 */
function estimate(first: u64, next: u64, divisor: u64, inverse: u64): u64 {
  const product = inverse * first + ((first << 32) | next);
  let q = ((product >> 32) + 1) & 0xffffffff;
  const rest = (next - q * divisor) & 0xffffffff;
  if (rest > (product & 0xffffffff)) {
    q = (q - 1) & 0xffffffff;
    return ((rest + divisor) & 0xffffffff) >= divisor ? q + 1 : q;
  }
  return rest >= divisor ? q + 1 : q;
}
