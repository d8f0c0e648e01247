/**
 * Division where a digit of 64 bits is enough: by a divisor of one limb, or with a quotient of one.
 * The dividend is at DIVIDEND, with zeros above.
 */
import { DIVIDEND, LOW, QUOTIENT, quotientDigit } from './digits';
import { high64 } from './words';

/** Of the dividend's highest limb. */
const LAST: i32 = 32;

/** The quotient that `isShort` has found. */
export let shortQuotient: u64 = 0;

/** Of the two limbs `high` and `low`; the divisor is normalised and larger than `high`. */
function quotientLimb(high: u64, low: u64, divisor: u64): u64 {
  const top = divisor >> 32;
  const second = divisor & LOW;
  const inverse = <u64>-1 / top - ((<u64>1) << 32);
  const next = low >> 32;
  const q = quotientDigit(high >> 32, high & LOW, next, top, second, inverse);
  const rest = ((high << 32) | next) - q * divisor;
  return (q << 32) | quotientDigit(rest >> 32, rest & LOW, low & LOW, top, second, inverse);
}

/** 64 bits of the integer whose limbs at `at` and below are shifted left by `zeros`. */
export function aligned(at: usize, zeros: u64): u64 {
  return (load<u64>(at) << zeros) | ((load<u64>(at - 8) >> 1) >> (63 - zeros));
}

/** The quotient is then at QUOTIENT. Returns the remainder. */
export function divideByLimb(limb: u64): u64 {
  if (limb <= LOW) return divideByDigit(limb);
  const zeros = clz<u64>(limb);
  const divisor = limb << zeros;
  store<u64>(DIVIDEND - 8, 0);
  let rest: u64 = 0;
  for (let at = LAST; at >= 0; at -= 8) {
    const low = aligned(DIVIDEND + at, zeros);
    let q: u64 = 0;
    if (rest !== 0) q = quotientLimb(rest, low, divisor);
    else if (low >= divisor) q = 1;
    store<u64>(QUOTIENT + at, q);
    rest = low - q * divisor;
  }
  return rest >> zeros;
}

function divideByDigit(divisor: u64): u64 {
  let rest: u64 = 0;
  for (let at = LAST; at >= 0; at -= 8) {
    const limb = load<u64>(DIVIDEND + at);
    let q: u64 = 0;
    if ((rest | limb) !== 0) {
      const high = (rest << 32) | (limb >> 32);
      q = high / divisor;
      rest = ((high - q * divisor) << 32) | (limb & LOW);
      const second = rest / divisor;
      rest -= second * divisor;
      q = (q << 32) | second;
    }
    store<u64>(QUOTIENT + at, q);
  }
  return rest;
}

/**
 * Whether the quotient has one limb, and the highest limbs of dividend and divisor, a word of more
 * than one limb, are enough to know it: what they leave must be as large as the quotient, so that
 * the products with the limbs below can be taken from it.
 */
export function isShort(b: usize): bool {
  let top: usize = 24;
  while (load<u64>(b + top) === 0) top -= 8;
  const zeros = clz<u64>(load<u64>(b + top));
  const divisor = aligned(b + top, zeros);
  const at = DIVIDEND + top;
  const high = aligned(at + 8, zeros);
  const above = load<u64>(at, 16) | load<u64>(at, 24) | ((load<u64>(at, 8) >> 1) >> (63 - zeros));
  if (above !== 0 || high >= divisor) return false;
  const low = aligned(at, zeros);
  shortQuotient = quotientLimb(high, low, divisor);
  return low - shortQuotient * divisor >= shortQuotient;
}

/** Leaves the dividend less q · b, which is a word. */
export function subtractProduct(to: usize, q: u64, b: usize): void {
  const b0 = load<u64>(b);
  const b1 = load<u64>(b, 8);
  const b2 = load<u64>(b, 16);
  const p1 = q * b1;
  const s1 = p1 + high64(q, b0);
  const h1 = high64(q, b1) + u64(s1 < p1);
  const p2 = q * b2;
  const s2 = p2 + h1;
  const h2 = high64(q, b2) + u64(s2 < p2);
  const s3 = q * load<u64>(b, 24) + h2;
  const d0 = load<u64>(DIVIDEND);
  const d1 = load<u64>(DIVIDEND, 8);
  const d2 = load<u64>(DIVIDEND, 16);
  const s0 = q * b0;
  const borrow0 = u64(d0 < s0);
  const e1 = d1 - s1;
  const borrow1 = u64(d1 < s1) | u64(e1 < borrow0);
  const e2 = d2 - s2;
  const borrow2 = u64(d2 < s2) | u64(e2 < borrow1);
  store<u64>(to, d0 - s0);
  store<u64>(to, e1 - borrow0, 8);
  store<u64>(to, e2 - borrow1, 16);
  store<u64>(to, load<u64>(DIVIDEND, 24) - s3 - borrow2, 24);
}
