/**
 * Points of the curve y² = x³ + 3 over Fp. The running point is Jacobian: X and Y are the sides of
 * one pair, Z is on both sides of another one.
 */
import { PAIR, PAIR_BYTES } from './columns';
import { inverse } from './inverse';
import {
  add,
  blend,
  copy,
  double,
  firsts,
  firstTwice,
  multiplyPairs,
  seconds,
  secondTwice,
  subtract,
  tidy,
} from './pairs';
import { recode } from './recoding';
import { isFirstZero, isZero, isZeroBytes, ONE, readPair, setElement, writePair } from './words';

const XY = memory.data(PAIR_BYTES, 16);
const Z = memory.data(PAIR_BYTES, 16);
const L = memory.data(PAIR_BYTES, 16);
const R = memory.data(PAIR_BYTES, 16);
const S1 = memory.data(PAIR_BYTES, 16);
const S2 = memory.data(PAIR_BYTES, 16);
const S3 = memory.data(PAIR_BYTES, 16);
/** The last difference of x in `addPoint`: the factor by which it changed Z. */
const H = memory.data(PAIR_BYTES, 16);
const SUM = memory.data(PAIR_BYTES, 16);
const THREE = memory.data(PAIR_BYTES, 16);
/** A cube root of one, and 1. */
const BETA = memory.data(PAIR_BYTES, 16);
/** x and y of the points of an input, on both sides or one on each. */
const X = memory.data(PAIR_BYTES, 16);
const Y = memory.data(PAIR_BYTES, 16);

const WIDTH: i32 = 4;
const ENTRIES: usize = 4;
/** P, 3P, 5P, 7P, and their images under the endomorphism (x, y) -> (beta·x, y). */
const TABLE = memory.data(8 * PAIR_BYTES, 16);
const IMAGES: usize = TABLE + ENTRIES * PAIR;
/** By how much each entry's Z differs from the one before. */
const RATIOS = memory.data(4 * PAIR_BYTES, 16);
const GLOBAL_Z = memory.data(PAIR_BYTES, 16);
const DIGITS = memory.data(2 * 128);

export function openG1(): void {
  add(THREE, ONE, ONE);
  add(THREE, THREE, ONE);
  setElement(L, 0xe4bd44e5607cfd48, 0xc28f069fbb966e3d, 0x5e6dd9e7e0acccb0, 0x30644e72e131a029);
  blend(BETA, L, ONE);
}

/** Whether the points (x, y) of both sides are on the curve. */
function areOnCurve(x: usize, y: usize): bool {
  multiplyPairs(L, x, x);
  multiplyPairs(L, L, x);
  add(L, L, THREE);
  multiplyPairs(R, y, y);
  subtract(L, L, R);
  return isZero(L);
}

/** Whether one point is on the curve, x and y being the sides of a pair. */
function isOnCurve(xy: usize): bool {
  multiplyPairs(S1, xy, xy);
  multiplyPairs(L, S1, xy);
  secondTwice(R, S1);
  add(L, L, THREE);
  subtract(L, L, R);
  return isFirstZero(L);
}

/** (XY, Z) = 2·(XY, Z), in four products of two. */
function doublePoint(): void {
  // A = X², B = Y²
  multiplyPairs(S1, XY, XY);
  for (let i: usize = 0; i < PAIR; i += 16) {
    const b = i32x4.shl(v128.load(S1 + i), 1);
    v128.store(L + i, v128.shuffle<i32>(v128.load(XY + i), b, 0, 5, 2, 7));
    v128.store(R + i, i32x4.shl(v128.shuffle<i32>(b, b, 1, 1, 3, 3), 1));
  }
  // D = 4·X·B, C = 8·B²
  multiplyPairs(S2, L, R);
  for (let i: usize = 0; i < PAIR; i += 16) {
    const a = v128.load(S1 + i);
    const e = i32x4.add(a, i32x4.shl(a, 1));
    const y = i32x4.shl(v128.load(XY + i), 1);
    v128.store(L + i, v128.shuffle<i32>(e, y, 0, 5, 2, 7));
    v128.store(R + i, v128.shuffle<i32>(e, v128.load(Z + i), 0, 5, 2, 7));
  }
  // F = E², E = 3·A; 2·Y·Z
  multiplyPairs(S3, L, R);
  for (let i: usize = 0; i < PAIR; i += 16) {
    const d = v128.load(S2 + i);
    const f = v128.load(S3 + i);
    v128.store(R + i, i32x4.sub(i32x4.add(d, i32x4.shl(d, 1)), f));
    v128.store(Z + i, v128.shuffle<i32>(f, f, 1, 1, 3, 3));
  }
  // E·(D - X'), X' = F - 2·D
  multiplyPairs(S1, L, R);
  const first = i32x4(-1, 0, -1, 0);
  for (let i: usize = 0; i < PAIR; i += 16) {
    const dc = v128.load(S2 + i);
    const sums = v128.shuffle<i32>(v128.load(S3 + i), v128.load(S1 + i), 0, 4, 2, 6);
    v128.store(L + i, i32x4.sub(sums, i32x4.add(dc, v128.and(dc, first))));
  }
  tidy(XY, L);
}

