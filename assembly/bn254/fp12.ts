/** Fp12 = Fp6(w), w² = v: two elements of Fp6, those of 1 and w. */
import { PAIR, PAIR_BYTES } from './columns';
import {
  conjugate as conjugateFp2,
  multiply as multiplyFp2,
  setReal,
  square as squareFp2,
} from './fp2';
import * as fp6 from './fp6';
import { FP6 } from './fp6';
import { add, addThrice, copy, double, multiplyByXi, subtract } from './pairs';
import { isZero, ONE } from './words';

export const FP12: usize = 2 * FP6;

const A = memory.data(3 * PAIR_BYTES, 16);
const B = memory.data(3 * PAIR_BYTES, 16);
const S = memory.data(3 * PAIR_BYTES, 16);
const T = memory.data(3 * PAIR_BYTES, 16);
const OUT = memory.data(6 * PAIR_BYTES, 16);
const U = memory.data(PAIR_BYTES, 16);

export function setOne(to: usize): void {
  memory.fill(to, 0, FP12);
  setReal(to, ONE);
}

export function isOne(a: usize): bool {
  setOne(OUT);
  for (let i: usize = 0; i < FP12; i += PAIR) {
    subtract(U, a + i, OUT + i);
    if (!isZero(U)) return false;
  }
  return true;
}

export function multiply(to: usize, a: usize, b: usize): void {
  fp6.multiply(A, a, b);
  fp6.multiply(B, a + FP6, b + FP6);
  fp6.add(S, a, a + FP6);
  fp6.add(T, b, b + FP6);
  fp6.multiply(to + FP6, S, T);
  fp6.subtract(to + FP6, to + FP6, A);
  fp6.subtract(to + FP6, to + FP6, B);
  fp6.multiplyByV(B, B);
  fp6.add(to, A, B);
}

/** (a0 + a1)(a0 + v·a1) - (1 + v)·a0·a1, and 2·a0·a1 */
export function square(to: usize, a: usize): void {
  fp6.multiply(A, a, a + FP6);
  fp6.multiplyByV(S, a + FP6);
  fp6.add(S, S, a);
  fp6.add(T, a, a + FP6);
  fp6.multiply(B, S, T);
  fp6.subtract(B, B, A);
  fp6.add(to + FP6, A, A);
  fp6.multiplyByV(A, A);
  fp6.subtract(to, B, A);
}

/** a = a·(l0 + l1·w + l2·v·w): the value of a line. */
export function multiplyByLine(a: usize, l0: usize, l1: usize, l2: usize): void {
  fp6.multiplyByOne(A, a, l0);
  fp6.multiplyByTwo(B, a + FP6, l1, l2);
  add(U, l0, l1);
  fp6.add(S, a, a + FP6);
  fp6.multiplyByTwo(S, S, U, l2);
  fp6.subtract(S, S, A);
  fp6.subtract(a + FP6, S, B);
  fp6.multiplyByV(B, B);
  fp6.add(a, A, B);
}

/** a^(p^6): the inverse of an element of the cyclotomic subgroup. */
export function conjugate(to: usize, a: usize): void {
  if (to !== a) memory.copy(to, a, FP6);
  fp6.negate(to + FP6, a + FP6);
}

export function invert(to: usize, a: usize): void {
  fp6.multiply(A, a, a);
  fp6.multiply(B, a + FP6, a + FP6);
  fp6.multiplyByV(B, B);
  fp6.subtract(A, A, B);
  fp6.invert(T, A);
  fp6.multiply(to, a, T);
  fp6.multiply(to + FP6, a + FP6, T);
  fp6.negate(to + FP6, to + FP6);
}

/** xi^(k(p-1)/6) for k of 1 to 5: what w^k is multiplied by when it is raised to p. */
export const FROBENIUS: usize = memory.data(5 * PAIR_BYTES, 16);
const EXPONENT = memory.data(32, 16);

export function openFrobenius(): void {
  // (p - 1) / 6
  store<u64>(EXPONENT, 0x34b017592414d4e1);
  store<u64>(EXPONENT, 0xee9591c2e6bda1c2, 8);
  store<u64>(EXPONENT, 0xf40d60f3c0403964, 16);
  store<u64>(EXPONENT, 0x0810b7bdd032f006, 24);
  setOne(OUT);
  multiplyByXi(U, OUT);
  copy(FROBENIUS, OUT);
  for (let bit = 251; bit >= 0; bit--) {
    squareFp2(FROBENIUS, FROBENIUS);
    const word = load<u64>(EXPONENT + <usize>((bit >> 6) << 3));
    if ((word >> (bit & 63)) & 1) multiplyFp2(FROBENIUS, FROBENIUS, U);
  }
  for (let at = FROBENIUS; at < FROBENIUS + 4 * PAIR; at += PAIR) {
    multiplyFp2(at + PAIR, at, FROBENIUS);
  }
}

/** a = a^p; the coefficients are those of w^0, w^2, w^4, w^1, w^3, w^5. */
export function frobenius(a: usize): void {
  for (let i: usize = 0; i < FP12; i += PAIR) conjugateFp2(a + i, a + i);
  multiplyFp2(a + PAIR, a + PAIR, FROBENIUS + PAIR);
  multiplyFp2(a + 2 * PAIR, a + 2 * PAIR, FROBENIUS + 3 * PAIR);
  multiplyFp2(a + FP6, a + FP6, FROBENIUS);
  multiplyFp2(a + FP6 + PAIR, a + FP6 + PAIR, FROBENIUS + 2 * PAIR);
  multiplyFp2(a + FP6 + 2 * PAIR, a + FP6 + 2 * PAIR, FROBENIUS + 4 * PAIR);
}

/**
 * S, T = (x + y·s)², s² = xi, for two coefficients that lie w³ apart.
 */
function squareHalf(x: usize, y: usize): void {
  squareFp2(A, x);
  squareFp2(B, y);
  add(U, x, y);
  squareFp2(T, U);
  subtract(T, T, A);
  subtract(T, T, B);
  multiplyByXi(B, B);
  add(S, A, B);
}

/** to = 3·square - 2·a */
function lower(to: usize, square: usize, a: usize): void {
  subtract(U, square, a);
  double(U, U, 1);
  add(to, U, square);
}

/** to = 3·square + 2·a */
function raise(to: usize, square: usize, a: usize): void {
  double(U, a, 1);
  addThrice(to, U, square);
}

/** Squares an element of the cyclotomic subgroup (Granger and Scott, 2010). */
export function squareCyclotomic(a: usize): void {
  const b = a + FP6;
  squareHalf(a, b + PAIR);
  lower(OUT, S, a);
  raise(OUT + FP6 + PAIR, T, b + PAIR);
  squareHalf(b, a + 2 * PAIR);
  lower(OUT + PAIR, S, a + PAIR);
  raise(OUT + FP6 + 2 * PAIR, T, b + 2 * PAIR);
  squareHalf(a + PAIR, b + 2 * PAIR);
  lower(OUT + 2 * PAIR, S, a + 2 * PAIR);
  multiplyByXi(T, T);
  raise(OUT + FP6, T, b);
  memory.copy(a, OUT, FP12);
}
