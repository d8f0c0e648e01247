/**
 * The optimal ate pairing (Vercauteren, 2010) of several pairs at once, which share the squarings,
 * and the final exponentiation (Fuentes-Castaneda, Knapp, Rodriguez-Henriquez, 2011).
 */
import { PAIR, PAIR_BYTES } from './columns';
import { setReal } from './fp2';
import {
  conjugate,
  FP12,
  frobenius,
  invert,
  isOne,
  multiply,
  multiplyByLine,
  setOne,
  square,
  squareCyclotomic,
} from './fp12';
import { readG1 } from './g1';
import {
  AFFINE,
  addG2,
  doubleG2,
  HOMOGENEOUS,
  isSame,
  LINE0,
  LINE1,
  LINE2,
  psi,
  readG2,
} from './g2';
import { add, copy, double, multiplyPairs, negate } from './pairs';
import { recode } from './recoding';
import { isZeroBytes, ONE } from './words';

/** Pairs of a piece. */
export const PAIRS_MAX: i32 = 4;

/** The parameter of the curve, and 6·x + 2 without its bit 64. */
const X: u64 = 0x44e992b44a6909f1;
const LOOP: u64 = 0x9d797039be763ba8;

/**
 * What is kept of a pair: the multiples of its point of G1 that lines need, on both sides each, its
 * point of G2 and the opposite one, the running point.
 */
const Y: usize = 0;
const MINUS_X: usize = PAIR;
const MINUS_TWICE_Y: usize = 2 * PAIR;
const THRICE_X: usize = 3 * PAIR;
const Q: usize = 4 * PAIR;
const OPPOSITE: usize = Q + AFFINE;
const RUNNING: usize = OPPOSITE + AFFINE;
/** Whether the point of G1 is at infinity: then only the point of G2 is checked. */
const IS_LEFT_OUT: usize = RUNNING + HOMOGENEOUS;
const RECORD: usize = IS_LEFT_OUT + 16;
const RECORDS = memory.data(4 * (11 * PAIR_BYTES + 16), 16);

const LOOP_DIGITS = memory.data(72);
const X_DIGITS = memory.data(72);
let loopCount: i32 = 0;
let xCount: i32 = 0;

/** The product of all pairs so far, before the final exponentiation; the host may keep it. */
export const PRODUCT: usize = memory.data(6 * PAIR_BYTES, 16);
export const PRODUCT_BYTES: i32 = <i32>FP12;
const VALUE = memory.data(6 * PAIR_BYTES, 16);
const L0 = memory.data(PAIR_BYTES, 16);
const L1 = memory.data(PAIR_BYTES, 16);

export function openPairing(): void {
  loopCount = recode(LOOP_DIGITS, LOOP, 1, 2);
  xCount = recode(X_DIGITS, X, 0, 4);
}

/** Reads the pair unless its point of G2 is at infinity: 1 when it counts, -1 when it is not valid. */
function readRecord(to: usize, from: usize): i32 {
  const isLeftOut = isZeroBytes(from, 64);
  store<i32>(to, isLeftOut ? 1 : 0, IS_LEFT_OUT);
  if (!isLeftOut) {
    const x = to + THRICE_X;
    if (!readG1(x, to + Y, from)) return -1;
    negate(to + MINUS_X, x);
    double(to + MINUS_TWICE_Y, to + Y, 1);
    negate(to + MINUS_TWICE_Y, to + MINUS_TWICE_Y);
    double(L0, x, 1);
    add(x, x, L0);
  }
  if (isZeroBytes(from + 64, 128)) return 0;
  const q = to + Q;
  if (!readG2(q, from + 64)) return -1;
  copy(to + OPPOSITE, q);
  negate(to + OPPOSITE + PAIR, q + PAIR);
  memory.copy(to + RUNNING, q, AFFINE);
  setReal(to + RUNNING + AFFINE, ONE);
  return 1;
}

function applyLine(record: usize, l0: usize, l1: usize): void {
  if (load<i32>(record, IS_LEFT_OUT) !== 0) return;
  multiplyPairs(L0, LINE0, record + l0);
  multiplyPairs(L1, LINE1, record + l1);
  multiplyByLine(VALUE, L0, L1, LINE2);
}

function addAll(end: usize, point: usize): void {
  for (let record = RECORDS; record < end; record += RECORD) {
    addG2(record + RUNNING, record + point);
    applyLine(record, Y, MINUS_X);
  }
}

