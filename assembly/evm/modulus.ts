/**
 * MULMOD by a modulus that comes again and again, as contracts with curve arithmetic have it. Words
 * are split into nine limbs of 29 bits, so that products can be added without carries. The upper
 * half of the product is replaced by the sum of its limbs times the remainders of their powers of 2,
 * which are kept; that leaves 33 bits to reduce, by a kept reciprocal.
 *
 * What is kept is of the modulus shifted left until its most significant bit is set.
 */
import { MODULUS } from './layout';
import { copy, high64, isEqual, isLess, set, shiftLeft, shiftRight, subtract } from './words';

export const LIMBS = 9;
const MASK: u64 = (1 << 29) - 1;
/** Smaller moduli, with less than 232 bits, are divided by: the sum would be too large to reduce. */
const SHIFT_MAX: u64 = 24;
/** Keeping a modulus takes as long as a dozen divisions: it must have come so often in a row. */
const STREAK: u32 = 32;

/** The kept modulus, 0 for none; the last one that was divided by, and how often in a row. */
const KEPT: usize = MODULUS;
const LAST: usize = MODULUS + 32;
const TIMES: usize = MODULUS + 64;
const SHIFT: usize = MODULUS + 72;
const RECIPROCAL: usize = MODULUS + 80;
/** The shifted modulus, as a word and in limbs. */
const SHIFTED: usize = MODULUS + 96;
const SHIFTED_LIMBS: usize = MODULUS + 128;
/** For each of nine limbs: that limb of the nine remainders. */
const REMAINDERS: usize = MODULUS + 256;
const COLUMN: usize = 8 * LIMBS;

export function isKept(modulus: usize): bool {
  return isEqual(modulus, KEPT);
}

/** Counts a division by the modulus; returns whether it is worth keeping. */
export function note(modulus: usize): bool {
  if (!isEqual(modulus, LAST)) {
    copy(LAST, modulus);
    store<u32>(TIMES, 0);
    return false;
  }
  const times = load<u32>(TIMES) + 1;
  store<u32>(TIMES, times);
  return times === STREAK && clz<u64>(load<u64>(modulus, 24)) <= SHIFT_MAX;
}

/** The first of four steps: forgets the kept modulus. */
export function begin(modulus: usize): void {
  set(KEPT, 0);
  const shift = clz<u64>(load<u64>(modulus, 24));
  store<u64>(SHIFT, shift);
  shiftLeft(SHIFTED, modulus, shift);
  for (let i = 0; i < LIMBS; i++) {
    store<u64>(SHIFTED_LIMBS + ((<usize>i) << 3), limbOf(SHIFTED, i));
  }
}

/** The second, for each i: the remainder of 2^(29 · (9 + i)), which it shifts in place. */
export function keepPower(i: i32, remainder: usize): void {
  shiftLeft(remainder, remainder, load<u64>(SHIFT));
  for (let k = 0; k < LIMBS; k++) {
    store<u64>(REMAINDERS + <usize>k * COLUMN + ((<usize>i) << 3), limbOf(remainder, k));
  }
}

/** The third: 2^125 divided by this, rounded down, is the reciprocal. */
export function divisorOfReciprocal(): u64 {
  return (load<u64>(SHIFTED, 24) >> 2) + 1;
}

export function complete(modulus: usize, reciprocal: u64): void {
  store<u64>(RECIPROCAL, reciprocal);
  copy(KEPT, modulus);
}

function limbOf(word: usize, i: i32): u64 {
  const bit = 29 * i;
  const at = word + ((<usize>(bit >> 6)) << 3);
  const offset = <u64>(bit & 63);
  let limb = load<u64>(at) >> offset;
  if (offset > 35 && bit < 192) limb |= load<u64>(at, 8) << (64 - offset);
  return limb & MASK;
}

