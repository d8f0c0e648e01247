/** Pairs of field elements: operations on both sides. Results are tight, and within 0.7p of zero. */
import { HALF, P, PAIR, PAIR_BYTES, product, RADIX_BITS, reduce } from './columns';

const FOUR = memory.data(PAIR_BYTES, 16);

/**
 * to = digits that are up to 7 - n times tight ones, of values within n·p of zero: subtracts the
 * nearest multiple of p, and each digit hands on what exceeds a tight one to the next.
 */
function settle(to: usize, v0: v128, v1: v128, v2: v128, v3: v128, v4: v128): void {
  // p's highest digit is 12388 · 256, and 677 / 2^23 is about 1 / 12388.
  const top = i32x4.mul(i32x4.shr_s(v4, 8), i32x4.splat(677));
  const nearest = i32x4.shr_s(i32x4.add(top, i32x4.splat(1 << 22)), 23);
  const count = v128.shuffle<i32>(nearest, nearest, 0, 1, 0, 1);
  v0 = i32x4.sub(v0, i32x4.mul(count, v128.load(P)));
  v1 = i32x4.sub(v1, i32x4.mul(count, v128.load(P, 16)));
  v2 = i32x4.sub(v2, i32x4.mul(count, v128.load(P, 32)));
  v3 = i32x4.sub(v3, i32x4.mul(count, v128.load(P, 48)));
  v4 = i32x4.sub(v4, i32x4.mul(count, v128.load(P, 64)));
  const half = i32x4.splat(HALF);
  const over0 = i32x4.shr_s(i32x4.add(v0, half), RADIX_BITS);
  const over1 = i32x4.shr_s(i32x4.add(v1, half), RADIX_BITS);
  const over2 = i32x4.shr_s(i32x4.add(v2, half), RADIX_BITS);
  const over3 = i32x4.shr_s(i32x4.add(v3, half), RADIX_BITS);
  const zero = i32x4.splat(0);
  v0 = i32x4.sub(v0, i32x4.shl(over0, RADIX_BITS));
  v1 = i32x4.sub(v1, i32x4.shl(over1, RADIX_BITS));
  v2 = i32x4.sub(v2, i32x4.shl(over2, RADIX_BITS));
  v3 = i32x4.sub(v3, i32x4.shl(over3, RADIX_BITS));
  v128.store(to, i32x4.add(v0, v128.shuffle<i32>(zero, over0, 2, 3, 4, 5)));
  v128.store(to, i32x4.add(v1, v128.shuffle<i32>(over0, over1, 2, 3, 4, 5)), 16);
  v128.store(to, i32x4.add(v2, v128.shuffle<i32>(over1, over2, 2, 3, 4, 5)), 32);
  v128.store(to, i32x4.add(v3, v128.shuffle<i32>(over2, over3, 2, 3, 4, 5)), 48);
  v128.store(to, i32x4.add(v4, v128.shuffle<i32>(over3, zero, 2, 3, 4, 5)), 64);
}

export function multiplyPairs(to: usize, a: usize, b: usize): void {
  product(a, b);
  reduce(to);
}

export function copy(to: usize, from: usize): void {
  memory.copy(to, from, PAIR);
}

export function add(to: usize, a: usize, b: usize): void {
  settle(
    to,
    i32x4.add(v128.load(a), v128.load(b)),
    i32x4.add(v128.load(a, 16), v128.load(b, 16)),
    i32x4.add(v128.load(a, 32), v128.load(b, 32)),
    i32x4.add(v128.load(a, 48), v128.load(b, 48)),
    i32x4.add(v128.load(a, 64), v128.load(b, 64)),
  );
}

export function subtract(to: usize, a: usize, b: usize): void {
  settle(
    to,
    i32x4.sub(v128.load(a), v128.load(b)),
    i32x4.sub(v128.load(a, 16), v128.load(b, 16)),
    i32x4.sub(v128.load(a, 32), v128.load(b, 32)),
    i32x4.sub(v128.load(a, 48), v128.load(b, 48)),
    i32x4.sub(v128.load(a, 64), v128.load(b, 64)),
  );
}

/** to = a·2^shift, shift <= 2 */
export function double(to: usize, a: usize, shift: i32): void {
  settle(
    to,
    i32x4.shl(v128.load(a), shift),
    i32x4.shl(v128.load(a, 16), shift),
    i32x4.shl(v128.load(a, 32), shift),
    i32x4.shl(v128.load(a, 48), shift),
    i32x4.shl(v128.load(a, 64), shift),
  );
}

