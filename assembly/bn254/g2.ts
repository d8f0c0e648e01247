/**
 * Points of the twist y² = x³ + 3/xi over Fp2, and lines through them (Costello, Lange, Naehrig,
 * 2010): homogeneous, (X : Y : Z). A line's value is l0·y + l1·x·w + l2·v·w at the point (x, y) of G1.
 */
import { PAIR, PAIR_BYTES } from './columns';
import { conjugate, invert, multiply, setReal, square } from './fp2';
import { FROBENIUS } from './fp12';
import { add, addThrice, copy, double, multiplyByXi, subtract, subtractThrice } from './pairs';
import { isZero, ONE, readPair } from './words';

/** Bytes of an affine point, and of a homogeneous one. */
export const AFFINE: usize = 2 * PAIR;
export const HOMOGENEOUS: usize = 3 * PAIR;

/** 3/xi, and three times that. */
const TWIST = memory.data(PAIR_BYTES, 16);
const THRICE_TWIST = memory.data(PAIR_BYTES, 16);
const A = memory.data(PAIR_BYTES, 16);
const B = memory.data(PAIR_BYTES, 16);
const C = memory.data(PAIR_BYTES, 16);
const D = memory.data(PAIR_BYTES, 16);
const E = memory.data(PAIR_BYTES, 16);
const F = memory.data(PAIR_BYTES, 16);

/** The last line's coefficients. */
export const LINE0: usize = memory.data(PAIR_BYTES, 16);
export const LINE1: usize = memory.data(PAIR_BYTES, 16);
export const LINE2: usize = memory.data(PAIR_BYTES, 16);

export function openG2(): void {
  setReal(A, ONE);
  multiplyByXi(A, A);
  invert(A, A);
  add(B, A, A);
  add(TWIST, A, B);
  add(B, TWIST, TWIST);
  add(THRICE_TWIST, TWIST, B);
}

/** Reads a point; false when it is not on the twist. Each coordinate is imaginary ‖ real. */
export function readG2(to: usize, from: usize): bool {
  if (!readPair(to, from + 32, from) || !readPair(to + PAIR, from + 96, from + 64)) return false;
  square(A, to);
  multiply(A, A, to);
  add(A, A, TWIST);
  square(B, to + PAIR);
  subtract(A, A, B);
  return isZero(A);
}

/** t = 2·t, with the tangent: its l0 lacks a factor of -2, its l1 one of 3. */
export function doubleG2(t: usize): void {
  const y = t + PAIR;
  const z = t + 2 * PAIR;
  square(LINE1, t);
  multiply(A, t, y);
  square(B, y);
  square(C, z);
  multiply(LINE0, y, z);
  // E = 9/xi·Z², D = 3·E
  multiply(E, C, THRICE_TWIST);
  subtract(LINE2, E, B);
  // X' = 2·X·Y·(B - 3·E)
  subtractThrice(C, B, E);
  double(C, C, 1);
  multiply(t, A, C);
  // Y' = (B + 3·E)² - 12·E²
  addThrice(C, B, E);
  square(C, C);
  double(E, E, 1);
  square(E, E);
  subtractThrice(y, C, E);
  // Z' = 8·B·Y·Z
  double(C, LINE0, 2);
  double(B, B, 1);
  multiply(z, B, C);
}

/** t = t + q, with the line through both. When they were the same or opposite, Z becomes zero. */
export function addG2(t: usize, q: usize): void {
  const y = t + PAIR;
  const z = t + 2 * PAIR;
  // theta = Y - y·Z, lambda = X - x·Z
  multiply(A, q + PAIR, z);
  subtract(A, y, A);
  multiply(LINE0, q, z);
  subtract(LINE0, t, LINE0);
  square(C, A);
  square(D, LINE0);
  multiply(E, LINE0, D);
  multiply(F, z, C);
  multiply(D, t, D);
  // H = lambda³ + Z·theta² - 2·X·lambda²
  add(F, F, E);
  double(C, D, 1);
  subtract(F, F, C);
  multiply(t, LINE0, F);
  subtract(D, D, F);
  multiply(D, A, D);
  multiply(F, E, y);
  subtract(y, D, F);
  multiply(z, z, E);
  // theta·x - lambda·y
  multiply(LINE2, A, q);
  multiply(F, LINE0, q + PAIR);
  subtract(LINE2, LINE2, F);
  copy(LINE1, A);
}

/** to = psi(q): the Frobenius endomorphism of the curve, on the twist. */
export function psi(to: usize, q: usize): void {
  conjugate(to, q);
  multiply(to, to, FROBENIUS + PAIR);
  conjugate(to + PAIR, q + PAIR);
  multiply(to + PAIR, to + PAIR, FROBENIUS + 2 * PAIR);
}

/** Whether t is the affine point q. */
export function isSame(t: usize, q: usize): bool {
  if (isZero(t + 2 * PAIR)) return false;
  multiply(A, q, t + 2 * PAIR);
  subtract(A, A, t);
  if (!isZero(A)) return false;
  multiply(A, q + PAIR, t + 2 * PAIR);
  subtract(A, A, t + PAIR);
  return isZero(A);
}
