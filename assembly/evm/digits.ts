/** The digits of a quotient, of 32 bits. */
import { SCRATCH } from './layout';

/** A dividend of five limbs of 64 bits, with zeros above and below; its quotient. */
export const DIVIDEND: usize = SCRATCH + 16;
export const QUOTIENT: usize = SCRATCH + 96;
/** Of a digit. */
export const LOW: u64 = 0xffffffff;

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