/** a · b modulo the kept modulus. */
export function multiplyByKept(to: usize, a: usize, b: usize): void {
  const aw0 = load<u64>(a);
  const aw1 = load<u64>(a, 8);
  const aw2 = load<u64>(a, 16);
  const aw3 = load<u64>(a, 24);
  const a0 = aw0 & MASK;
  const a1 = (aw0 >> 29) & MASK;
  const a2 = ((aw0 >> 58) | (aw1 << 6)) & MASK;
  const a3 = (aw1 >> 23) & MASK;
  const a4 = ((aw1 >> 52) | (aw2 << 12)) & MASK;
  const a5 = (aw2 >> 17) & MASK;
  const a6 = ((aw2 >> 46) | (aw3 << 18)) & MASK;
  const a7 = (aw3 >> 11) & MASK;
  const a8 = aw3 >> 40;
  const bw0 = load<u64>(b);
  const bw1 = load<u64>(b, 8);
  const bw2 = load<u64>(b, 16);
  const bw3 = load<u64>(b, 24);
  const b0 = bw0 & MASK;
  const b1 = (bw0 >> 29) & MASK;
  const b2 = ((bw0 >> 58) | (bw1 << 6)) & MASK;
  const b3 = (bw1 >> 23) & MASK;
  const b4 = ((bw1 >> 52) | (bw2 << 12)) & MASK;
  const b5 = (bw2 >> 17) & MASK;
  const b6 = ((bw2 >> 46) | (bw3 << 18)) & MASK;
  const b7 = (bw3 >> 11) & MASK;
  const b8 = bw3 >> 40;
  // The lower half.
  let t = a0 * b0;
  const l0 = t & MASK;
  t = (t >> 29) + a0 * b1 + a1 * b0;
  const l1 = t & MASK;
  t = (t >> 29) + a0 * b2 + a1 * b1 + a2 * b0;
  const l2 = t & MASK;
  t = (t >> 29) + a0 * b3 + a1 * b2 + a2 * b1 + a3 * b0;
  const l3 = t & MASK;
  t = (t >> 29) + a0 * b4 + a1 * b3 + a2 * b2 + a3 * b1 + a4 * b0;
  const l4 = t & MASK;
  t = (t >> 29) + a0 * b5 + a1 * b4 + a2 * b3 + a3 * b2 + a4 * b1 + a5 * b0;
  const l5 = t & MASK;
  t = (t >> 29) + a0 * b6 + a1 * b5 + a2 * b4 + a3 * b3 + a4 * b2 + a5 * b1 + a6 * b0;
  const l6 = t & MASK;
  t = (t >> 29) + a0 * b7 + a1 * b6 + a2 * b5 + a3 * b4 + a4 * b3 + a5 * b2 + a6 * b1 + a7 * b0;
  const l7 = t & MASK;
  t =
    (t >> 29) +
    a0 * b8 +
    a1 * b7 +
    a2 * b6 +
    a3 * b5 +
    a4 * b4 +
    a5 * b3 +
    a6 * b2 +
    a7 * b1 +
    a8 * b0;
  const l8 = t & MASK;
  // The upper half.
  t = (t >> 29) + a1 * b8 + a2 * b7 + a3 * b6 + a4 * b5 + a5 * b4 + a6 * b3 + a7 * b2 + a8 * b1;
  const h0 = t & MASK;
  t = (t >> 29) + a2 * b8 + a3 * b7 + a4 * b6 + a5 * b5 + a6 * b4 + a7 * b3 + a8 * b2;
  const h1 = t & MASK;
  t = (t >> 29) + a3 * b8 + a4 * b7 + a5 * b6 + a6 * b5 + a7 * b4 + a8 * b3;
  const h2 = t & MASK;
  t = (t >> 29) + a4 * b8 + a5 * b7 + a6 * b6 + a7 * b5 + a8 * b4;
  const h3 = t & MASK;
  t = (t >> 29) + a5 * b8 + a6 * b7 + a7 * b6 + a8 * b5;
  const h4 = t & MASK;
  t = (t >> 29) + a6 * b8 + a7 * b7 + a8 * b6;
  const h5 = t & MASK;
  t = (t >> 29) + a7 * b8 + a8 * b7;
  const h6 = t & MASK;
  t = (t >> 29) + a8 * b8;
  const h7 = t & MASK;
  const h8 = t >> 29;
  const shift = load<u64>(SHIFT);
  t = (l0 << shift) + weighed(0, h0, h1, h2, h3, h4, h5, h6, h7, h8);
  const s0 = t & MASK;
  t = (t >> 29) + (l1 << shift) + weighed(1, h0, h1, h2, h3, h4, h5, h6, h7, h8);
  const s1 = t & MASK;
  t = (t >> 29) + (l2 << shift) + weighed(2, h0, h1, h2, h3, h4, h5, h6, h7, h8);
  const s2 = t & MASK;
  t = (t >> 29) + (l3 << shift) + weighed(3, h0, h1, h2, h3, h4, h5, h6, h7, h8);
  const s3 = t & MASK;
  t = (t >> 29) + (l4 << shift) + weighed(4, h0, h1, h2, h3, h4, h5, h6, h7, h8);
  const s4 = t & MASK;
  t = (t >> 29) + (l5 << shift) + weighed(5, h0, h1, h2, h3, h4, h5, h6, h7, h8);
  const s5 = t & MASK;
  t = (t >> 29) + (l6 << shift) + weighed(6, h0, h1, h2, h3, h4, h5, h6, h7, h8);
  const s6 = t & MASK;
  t = (t >> 29) + (l7 << shift) + weighed(7, h0, h1, h2, h3, h4, h5, h6, h7, h8);
  const s7 = t & MASK;
  t = (t >> 29) + (l8 << shift) + weighed(8, h0, h1, h2, h3, h4, h5, h6, h7, h8);
  const s8 = t & MASK;
  // Exact, or one less.
  const sum = ((t >> 29) << 36) | (s8 << 7) | (s7 >> 22);
  const q = high64(sum, load<u64>(RECIPROCAL)) >> 30;
  t = s0 - q * load<u64>(SHIFTED_LIMBS);
  const r0 = t & MASK;
  t = <u64>(<i64>t >> 29) + s1 - q * load<u64>(SHIFTED_LIMBS, 8);
  const r1 = t & MASK;
  t = <u64>(<i64>t >> 29) + s2 - q * load<u64>(SHIFTED_LIMBS, 16);
  const r2 = t & MASK;
  t = <u64>(<i64>t >> 29) + s3 - q * load<u64>(SHIFTED_LIMBS, 24);
  const r3 = t & MASK;
  t = <u64>(<i64>t >> 29) + s4 - q * load<u64>(SHIFTED_LIMBS, 32);
  const r4 = t & MASK;
  t = <u64>(<i64>t >> 29) + s5 - q * load<u64>(SHIFTED_LIMBS, 40);
  const r5 = t & MASK;
  t = <u64>(<i64>t >> 29) + s6 - q * load<u64>(SHIFTED_LIMBS, 48);
  const r6 = t & MASK;
  t = <u64>(<i64>t >> 29) + s7 - q * load<u64>(SHIFTED_LIMBS, 56);
  const r7 = t & MASK;
  t = <u64>(<i64>t >> 29) + s8 - q * load<u64>(SHIFTED_LIMBS, 64);
  const r8 = t & MASK;
  store<u64>(to, r0 | (r1 << 29) | (r2 << 58));
  store<u64>(to, (r2 >> 6) | (r3 << 23) | (r4 << 52), 8);
  store<u64>(to, (r4 >> 12) | (r5 << 17) | (r6 << 46), 16);
  store<u64>(to, (r6 >> 18) | (r7 << 11) | (r8 << 40), 24);
  if (r8 >> 24 !== 0 || !isLess(to, SHIFTED)) subtract(to, to, SHIFTED);
  if (shift !== 0) shiftRight(to, to, shift, 0);
}

/** Limb `k` of the sum of the upper half's limbs, each times the remainder of its power of 2. */
function weighed(
  k: usize,
  h0: u64,
  h1: u64,
  h2: u64,
  h3: u64,
  h4: u64,
  h5: u64,
  h6: u64,
  h7: u64,
  h8: u64,
): u64 {
  const at = REMAINDERS + k * COLUMN;
  return (
    h0 * load<u64>(at) +
    h1 * load<u64>(at, 8) +
    h2 * load<u64>(at, 16) +
    h3 * load<u64>(at, 24) +
    h4 * load<u64>(at, 32) +
    h5 * load<u64>(at, 40) +
    h6 * load<u64>(at, 48) +
    h7 * load<u64>(at, 56) +
    h8 * load<u64>(at, 64)
  );
}