/** For digits of up to six times tight ones. */
export function tidy(to: usize, a: usize): void {
  double(to, a, 0);
}

function thrice(v: v128): v128 {
  return i32x4.add(v, i32x4.add(v, v));
}

/** to = a + 3·b */
export function addThrice(to: usize, a: usize, b: usize): void {
  settle(
    to,
    i32x4.add(v128.load(a), thrice(v128.load(b))),
    i32x4.add(v128.load(a, 16), thrice(v128.load(b, 16))),
    i32x4.add(v128.load(a, 32), thrice(v128.load(b, 32))),
    i32x4.add(v128.load(a, 48), thrice(v128.load(b, 48))),
    i32x4.add(v128.load(a, 64), thrice(v128.load(b, 64))),
  );
}

/** to = a - 3·b */
export function subtractThrice(to: usize, a: usize, b: usize): void {
  settle(
    to,
    i32x4.sub(v128.load(a), thrice(v128.load(b))),
    i32x4.sub(v128.load(a, 16), thrice(v128.load(b, 16))),
    i32x4.sub(v128.load(a, 32), thrice(v128.load(b, 32))),
    i32x4.sub(v128.load(a, 48), thrice(v128.load(b, 48))),
    i32x4.sub(v128.load(a, 64), thrice(v128.load(b, 64))),
  );
}

export function negate(to: usize, a: usize): void {
  for (let i: usize = 0; i < PAIR; i += 16) v128.store(to + i, i32x4.neg(v128.load(a + i)));
}

/** i·v of complex numbers: the first side is the real part. */
function turn(v: v128): v128 {
  const sign = i32x4(-1, 0, -1, 0);
  return i32x4.sub(v128.xor(v128.shuffle<i32>(v, v, 1, 0, 3, 2), sign), sign);
}

export function multiplyByI(to: usize, a: usize): void {
  for (let i: usize = 0; i < PAIR; i += 16) v128.store(to + i, turn(v128.load(a + i)));
}

function timesXi(four: v128, v: v128): v128 {
  return i32x4.add(i32x4.add(i32x4.add(four, four), v), turn(v));
}

/** to = xi·a, xi = 9 + i */
export function multiplyByXi(to: usize, a: usize): void {
  double(FOUR, a, 2);
  settle(
    to,
    timesXi(v128.load(FOUR), v128.load(a)),
    timesXi(v128.load(FOUR, 16), v128.load(a, 16)),
    timesXi(v128.load(FOUR, 32), v128.load(a, 32)),
    timesXi(v128.load(FOUR, 48), v128.load(a, 48)),
    timesXi(v128.load(FOUR, 64), v128.load(a, 64)),
  );
}

/** Both sides of `to` are the first one of `a`. */
export function firstTwice(to: usize, a: usize): void {
  for (let i: usize = 0; i < PAIR; i += 16) {
    const v = v128.load(a + i);
    v128.store(to + i, v128.shuffle<i32>(v, v, 0, 0, 2, 2));
  }
}

/** Both sides of `to` are the second one of `a`. */
export function secondTwice(to: usize, a: usize): void {
  for (let i: usize = 0; i < PAIR; i += 16) {
    const v = v128.load(a + i);
    v128.store(to + i, v128.shuffle<i32>(v, v, 1, 1, 3, 3));
  }
}

/** The first side of `a`, and the first one of `b`. */
export function firsts(to: usize, a: usize, b: usize): void {
  for (let i: usize = 0; i < PAIR; i += 16) {
    v128.store(to + i, v128.shuffle<i32>(v128.load(a + i), v128.load(b + i), 0, 4, 2, 6));
  }
}

/** The second side of `a`, and the second one of `b`. */
export function seconds(to: usize, a: usize, b: usize): void {
  for (let i: usize = 0; i < PAIR; i += 16) {
    v128.store(to + i, v128.shuffle<i32>(v128.load(a + i), v128.load(b + i), 1, 5, 3, 7));
  }
}

/** The first side of `a`, and the second one of `b`. */
export function blend(to: usize, a: usize, b: usize): void {
  for (let i: usize = 0; i < PAIR; i += 16) {
    v128.store(to + i, v128.shuffle<i32>(v128.load(a + i), v128.load(b + i), 0, 5, 2, 7));
  }
}