/** (XY, Z) = (XY, Z) + the affine point `q`, another one. H is the factor of Z. */
function addPoint(q: usize): void {
  // Z², y·Z
  blend(R, Z, q);
  multiplyPairs(S1, Z, R);
  // x·Z², y·Z³
  blend(L, q, S1);
  firstTwice(R, S1);
  multiplyPairs(S2, L, R);
  // H = x·Z² - X, r = y·Z³ - Y
  subtract(S2, S2, XY);
  // H², r²
  multiplyPairs(S3, S2, S2);
  // H³, V = X·H²
  firsts(L, S2, XY);
  firstTwice(R, S3);
  multiplyPairs(S1, L, R);
  for (let i: usize = 0; i < PAIR; i += 16) {
    const cube = v128.load(S1 + i);
    const v = v128.shuffle<i32>(cube, cube, 1, 0, 3, 2);
    const square = v128.load(S3 + i);
    const r = v128.shuffle<i32>(square, square, 1, 0, 3, 2);
    // X' = r² - H³ - 2·V, on the first side
    const x = i32x4.sub(i32x4.sub(r, cube), i32x4.shl(v, 1));
    v128.store(S3 + i, x);
    // V - X', H³
    v128.store(R + i, v128.shuffle<i32>(i32x4.sub(v, x), v, 0, 5, 2, 7));
  }
  // r·(V - X'), Y·H³
  seconds(L, S2, XY);
  multiplyPairs(S1, L, R);
  for (let i: usize = 0; i < PAIR; i += 16) {
    const parts = v128.load(S1 + i);
    const y = i32x4.sub(v128.shuffle<i32>(parts, parts, 0, 0, 2, 2), parts);
    v128.store(L + i, v128.shuffle<i32>(v128.load(S3 + i), y, 0, 5, 2, 7));
  }
  tidy(XY, L);
  firstTwice(H, S2);
  multiplyPairs(Z, Z, H);
}

/** q = (x·s², y·s³), s on both sides. */
function scale(q: usize, s: usize): void {
  multiplyPairs(L, s, s);
  blend(R, ONE, s);
  multiplyPairs(L, L, R);
  multiplyPairs(q, q, L);
}

/**
 * The table of the point in XY. All its entries get the same Z, so that they are affine points of an
 * isomorphic curve, whose formulas are the same; GLOBAL_Z leads back.
 */
function openTable(): void {
  copy(TABLE, XY);
  copy(Z, ONE);
  doublePoint();
  copy(SUM, XY);
  copy(GLOBAL_Z, Z);
  scale(TABLE, Z);
  copy(XY, TABLE);
  copy(Z, ONE);
  for (let i: usize = 1; i < ENTRIES; i++) {
    addPoint(SUM);
    copy(TABLE + i * PAIR, XY);
    copy(RATIOS + i * PAIR, H);
  }
  multiplyPairs(GLOBAL_Z, GLOBAL_Z, Z);
  copy(Z, RATIOS + (ENTRIES - 1) * PAIR);
  for (let i: usize = ENTRIES - 2; ; i--) {
    scale(TABLE + i * PAIR, Z);
    if (i === 0) break;
    multiplyPairs(Z, Z, RATIOS + i * PAIR);
  }
  for (let i: usize = 0; i < ENTRIES; i++) {
    multiplyPairs(IMAGES + i * PAIR, TABLE + i * PAIR, BETA);
  }
}

