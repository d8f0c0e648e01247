/** DIV, MOD, SDIV, SMOD and ADDMOD. */
import { DIVIDEND, QUOTIENT } from './digits';
import { SCRATCH } from './layout';
import { divideByLimb, isShort, shortQuotient, subtractProduct } from './limb-quotient';
import { divide } from './long-quotient';
import { add, copy, isLess, isLong, isNegative, isZero, negate, set, subtract } from './words';

const SIGNED_A: usize = SCRATCH + 256;
const SIGNED_B: usize = SCRATCH + 288;

/** DIV: 0 where the divisor is 0. */
export function quotient(to: usize, a: usize, b: usize): void {
  if (isZero(b)) return set(to, 0);
  if (!isLong(a) && !isLong(b)) return set(to, load<u64>(a) / load<u64>(b));
  if (isLess(a, b)) return set(to, 0);
  copy(DIVIDEND, a);
  set(DIVIDEND + 32, 0);
  if (!isLong(b)) {
    divideByLimb(load<u64>(b));
    copy(to, QUOTIENT);
  } else if (isShort(b)) set(to, shortQuotient);
  else divide(to, 0, b, true);
}

/** MOD: 0 where the modulus is 0. */
export function remainder(to: usize, a: usize, b: usize): void {
  if (isZero(b)) return set(to, 0);
  if (!isLong(a) && !isLong(b)) return set(to, load<u64>(a) % load<u64>(b));
  if (isLess(a, b)) return copy(to, a);
  copy(DIVIDEND, a);
  leaveRemainder(to, 0, b);
}

/** Of the word at DIVIDEND, and `carry` beyond its bits. */
function leaveRemainder(to: usize, carry: u64, b: usize): void {
  set(DIVIDEND + 32, carry);
  if (!isLong(b)) set(to, divideByLimb(load<u64>(b)));
  else if (isShort(b)) subtractProduct(to, shortQuotient, b);
  else divide(to, carry, b, false);
}

function magnitude(to: usize, a: usize): void {
  if (isNegative(a)) negate(to, a);
  else copy(to, a);
}

export function signedQuotient(to: usize, a: usize, b: usize): void {
  const negative = isNegative(a) !== isNegative(b);
  magnitude(SIGNED_A, a);
  magnitude(SIGNED_B, b);
  quotient(to, SIGNED_A, SIGNED_B);
  if (negative) negate(to, to);
}

/** The result has the sign of the dividend. */
export function signedRemainder(to: usize, a: usize, b: usize): void {
  const negative = isNegative(a);
  magnitude(SIGNED_A, a);
  magnitude(SIGNED_B, b);
  remainder(to, SIGNED_A, SIGNED_B);
  if (negative) negate(to, to);
}

export function addModulo(to: usize, a: usize, b: usize, modulus: usize): void {
  if (isZero(modulus)) return set(to, 0);
  const carry = add(DIVIDEND, a, b);
  if (carry === 0) {
    if (isLess(DIVIDEND, modulus)) return copy(to, DIVIDEND);
    if (isLess(a, modulus) && isLess(b, modulus)) return subtract(to, DIVIDEND, modulus);
  }
  leaveRemainder(to, carry, modulus);
}
