/**
 * MULMOD by a long modulus. A column of the product is computed when the digits before have been
 * taken from those above: nothing waits for the whole product.
 */
import { digit, halfOf, MASK, MODULUS, reciprocalOf, settle, signOf } from './limbs';

/** a · b modulo the word at MODULUS; a has five bits more than a word, at most, in `top`. */
export function multiplyByLong(to: usize, a: usize, top: u64, b: usize): void {
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
  const a8 = (aw3 >> 40) | (top << 24);
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
  const mw0 = load<u64>(MODULUS);
  const mw1 = load<u64>(MODULUS, 8);
  const mw2 = load<u64>(MODULUS, 16);
  const mw3 = load<u64>(MODULUS, 24);
  const m0 = mw0 & MASK;
  const m1 = (mw0 >> 29) & MASK;
  const m2 = ((mw0 >> 58) | (mw1 << 6)) & MASK;
  const m3 = (mw1 >> 23) & MASK;
  const m4 = ((mw1 >> 52) | (mw2 << 12)) & MASK;
  const m5 = (mw2 >> 17) & MASK;
  const m6 = ((mw2 >> 46) | (mw3 << 18)) & MASK;
  const m7 = mw3 >> 11;
  const reciprocal = reciprocalOf(mw3);
  const half = halfOf(reciprocal);
  let high = a8 * b8;
  let low = a7 * b8 + a8 * b7;
  const q8 = digit(high, low, reciprocal, half);
  high = (high << 29) + low - q8 * m7;
  low = a6 * b8 + a7 * b7 + a8 * b6 - q8 * m6;
  const q7 = digit(high, low, reciprocal, half);
  high = (high << 29) + low - q7 * m7;
  low = a5 * b8 + a6 * b7 + a7 * b6 + a8 * b5 - q8 * m5 - q7 * m6;
  const q6 = digit(high, low, reciprocal, half);
  high = (high << 29) + low - q6 * m7;
  low = a4 * b8 + a5 * b7 + a6 * b6 + a7 * b5 + a8 * b4 - q8 * m4 - q7 * m5 - q6 * m6;
  const q5 = digit(high, low, reciprocal, half);
  high = (high << 29) + low - q5 * m7;
  low =
    a3 * b8 +
    a4 * b7 +
    a5 * b6 +
    a6 * b5 +
    a7 * b4 +
    a8 * b3 -
    q8 * m3 -
    q7 * m4 -
    q6 * m5 -
    q5 * m6;
  const q4 = digit(high, low, reciprocal, half);
  high = (high << 29) + low - q4 * m7;
  low =
    a2 * b8 +
    a3 * b7 +
    a4 * b6 +
    a5 * b5 +
    a6 * b4 +
    a7 * b3 +
    a8 * b2 -
    q8 * m2 -
    q7 * m3 -
    q6 * m4 -
    q5 * m5 -
    q4 * m6;
  const q3 = digit(high, low, reciprocal, half);
  high = (high << 29) + low - q3 * m7;
  low =
    a1 * b8 +
    a2 * b7 +
    a3 * b6 +
    a4 * b5 +
    a5 * b4 +
    a6 * b3 +
    a7 * b2 +
    a8 * b1 -
    q8 * m1 -
    q7 * m2 -
    q6 * m3 -
    q5 * m4 -
    q4 * m5 -
    q3 * m6;
  const q2 = digit(high, low, reciprocal, half);
  high = (high << 29) + low - q2 * m7;
  low =
    a0 * b8 +
    a1 * b7 +
    a2 * b6 +
    a3 * b5 +
    a4 * b4 +
    a5 * b3 +
    a6 * b2 +
    a7 * b1 +
    a8 * b0 -
    q8 * m0 -
    q7 * m1 -
    q6 * m2 -
    q5 * m3 -
    q4 * m4 -
    q3 * m5 -
    q2 * m6;
  const q1 = digit(high, low, reciprocal, half);
  high = (high << 29) + low - q1 * m7;
  low =
    a0 * b7 +
    a1 * b6 +
    a2 * b5 +
    a3 * b4 +
    a4 * b3 +
    a5 * b2 +
    a6 * b1 +
    a7 * b0 -
    q7 * m0 -
    q6 * m1 -
    q5 * m2 -
    q4 * m3 -
    q3 * m4 -
    q2 * m5 -
    q1 * m6;
  const q0 = digit(high, low, reciprocal, half);
  high = (high << 29) + low - q0 * m7;
  low =
    a0 * b6 +
    a1 * b5 +
    a2 * b4 +
    a3 * b3 +
    a4 * b2 +
    a5 * b1 +
    a6 * b0 -
    q6 * m0 -
    q5 * m1 -
    q4 * m2 -
    q3 * m3 -
    q2 * m4 -
    q1 * m5 -
    q0 * m6;
  const mask = signOf(high, low);
  let t = a0 * b0 - q0 * m0 + (m0 & mask);
  const r0 = t & MASK;
  t = <u64>(<i64>t >> 29) + a0 * b1 + a1 * b0 - q1 * m0 - q0 * m1 + (m1 & mask);
  const r1 = t & MASK;
  t = <u64>(<i64>t >> 29) + a0 * b2 + a1 * b1 + a2 * b0 - q2 * m0 - q1 * m1 - q0 * m2 + (m2 & mask);
  const r2 = t & MASK;
  t =
    <u64>(<i64>t >> 29) +
    a0 * b3 +
    a1 * b2 +
    a2 * b1 +
    a3 * b0 -
    q3 * m0 -
    q2 * m1 -
    q1 * m2 -
    q0 * m3 +
    (m3 & mask);
  const r3 = t & MASK;
  t =
    <u64>(<i64>t >> 29) +
    a0 * b4 +
    a1 * b3 +
    a2 * b2 +
    a3 * b1 +
    a4 * b0 -
    q4 * m0 -
    q3 * m1 -
    q2 * m2 -
    q1 * m3 -
    q0 * m4 +
    (m4 & mask);
  const r4 = t & MASK;
  t =
    <u64>(<i64>t >> 29) +
    a0 * b5 +
    a1 * b4 +
    a2 * b3 +
    a3 * b2 +
    a4 * b1 +
    a5 * b0 -
    q5 * m0 -
    q4 * m1 -
    q3 * m2 -
    q2 * m3 -
    q1 * m4 -
    q0 * m5 +
    (m5 & mask);
  const r5 = t & MASK;
  t = <u64>(<i64>t >> 29) + low + (m6 & mask);
  const r6 = t & MASK;
  t = <u64>(<i64>t >> 29) + high + (m7 & mask);
  store<u64>(to, r0 | (r1 << 29) | (r2 << 58));
  store<u64>(to, (r2 >> 6) | (r3 << 23) | (r4 << 52), 8);
  store<u64>(to, (r4 >> 12) | (r5 << 17) | (r6 << 46), 16);
  store<u64>(to, (r6 >> 18) | (t << 11), 24);
  settle(to, <i64>t >> 53);
}