/**
 * Multiplies PRODUCT by the values of `count` pairs of 192 bytes; false when a point is not valid.
 *
 * The running point ends as (6·x + 2 + psi - psi²)Q. It is -psi³(Q) exactly when Q is in the
 * subgroup: the norm of 6·x + 2 + psi - psi² + psi³ has no factor in common with the order of the
 * twist but that of the subgroup. Z is zero from a step on that its formula does not cover, which
 * never happens in the subgroup.
 */
export function multiplyPairings(from: usize, count: i32): bool {
  let end = RECORDS;
  for (let i = 0; i < count; i++) {
    const read = readRecord(end, from);
    if (read < 0) return false;
    if (read > 0) end += RECORD;
    from += 192;
  }
  if (end === RECORDS) return true;
  setOne(VALUE);
  for (let i = loopCount - 2; i >= 0; i--) {
    if (i < loopCount - 2) square(VALUE, VALUE);
    for (let record = RECORDS; record < end; record += RECORD) {
      doubleG2(record + RUNNING);
      applyLine(record, MINUS_TWICE_Y, THRICE_X);
    }
    const digit = load<i8>(LOOP_DIGITS + <usize>i);
    if (digit !== 0) addAll(end, digit > 0 ? Q : OPPOSITE);
  }
  for (let record = RECORDS; record < end; record += RECORD) {
    psi(record + Q, record + Q);
    psi(record + OPPOSITE, record + Q);
    negate(record + OPPOSITE + PAIR, record + OPPOSITE + PAIR);
  }
  addAll(end, Q);
  addAll(end, OPPOSITE);
  for (let record = RECORDS; record < end; record += RECORD) {
    psi(record + Q, record + OPPOSITE);
    if (!isSame(record + RUNNING, record + Q)) return false;
  }
  multiply(PRODUCT, PRODUCT, VALUE);
  return true;
}

const TABLE = memory.data(24 * PAIR_BYTES, 16);
const POWER = memory.data(6 * PAIR_BYTES, 16);
const A = memory.data(6 * PAIR_BYTES, 16);
const B = memory.data(6 * PAIR_BYTES, 16);
const C = memory.data(6 * PAIR_BYTES, 16);
const D = memory.data(6 * PAIR_BYTES, 16);
const E = memory.data(6 * PAIR_BYTES, 16);

/** to = a^(-x), for an element of the cyclotomic subgroup. */
function powerOfMinusX(to: usize, a: usize): void {
  memory.copy(TABLE, a, FP12);
  memory.copy(POWER, a, FP12);
  squareCyclotomic(POWER);
  for (let i: usize = 0; i < 3 * FP12; i += FP12) multiply(TABLE + i + FP12, TABLE + i, POWER);
  // The highest digit is above zero.
  const top = <usize>load<i8>(X_DIGITS + <usize>(xCount - 1));
  memory.copy(to, TABLE + (top >> 1) * FP12, FP12);
  for (let i = xCount - 2; i >= 0; i--) {
    squareCyclotomic(to);
    const digit = <i32>load<i8>(X_DIGITS + <usize>i);
    if (digit === 0) continue;
    const entry = TABLE + <usize>(abs(digit) >> 1) * FP12;
    if (digit > 0) {
      multiply(to, to, entry);
    } else {
      conjugate(POWER, entry);
      multiply(to, to, POWER);
    }
  }
  conjugate(to, to);
}

/** Whether PRODUCT to the power (p^12 - 1) / r is one. */
export function isProductOne(): bool {
  const f = VALUE;
  // f^((p^6 - 1)(p² + 1))
  invert(A, PRODUCT);
  conjugate(f, PRODUCT);
  multiply(f, f, A);
  memory.copy(A, f, FP12);
  frobenius(A);
  frobenius(A);
  multiply(f, f, A);
  // f^(2x(6x² + 3x + 1)(p^4 - p² + 1) / r)
  powerOfMinusX(A, f);
  squareCyclotomic(A);
  memory.copy(B, A, FP12);
  squareCyclotomic(B);
  multiply(B, B, A);
  powerOfMinusX(C, B);
  memory.copy(E, C, FP12);
  squareCyclotomic(E);
  powerOfMinusX(D, E);
  conjugate(B, B);
  conjugate(D, D);
  multiply(D, D, C);
  multiply(D, D, B);
  multiply(B, D, A);
  multiply(A, D, C);
  multiply(A, A, f);
  memory.copy(C, B, FP12);
  frobenius(C);
  multiply(A, A, C);
  frobenius(D);
  frobenius(D);
  multiply(A, A, D);
  conjugate(f, f);
  multiply(f, f, B);
  frobenius(f);
  frobenius(f);
  frobenius(f);
  multiply(f, f, A);
  return isOne(f);
}
