/**
 * Products of field elements, two at once: one on each side of 64 bits. An element is nine digits,
 * signed and in radix 2^29, in Montgomery's form (a·2^261 modulo p). Digits are tight when
 * |digit| <= 2^28 + 7. Columns are sums of products of digits; each is below 2^63, so the product of
 * the factors by which the digits of two operands exceed tight ones must not be above 12 (6 for
 * `complexProduct`). The value of every element that is kept is within 0.7p of zero; only words.ts
 * makes it unique.
 */

/** Bytes of a pair of elements: digit by digit, the first element's and the second one's. */
export const PAIR_BYTES: i32 = 80;
export const PAIR: usize = <usize>PAIR_BYTES;
export const RADIX_BITS: i32 = 29;
export const MASK: i32 = (1 << RADIX_BITS) - 1;
export const HALF: i32 = 1 << (RADIX_BITS - 1);

/** Columns are kept above zero, because there is no shift of signed numbers of 64 bits. */
const CARRY_BIAS: i64 = 1 << 34;
const BIAS: i64 = i64.MIN_VALUE - CARRY_BIAS;

/** Seventeen columns of two sides. */
const COLUMNS = memory.data(17 * 16, 16);
/** Digits of p, each twice. */
export const P: usize = memory.data(PAIR_BYTES, 16);
/** (75916169·p + 1) / 2^29, likewise: that multiple of p has no lowest digit but -1. */
const MULTIPLE = memory.data(PAIR_BYTES, 16);
/** -1/p modulo 2^29 */
const INVERSE: i32 = 75916169;

/** Writes a number of four words, the lowest one first, to both sides; the digits are tight. */
export function setWords(to: usize, w0: u64, w1: u64, w2: u64, w3: u64): void {
  let over: i32 = 0;
  for (let i = 0; i < 9; i++) {
    const value = <i32>(w0 & <u64>MASK) + over;
    over = i < 8 && value >= HALF ? 1 : 0;
    const digit = value - (over << RADIX_BITS);
    store<i32>(to, digit);
    store<i32>(to, digit, 4);
    to += 8;
    w0 = (w0 >> 29) | (w1 << 35);
    w1 = (w1 >> 29) | (w2 << 35);
    w2 = (w2 >> 29) | (w3 << 35);
    w3 >>= 29;
  }
  store<i64>(to, 0);
}

export function openColumns(): void {
  setWords(P, 0x3c208c16d87cfd47, 0x97816a916871ca8d, 0xb85045b68181585d, 0x30644e72e131a029);
  setWords(
    MULTIPLE,
    0x08bff87b97789a9f,
    0x55fe78a971b5af79,
    0x89b49db02bc58eb0,
    0x06d7c45c5d587859,
  );
}

/** columns = a·b on each side. */
export function product(a: usize, b: usize): void {
  const bias = i64x2.splat(BIAS);
  let c0 = bias;
  let c1 = bias;
  let c2 = bias;
  let c3 = bias;
  let c4 = bias;
  let c5 = bias;
  let c6 = bias;
  let c7 = bias;
  let column = COLUMNS;
  for (const end = a + 72; a < end; a += 8) {
    const x = v128.load64_splat(a);
    const b0 = v128.load(b);
    const b2 = v128.load(b, 16);
    const b4 = v128.load(b, 32);
    const b6 = v128.load(b, 48);
    v128.store(column, i64x2.add(c0, i64x2.extmul_low_i32x4_s(x, b0)));
    c0 = i64x2.add(c1, i64x2.extmul_high_i32x4_s(x, b0));
    c1 = i64x2.add(c2, i64x2.extmul_low_i32x4_s(x, b2));
    c2 = i64x2.add(c3, i64x2.extmul_high_i32x4_s(x, b2));
    c3 = i64x2.add(c4, i64x2.extmul_low_i32x4_s(x, b4));
    c4 = i64x2.add(c5, i64x2.extmul_high_i32x4_s(x, b4));
    c5 = i64x2.add(c6, i64x2.extmul_low_i32x4_s(x, b6));
    c6 = i64x2.add(c7, i64x2.extmul_high_i32x4_s(x, b6));
    c7 = i64x2.add(bias, i64x2.extmul_low_i32x4_s(x, v128.load(b, 64)));
    column += 16;
  }
  v128.store(column, c0);
  v128.store(column, c1, 16);
  v128.store(column, c2, 32);
  v128.store(column, c3, 48);
  v128.store(column, c4, 64);
  v128.store(column, c5, 80);
  v128.store(column, c6, 96);
  v128.store(column, c7, 112);
}

