/**
 * Division of long integers by digits of 32 bits (Knuth, The Art of Computer Programming 2, 4.3.1,
 * algorithm D).
 */
import { SCRATCH } from './layout';
import {
  begin,
  complete,
  divisorOfReciprocal,
  isKept,
  keepPower,
  LIMBS,
  multiplyByKept,
  note,
} from './modulus';
import {
  add,
  copy,
  high64,
  isAllOnes,
  isLess,
  isLong,
  isNegative,
  isZero,
  negate,
  set,
  subtract,
} from './words';

/**
 * A dividend of up to 16 digits, plus one for the bits that normalising shifts out; a divisor of 8
 * digits; a quotient of 16.
 */
const DIVIDEND: usize = SCRATCH;
const DIVISOR: usize = SCRATCH + 80;
const QUOTIENT: usize = SCRATCH + 128;
const SIGNED_A: usize = SCRATCH + 256;
const SIGNED_B: usize = SCRATCH + 288;

function digit(at: usize, i: i32): u64 {
  return <u64>load<u32>(at + ((<usize>i) << 2));
}

function setDigit(at: usize, i: i32, value: u64): void {
  store<u32>(at + ((<usize>i) << 2), <u32>value);
}

function digits(at: usize, most: i32): i32 {
  let n = most;
  while (n > 0 && load<u32>(at + ((<usize>(n - 1)) << 2)) === 0) n--;
  return n;
}

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
  for (let j = m - n; j >= 0; j--) {
    const first = digit(DIVIDEND, j + n);
    const next = digit(DIVIDEND, j + n - 1);
    let q: u64 = 0xffffffff;
    let rest = first + next;
    if (first < top) {
      q = estimate(first, next, top, inverse);
      rest = ((first << 32) | next) - q * top;
    }
    while (rest <= 0xffffffff && q * second > ((rest << 32) | digit(DIVIDEND, j + n - 2))) {
      q--;
      rest += top;
    }
    if (takeAway(q, j, n)) {
      q--;
      putBack(j, n);
    }
    if (j < 8) setDigit(QUOTIENT, j, q);
  }
  for (let i = 0; i < n; i++) {
    const above = digit(DIVIDEND, i + 1);
    setDigit(DIVIDEND, i, (((above << 32) | digit(DIVIDEND, i)) >> shift) & 0xffffffff);
  }
  memory.fill(DIVIDEND + ((<usize>n) << 2), 0, 68 - ((<usize>n) << 2));
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

/** Shifts both so that the divisor's most significant bit is set. */
function normalise(b: usize, n: i32, m: i32, shift: u64): void {
  for (let i = n - 1; i >= 0; i--) {
    const below: u64 = i > 0 ? digit(b, i - 1) : 0;
    setDigit(DIVISOR, i, (((digit(b, i) << 32) | below) << shift) >> 32);
  }
  setDigit(DIVIDEND, m, (digit(DIVIDEND, m - 1) << shift) >> 32);
  for (let i = m - 1; i >= 0; i--) {
    const below: u64 = i > 0 ? digit(DIVIDEND, i - 1) : 0;
    setDigit(DIVIDEND, i, (((digit(DIVIDEND, i) << 32) | below) << shift) >> 32);
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

/** MULMOD: 0 where the modulus is 0. */
export function multiplyModulo(to: usize, a: usize, b: usize, modulus: usize): void {
  if (isZero(modulus)) return set(to, 0);
  if (!isKept(modulus)) {
    if (!note(modulus)) {
      multiplyLong(a, b);
      if (isAllOnes(modulus)) return foldOnes(to);
      divide(16, modulus);
      return copy(to, DIVIDEND);
    }
    keep(modulus);
  }
  multiplyByKept(to, a, b);
}

/** The product of 512 bits at DIVIDEND. */
function multiplyLong(a: usize, b: usize): void {
  memory.fill(DIVIDEND, 0, 64);
  for (let i: usize = 0; i < 32; i += 8) {
    const factor = load<u64>(a + i);
    if (factor === 0) continue;
    let carry: u64 = 0;
    for (let j: usize = 0; j < 32; j += 8) {
      const at = DIVIDEND + i + j;
      const limb = load<u64>(b + j);
      const low = factor * limb;
      const sum = load<u64>(at) + low;
      const total = sum + carry;
      carry = high64(factor, limb) + u64(sum < low) + u64(total < sum);
      store<u64>(at, total);
    }
    store<u64>(DIVIDEND + i + 32, carry);
  }
}

/**
 * The product at DIVIDEND modulo 2^256 - 1, the modulus of contracts that want all 512 bits of a
 * product: the sum of its halves.
 */
function foldOnes(to: usize): void {
  const carry = add(to, DIVIDEND, DIVIDEND + 32);
  set(DIVIDEND, carry);
  add(to, to, DIVIDEND);
  if (isAllOnes(to)) set(to, 0);
}

/** Keeps what `multiplyByKept` needs of the modulus. */
function keep(modulus: usize): void {
  begin(modulus);
  for (let i = 0; i < LIMBS; i++) {
    memory.fill(DIVIDEND, 0, 64);
    const bit = 29 * (LIMBS + i);
    store<u64>(DIVIDEND + ((<usize>(bit >> 6)) << 3), (<u64>1) << (<u64>(bit & 63)));
    divide(16, modulus);
    keepPower(i, DIVIDEND);
  }
  memory.fill(DIVIDEND, 0, 64);
  store<u64>(DIVIDEND, (<u64>1) << 61, 8);
  set(SIGNED_A, divisorOfReciprocal());
  divide(4, SIGNED_A);
  complete(modulus, load<u64>(QUOTIENT));
}
