/** Fp6 = Fp2(v), v³ = xi = 9 + i: three pairs, those of 1, v and v². */
import { PAIR, PAIR_BYTES } from './columns';
import { invert as invertFp2, multiply as multiplyFp2, square } from './fp2';
import {
  add as addPairs,
  multiplyByXi,
  negate as negatePair,
  subtract as subtractPairs,
} from './pairs';

export const FP6: usize = 3 * PAIR;
const V1: usize = PAIR;
const V2: usize = 2 * PAIR;

const A0 = memory.data(PAIR_BYTES, 16);
const A1 = memory.data(PAIR_BYTES, 16);
const A2 = memory.data(PAIR_BYTES, 16);
const S = memory.data(PAIR_BYTES, 16);
const T = memory.data(PAIR_BYTES, 16);
const R0 = memory.data(PAIR_BYTES, 16);
const R1 = memory.data(PAIR_BYTES, 16);

export function add(to: usize, a: usize, b: usize): void {
  for (let i: usize = 0; i < FP6; i += PAIR) addPairs(to + i, a + i, b + i);
}

export function subtract(to: usize, a: usize, b: usize): void {
  for (let i: usize = 0; i < FP6; i += PAIR) subtractPairs(to + i, a + i, b + i);
}

export function negate(to: usize, a: usize): void {
  for (let i: usize = 0; i < FP6; i += PAIR) negatePair(to + i, a + i);
}

/** to = v·a */
export function multiplyByV(to: usize, a: usize): void {
  multiplyByXi(T, a + V2);
  memory.copy(to + V1, a, V2);
  memory.copy(to, T, PAIR);
}

/** to = (a + b)(c + d) - x - y, where x and y are products that are known. */
function cross(to: usize, a: usize, b: usize, c: usize, d: usize, x: usize, y: usize): void {
  addPairs(S, a, b);
  addPairs(T, c, d);
  multiplyFp2(to, S, T);
  subtractPairs(to, to, x);
  subtractPairs(to, to, y);
}

/** Six products instead of nine (Karatsuba). */
export function multiply(to: usize, a: usize, b: usize): void {
  multiplyFp2(A0, a, b);
  multiplyFp2(A1, a + V1, b + V1);
  multiplyFp2(A2, a + V2, b + V2);
  cross(R0, a + V1, a + V2, b + V1, b + V2, A1, A2);
  cross(R1, a, a + V1, b, b + V1, A0, A1);
  cross(to + V2, a, a + V2, b, b + V2, A0, A2);
  addPairs(to + V2, to + V2, A1);
  multiplyByXi(R0, R0);
  addPairs(to, R0, A0);
  multiplyByXi(A2, A2);
  addPairs(to + V1, R1, A2);
}

/** to = a·(b0 + b1·v) */
export function multiplyByTwo(to: usize, a: usize, b0: usize, b1: usize): void {
  multiplyFp2(A0, a, b0);
  multiplyFp2(A1, a + V1, b1);
  addPairs(S, a + V1, a + V2);
  multiplyFp2(R0, S, b1);
  subtractPairs(R0, R0, A1);
  cross(R1, a, a + V1, b0, b1, A0, A1);
  addPairs(S, a, a + V2);
  multiplyFp2(T, S, b0);
  subtractPairs(T, T, A0);
  addPairs(to + V2, T, A1);
  multiplyByXi(R0, R0);
  addPairs(to, R0, A0);
  memory.copy(to + V1, R1, PAIR);
}

/** to = a·b, b in Fp2 */
export function multiplyByOne(to: usize, a: usize, b: usize): void {
  for (let i: usize = 0; i < FP6; i += PAIR) multiplyFp2(to + i, a + i, b);
}

/** The adjoint divided by the norm. */
export function invert(to: usize, a: usize): void {
  // a0² - xi·a1·a2
  square(A0, a);
  multiplyFp2(T, a + V1, a + V2);
  multiplyByXi(T, T);
  subtractPairs(A0, A0, T);
  // xi·a2² - a0·a1
  square(A1, a + V2);
  multiplyByXi(A1, A1);
  multiplyFp2(T, a, a + V1);
  subtractPairs(A1, A1, T);
  // a1² - a0·a2
  square(A2, a + V1);
  multiplyFp2(T, a, a + V2);
  subtractPairs(A2, A2, T);
  multiplyFp2(R0, a + V2, A1);
  multiplyFp2(R1, a + V1, A2);
  addPairs(R0, R0, R1);
  multiplyByXi(R0, R0);
  multiplyFp2(R1, a, A0);
  addPairs(R0, R0, R1);
  invertFp2(R0, R0);
  multiplyFp2(to, A0, R0);
  multiplyFp2(to + V1, A1, R0);
  multiplyFp2(to + V2, A2, R0);
}