/**
 * columns = a·b of complex numbers: a's first element times b, plus a's second one times `bi`,
 * which is b multiplied by i.
 */
export function complexProduct(a: usize, b: usize, bi: usize): void {
  const bias = i64x2.splat(BIAS);
  let c0 = bias;
  let c1 = bias;
  let c2 = bias;
  let c3 = bias;
  let c4 = bias;
  let c5 = bias;
  let c6 = bias;
  let c7 = bias;
  let column = COLUMNS;
  for (const end = a + 72; a < end; a += 8) {
    const x = v128.load32_splat(a);
    let v = v128.load(b);
    const s0 = i64x2.add(c0, i64x2.extmul_low_i32x4_s(x, v));
    const s1 = i64x2.add(c1, i64x2.extmul_high_i32x4_s(x, v));
    v = v128.load(b, 16);
    const s2 = i64x2.add(c2, i64x2.extmul_low_i32x4_s(x, v));
    const s3 = i64x2.add(c3, i64x2.extmul_high_i32x4_s(x, v));
    v = v128.load(b, 32);
    const s4 = i64x2.add(c4, i64x2.extmul_low_i32x4_s(x, v));
    const s5 = i64x2.add(c5, i64x2.extmul_high_i32x4_s(x, v));
    v = v128.load(b, 48);
    const s6 = i64x2.add(c6, i64x2.extmul_low_i32x4_s(x, v));
    const s7 = i64x2.add(c7, i64x2.extmul_high_i32x4_s(x, v));
    const s8 = i64x2.add(bias, i64x2.extmul_low_i32x4_s(x, v128.load(b, 64)));
    const y = v128.load32_splat(a, 4);
    v = v128.load(bi);
    v128.store(column, i64x2.add(s0, i64x2.extmul_low_i32x4_s(y, v)));
    c0 = i64x2.add(s1, i64x2.extmul_high_i32x4_s(y, v));
    v = v128.load(bi, 16);
    c1 = i64x2.add(s2, i64x2.extmul_low_i32x4_s(y, v));
    c2 = i64x2.add(s3, i64x2.extmul_high_i32x4_s(y, v));
    v = v128.load(bi, 32);
    c3 = i64x2.add(s4, i64x2.extmul_low_i32x4_s(y, v));
    c4 = i64x2.add(s5, i64x2.extmul_high_i32x4_s(y, v));
    v = v128.load(bi, 48);
    c5 = i64x2.add(s6, i64x2.extmul_low_i32x4_s(y, v));
    c6 = i64x2.add(s7, i64x2.extmul_high_i32x4_s(y, v));
    c7 = i64x2.add(s8, i64x2.extmul_low_i32x4_s(y, v128.load(bi, 64)));
    column += 16;
  }
  v128.store(column, c0);
  v128.store(column, c1, 16);
  v128.store(column, c2, 32);
  v128.store(column, c3, 48);
  v128.store(column, c4, 64);
  v128.store(column, c5, 80);
  v128.store(column, c6, 96);
  v128.store(column, c7, 112);
}

/**
 * to = columns / 2^261 modulo p, tight, within 0.7p of zero for operands within 3p. Eight digits
 * are removed with MULTIPLE, which needs no product to find the quotient; it is larger than p, but
 * at its end the ninth digit, removed with p, makes up for it.
 */