let isStarted: bool = false;

/** Adds `digit` times the table's point. */
function addEntry(table: usize, digit: i32): void {
  let entry = table + <usize>(abs(digit) >> 1) * PAIR;
  if (digit < 0) {
    const second = i32x4(0, -1, 0, -1);
    for (let i: usize = 0; i < PAIR; i += 16) {
      v128.store(SUM + i, i32x4.sub(v128.xor(v128.load(entry + i), second), second));
    }
    entry = SUM;
  }
  if (isStarted) {
    addPoint(entry);
  } else {
    copy(XY, entry);
    copy(Z, ONE);
    isStarted = true;
  }
}

/** Reads a point, x and y on both sides each; false when it is not on the curve. */
export function readG1(x: usize, y: usize, from: usize): bool {
  return readPair(x, from, from) && readPair(y, from + 32, from + 32) && areOnCurve(x, y);
}

/**
 * Writes k·P + l·Q, where Q is the image of P under the endomorphism; false when P is not on the
 * curve. k and l are below 2^127, `signs` has bit 0 when k is negative, bit 1 when l is. The same
 * point is never added to itself, nor to its opposite: that would make k + l·lambda zero for numbers
 * that are shorter than any in the lattice of such pairs.
 */
export function multiplyG1(out: usize, from: usize, scalars: usize, signs: i32): bool {
  if (isInfinity(from)) {
    memory.fill(out, 0, 64);
    return true;
  }
  if (!readG1(X, Y, from)) return false;
  blend(XY, X, Y);
  openTable();
  const first = recode(DIGITS, load<u64>(scalars), load<u64>(scalars, 8), WIDTH);
  const second = recode(DIGITS + 128, load<u64>(scalars, 16), load<u64>(scalars, 24), WIDTH);
  isStarted = false;
  for (let i = max(first, second) - 1; i >= 0; i--) {
    if (isStarted) doublePoint();
    if (i < first) {
      const digit = <i32>load<i8>(DIGITS + <usize>i);
      if (digit !== 0) addEntry(TABLE, signs & 1 ? -digit : digit);
    }
    if (i < second) {
      const digit = <i32>load<i8>(DIGITS + 128 + <usize>i);
      if (digit !== 0) addEntry(IMAGES, signs & 2 ? -digit : digit);
    }
  }
  if (isStarted) {
    multiplyPairs(Z, Z, GLOBAL_Z);
    inverse(Z, Z);
    scale(XY, Z);
    writePair(out, XY);
  } else {
    memory.fill(out, 0, 64);
  }
  return true;
}

function isInfinity(from: usize): bool {
  return isZeroBytes(from, 64);
}

/** Writes the point itself; false when it is not on the curve. */
function copyG1(out: usize, from: usize): bool {
  memory.copy(out, from, 64);
  return isInfinity(from) || (readPair(XY, from, from + 32) && isOnCurve(XY));
}

/** Writes the sum of two points; false when one is not on the curve. */
export function addG1(out: usize, from: usize): bool {
  if (isInfinity(from)) return copyG1(out, from + 64);
  if (isInfinity(from + 64)) return copyG1(out, from);
  if (!readPair(X, from, from + 64) || !readPair(Y, from + 32, from + 96)) return false;
  if (!areOnCurve(X, Y)) return false;
  secondTwice(S1, X);
  secondTwice(S2, Y);
  // The slope's parts: differences of y and x, or 3·x² and 2·y for the same point.
  subtract(S3, S1, X);
  subtract(H, S2, Y);
  if (isFirstZero(S3)) {
    if (!isFirstZero(H)) {
      memory.fill(out, 0, 64);
      return true;
    }
    double(S3, Y, 1);
    multiplyPairs(H, X, X);
    multiplyPairs(H, H, THREE);
  }
  inverse(S3, S3);
  multiplyPairs(H, H, S3);
  firstTwice(H, H);
  multiplyPairs(L, H, H);
  subtract(L, L, X);
  subtract(L, L, S1);
  subtract(R, X, L);
  multiplyPairs(R, R, H);
  subtract(R, R, Y);
  firsts(L, L, R);
  writePair(out, L);
  return true;
}
