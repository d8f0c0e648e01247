/**
 * Division of long integers by digits of 32 bits (Knuth, The Art of Computer Programming 2, 4.3.1,
 * algorithm D).
 */
import { DIVIDEND, DIVISOR, digit, digits, QUOTIENT, quotientDigit, setDigit } from './digits';
import { divideByEight } from './division-by-eight';
import { SCRATCH } from './layout';
import { add, copy, isLess, isLong, isNegative, isZero, negate, set, subtract } from './words';

const SIGNED_A: usize = SCRATCH + 256;
const SIGNED_B: usize = SCRATCH + 288;

/**
 * Divides the integer at DIVIDEND, of `most` digits, by the word at `b`, which is not zero. The
 * quotient's low word is at QUOTIENT, the remainder at DIVIDEND.
 */
function divide(most: i32, b: usize): void {
  const n = digits(b, 8);
  const m = digits(DIVIDEND, most);
  set(QUOTIENT, 0);
  if (n > m) return;
  if (n === 1) {
    const divisor = digit(b, 0);
    let rest: u64 = 0;
    for (let i = m - 1; i >= 0; i--) {
      const part = (rest << 32) | digit(DIVIDEND, i);
      const q = part / divisor;
      if (i < 8) setDigit(QUOTIENT, i, q);
      rest = part - q * divisor;
    }
    memory.fill(DIVIDEND, 0, 64);
    store<u64>(DIVIDEND, rest);
    return;
  }
  const shift = <u64>clz<u32>(<u32>digit(b, n - 1));
  normalise(b, n, m, shift);
  const top = digit(DIVISOR, n - 1);
  const second = digit(DIVISOR, n - 2);
  const inverse = <u64>-1 / top - ((<u64>1) << 32);
  if (n === 8) divideByEight(m, top, second, inverse);
  else divideByDigits(n, m, top, second, inverse);
  memory.fill(DIVIDEND + ((<usize>n) << 2), 0, 72 - ((<usize>n) << 2));
  if (shift !== 0) shiftDown(DIVIDEND, (n + 1) >> 1, shift);
}

function divideByDigits(n: i32, m: i32, top: u64, second: u64, inverse: u64): void {
  for (let j = m - n; j >= 0; j--) {
    const first = digit(DIVIDEND, j + n);
    const next = digit(DIVIDEND, j + n - 1);
    const third = digit(DIVIDEND, j + n - 2);
    let q = quotientDigit(first, next, third, top, second, inverse);
    if (takeAway(q, j, n)) {
      q--;
      putBack(j, n);
    }
    if (j < 8) setDigit(QUOTIENT, j, q);
  }
}

/** Shifts both so that the divisor's most significant bit is set, by less than 32. */
function normalise(b: usize, n: i32, m: i32, shift: u64): void {
  setDigit(DIVIDEND, m, 0);
  copy(DIVISOR, b);
  if (shift === 0) return;
  shiftUp(DIVISOR, (n - 1) >> 1, shift);
  shiftUp(DIVIDEND, m >> 1, shift);
}

/** Limbs up to `last`. */
function shiftUp(at: usize, last: i32, shift: u64): void {
  let to = at + ((<usize>last) << 3);
  let limb = load<u64>(to);
  for (; to > at; to -= 8) {
    const below = load<u64>(to - 8);
    store<u64>(to, (limb << shift) | (below >> (64 - shift)));
    limb = below;
  }
  store<u64>(at, limb << shift);
}

/** Limbs below `end`; the one there is zero in its lower half. */
function shiftDown(at: usize, end: i32, shift: u64): void {
  let limb = load<u64>(at);
  for (const last = at + ((<usize>end) << 3); at < last; at += 8) {
    const above = load<u64>(at + 8);
    store<u64>(at, (limb >> shift) | (above << (64 - shift)));
    limb = above;
  }
}

/** Subtracts q · divisor at digit `j`; returns whether the result is negative. */
function takeAway(q: u64, j: i32, n: i32): bool {
  let at = DIVIDEND + ((<usize>j) << 2);
  const end = DIVISOR + ((<usize>n) << 2);
  let carry: u64 = 0;
  let borrow: i64 = 0;
  for (let from = DIVISOR; from < end; from += 4) {
    const product = q * <u64>load<u32>(from) + carry;
    carry = product >> 32;
    const difference = <i64>load<u32>(at) - <i64>(product & 0xffffffff) + borrow;
    store<u32>(at, <u32>difference);
    borrow = difference >> 32;
    at += 4;
  }
  const difference = <i64>load<u32>(at) - <i64>carry + borrow;
  store<u32>(at, <u32>difference);
  return difference < 0;
}

function putBack(j: i32, n: i32): void {
  let carry: u64 = 0;
  for (let i = 0; i < n; i++) {
    const sum = digit(DIVIDEND, i + j) + digit(DIVISOR, i) + carry;
    setDigit(DIVIDEND, i + j, sum);
    carry = sum >> 32;
  }
  setDigit(DIVIDEND, j + n, digit(DIVIDEND, j + n) + carry);
}

/** DIV: 0 where the divisor is 0. */
export function quotient(to: usize, a: usize, b: usize): void {
  if (isZero(b)) return set(to, 0);
  if (!isLong(a) && !isLong(b)) return set(to, load<u64>(a) / load<u64>(b));
  if (isLess(a, b)) return set(to, 0);
  copy(DIVIDEND, a);
  divide(8, b);
  copy(to, QUOTIENT);
}

/** MOD: 0 where the modulus is 0. */
export function remainder(to: usize, a: usize, b: usize): void {
  if (isZero(b)) return set(to, 0);
  if (!isLong(a) && !isLong(b)) return set(to, load<u64>(a) % load<u64>(b));
  if (isLess(a, b)) return copy(to, a);
  copy(DIVIDEND, a);
  divide(8, b);
  copy(to, DIVIDEND);
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
  store<u64>(DIVIDEND, carry, 32);
  divide(10, modulus);
  copy(to, DIVIDEND);
}