export function reduce(to: usize): void {
  const mask = i64x2.splat(<i64>MASK);
  let column = COLUMNS;
  let over = i64x2.splat(CARRY_BIAS);
  let c0 = v128.load(column);
  let c1 = v128.load(column, 16);
  let c2 = v128.load(column, 32);
  let c3 = v128.load(column, 48);
  let c4 = v128.load(column, 64);
  let c5 = v128.load(column, 80);
  let c6 = v128.load(column, 96);
  let c7 = v128.load(column, 112);
  let c8 = v128.load(column, 128);
  for (const end = column + 128; column < end; column += 16) {
    c0 = i64x2.add(c0, over);
    over = i64x2.shr_u(c0, RADIX_BITS);
    c0 = v128.and(c0, mask);
    const q = v128.shuffle<i32>(c0, c0, 0, 2, 0, 2);
    let m = v128.load(MULTIPLE);
    c0 = i64x2.add(c1, i64x2.extmul_low_i32x4_s(q, m));
    c1 = i64x2.add(c2, i64x2.extmul_high_i32x4_s(q, m));
    m = v128.load(MULTIPLE, 16);
    c2 = i64x2.add(c3, i64x2.extmul_low_i32x4_s(q, m));
    c3 = i64x2.add(c4, i64x2.extmul_high_i32x4_s(q, m));
    m = v128.load(MULTIPLE, 32);
    c4 = i64x2.add(c5, i64x2.extmul_low_i32x4_s(q, m));
    c5 = i64x2.add(c6, i64x2.extmul_high_i32x4_s(q, m));
    m = v128.load(MULTIPLE, 48);
    c6 = i64x2.add(c7, i64x2.extmul_low_i32x4_s(q, m));
    c7 = i64x2.add(c8, i64x2.extmul_high_i32x4_s(q, m));
    c8 = i64x2.extmul_low_i32x4_s(q, v128.load(MULTIPLE, 64));
    c8 = i64x2.add(c8, v128.load(column, 144));
  }
  const half = i32x4.splat(HALF);
  c0 = i64x2.add(c0, over);
  let q = i32x4.mul(c0, i32x4.splat(INVERSE));
  q = v128.and(i32x4.add(q, half), i32x4.splat(MASK));
  q = i32x4.sub(v128.shuffle<i32>(q, q, 0, 2, 0, 2), half);
  const up = i64x2.splat(<i64>HALF);
  let m = v128.load(P);
  over = i64x2.shr_u(i64x2.add(c0, i64x2.extmul_low_i32x4_s(q, m)), RADIX_BITS);
  over = i64x2.add(i64x2.add(c1, up), i64x2.add(over, i64x2.extmul_high_i32x4_s(q, m)));
  c0 = v128.and(over, mask);
  m = v128.load(P, 16);
  over = i64x2.add(i64x2.shr_u(over, RADIX_BITS), i64x2.extmul_low_i32x4_s(q, m));
  over = i64x2.add(i64x2.add(c2, up), over);
  c1 = v128.and(over, mask);
  v128.store(to, i32x4.sub(v128.shuffle<i32>(c0, c1, 0, 2, 4, 6), half));
  over = i64x2.add(i64x2.shr_u(over, RADIX_BITS), i64x2.extmul_high_i32x4_s(q, m));
  over = i64x2.add(i64x2.add(c3, up), over);
  c0 = v128.and(over, mask);
  m = v128.load(P, 32);
  over = i64x2.add(i64x2.shr_u(over, RADIX_BITS), i64x2.extmul_low_i32x4_s(q, m));
  over = i64x2.add(i64x2.add(c4, up), over);
  c1 = v128.and(over, mask);
  v128.store(to, i32x4.sub(v128.shuffle<i32>(c0, c1, 0, 2, 4, 6), half), 16);
  over = i64x2.add(i64x2.shr_u(over, RADIX_BITS), i64x2.extmul_high_i32x4_s(q, m));
  over = i64x2.add(i64x2.add(c5, up), over);
  c0 = v128.and(over, mask);
  m = v128.load(P, 48);
  over = i64x2.add(i64x2.shr_u(over, RADIX_BITS), i64x2.extmul_low_i32x4_s(q, m));
  over = i64x2.add(i64x2.add(c6, up), over);
  c1 = v128.and(over, mask);
  v128.store(to, i32x4.sub(v128.shuffle<i32>(c0, c1, 0, 2, 4, 6), half), 32);
  over = i64x2.add(i64x2.shr_u(over, RADIX_BITS), i64x2.extmul_high_i32x4_s(q, m));
  over = i64x2.add(i64x2.add(c7, up), over);
  c0 = v128.and(over, mask);
  over = i64x2.add(i64x2.shr_u(over, RADIX_BITS), i64x2.extmul_low_i32x4_s(q, v128.load(P, 64)));
  over = i64x2.add(i64x2.add(c8, up), over);
  c1 = v128.and(over, mask);
  v128.store(to, i32x4.sub(v128.shuffle<i32>(c0, c1, 0, 2, 4, 6), half), 48);
  over = i64x2.shr_u(over, RADIX_BITS);
  v128.store(to, v128.shuffle<i32>(over, i64x2.splat(0), 0, 2, 4, 6), 64);
}
