/**
 * 256-bit words in memory: four limbs of 64 bits, the least significant first. The result may
 * overwrite an operand.
 */

export function big(value: u64): u64 {
  const bytes = ((value >> 8) & 0x00ff00ff00ff00ff) | ((value & 0x00ff00ff00ff00ff) << 8);
  const pairs = ((bytes >> 16) & 0x0000ffff0000ffff) | ((bytes & 0x0000ffff0000ffff) << 16);
  return rotl<u64>(pairs, 32);
}

export function set(to: usize, value: u64): void {
  store<u64>(to, value);
  store<u64>(to, 0, 8);
  store<u64>(to, 0, 16);
  store<u64>(to, 0, 24);
}

export function copy(to: usize, from: usize): void {
  const b = load<u64>(from, 8);
  const c = load<u64>(from, 16);
  const d = load<u64>(from, 24);
  store<u64>(to, load<u64>(from));
  store<u64>(to, b, 8);
  store<u64>(to, c, 16);
  store<u64>(to, d, 24);
}

export function swap(a: usize, b: usize): void {
  const a0 = load<u64>(a);
  const a1 = load<u64>(a, 8);
  const a2 = load<u64>(a, 16);
  const a3 = load<u64>(a, 24);
  copy(a, b);
  store<u64>(b, a0);
  store<u64>(b, a1, 8);
  store<u64>(b, a2, 16);
  store<u64>(b, a3, 24);
}

/** Sets each limb to `limb`. */
export function fillWith(to: usize, limb: u64): void {
  store<u64>(to, limb);
  store<u64>(to, limb, 8);
  store<u64>(to, limb, 16);
  store<u64>(to, limb, 24);
}

export function and(to: usize, a: usize, b: usize): void {
  store<u64>(to, load<u64>(a) & load<u64>(b));
  store<u64>(to, load<u64>(a, 8) & load<u64>(b, 8), 8);
  store<u64>(to, load<u64>(a, 16) & load<u64>(b, 16), 16);
  store<u64>(to, load<u64>(a, 24) & load<u64>(b, 24), 24);
}

export function or(to: usize, a: usize, b: usize): void {
  store<u64>(to, load<u64>(a) | load<u64>(b));
  store<u64>(to, load<u64>(a, 8) | load<u64>(b, 8), 8);
  store<u64>(to, load<u64>(a, 16) | load<u64>(b, 16), 16);
  store<u64>(to, load<u64>(a, 24) | load<u64>(b, 24), 24);
}

export function xor(to: usize, a: usize, b: usize): void {
  store<u64>(to, load<u64>(a) ^ load<u64>(b));
  store<u64>(to, load<u64>(a, 8) ^ load<u64>(b, 8), 8);
  store<u64>(to, load<u64>(a, 16) ^ load<u64>(b, 16), 16);
  store<u64>(to, load<u64>(a, 24) ^ load<u64>(b, 24), 24);
}

export function not(to: usize, a: usize): void {
  store<u64>(to, ~load<u64>(a));
  store<u64>(to, ~load<u64>(a, 8), 8);
  store<u64>(to, ~load<u64>(a, 16), 16);
  store<u64>(to, ~load<u64>(a, 24), 24);
}

/** Reads a word from 32 big-endian bytes. */
export function read(to: usize, bytes: usize): void {
  store<u64>(to, big(load<u64>(bytes, 24)));
  store<u64>(to, big(load<u64>(bytes, 16)), 8);
  store<u64>(to, big(load<u64>(bytes, 8)), 16);
  store<u64>(to, big(load<u64>(bytes)), 24);
}

/** Writes a word as 32 big-endian bytes. */
export function write(bytes: usize, from: usize): void {
  store<u64>(bytes, big(load<u64>(from, 24)));
  store<u64>(bytes, big(load<u64>(from, 16)), 8);
  store<u64>(bytes, big(load<u64>(from, 8)), 16);
  store<u64>(bytes, big(load<u64>(from)), 24);
}

export function isZero(a: usize): bool {
  return (load<u64>(a) | load<u64>(a, 8) | load<u64>(a, 16) | load<u64>(a, 24)) === 0;
}

/** Whether the word has more than 64 bits. */
export function isLong(a: usize): bool {
  return (load<u64>(a, 8) | load<u64>(a, 16) | load<u64>(a, 24)) !== 0;
}

export function isEqual(a: usize, b: usize): bool {
  return (
    ((load<u64>(a) ^ load<u64>(b)) |
      (load<u64>(a, 8) ^ load<u64>(b, 8)) |
      (load<u64>(a, 16) ^ load<u64>(b, 16)) |
      (load<u64>(a, 24) ^ load<u64>(b, 24))) ===
    0
  );
}

export function isLess(a: usize, b: usize): bool {
  const a3 = load<u64>(a, 24);
  const b3 = load<u64>(b, 24);
  if (a3 !== b3) return a3 < b3;
  const a2 = load<u64>(a, 16);
  const b2 = load<u64>(b, 16);
  if (a2 !== b2) return a2 < b2;
  const a1 = load<u64>(a, 8);
  const b1 = load<u64>(b, 8);
  if (a1 !== b1) return a1 < b1;
  return load<u64>(a) < load<u64>(b);
}

export function isNegative(a: usize): bool {
  return <i64>load<u64>(a, 24) < 0;
}

export function isSignedLess(a: usize, b: usize): bool {
  const negative = isNegative(a);
  if (negative !== isNegative(b)) return negative;
  return isLess(a, b);
}

export function add(to: usize, a: usize, b: usize): u64 {
  const a0 = load<u64>(a);
  const s0 = a0 + load<u64>(b);
  const a1 = load<u64>(a, 8);
  const s1 = a1 + load<u64>(b, 8);
  const t1 = s1 + u64(s0 < a0);
  const c1 = u64(s1 < a1) | u64(t1 < s1);
  const a2 = load<u64>(a, 16);
  const s2 = a2 + load<u64>(b, 16);
  const t2 = s2 + c1;
  const c2 = u64(s2 < a2) | u64(t2 < s2);
  const a3 = load<u64>(a, 24);
  const s3 = a3 + load<u64>(b, 24);
  const t3 = s3 + c2;
  store<u64>(to, s0);
  store<u64>(to, t1, 8);
  store<u64>(to, t2, 16);
  store<u64>(to, t3, 24);
  return u64(s3 < a3) | u64(t3 < s3);
}

export function subtract(to: usize, a: usize, b: usize): void {
  const a0 = load<u64>(a);
  const b0 = load<u64>(b);
  const a1 = load<u64>(a, 8);
  const b1 = load<u64>(b, 8);
  const d1 = a1 - b1;
  const borrow0 = u64(a0 < b0);
  const borrow1 = u64(a1 < b1) | u64(d1 < borrow0);
  const a2 = load<u64>(a, 16);
  const b2 = load<u64>(b, 16);
  const d2 = a2 - b2;
  const borrow2 = u64(a2 < b2) | u64(d2 < borrow1);
  const d3 = load<u64>(a, 24) - load<u64>(b, 24);
  store<u64>(to, a0 - b0);
  store<u64>(to, d1 - borrow0, 8);
  store<u64>(to, d2 - borrow1, 16);
  store<u64>(to, d3 - borrow2, 24);
}

export function negate(to: usize, a: usize): void {
  const a0 = load<u64>(a);
  const a1 = load<u64>(a, 8);
  const a2 = load<u64>(a, 16);
  const a3 = load<u64>(a, 24);
  store<u64>(to, 0 - a0);
  store<u64>(to, ~a1 + u64(a0 === 0), 8);
  store<u64>(to, ~a2 + u64((a0 | a1) === 0), 16);
  store<u64>(to, ~a3 + u64((a0 | a1 | a2) === 0), 24);
}

/** The upper half of the product of two 64-bit numbers. */
export function high64(a: u64, b: u64): u64 {
  const a0 = a & 0xffffffff;
  const a1 = a >> 32;
  const b0 = b & 0xffffffff;
  const b1 = b >> 32;
  const middle = a1 * b0 + ((a0 * b0) >> 32);
  const other = a0 * b1 + (middle & 0xffffffff);
  return a1 * b1 + (middle >> 32) + (other >> 32);
}

/** Modulo 2^256. */
export function multiply(to: usize, a: usize, b: usize): void {
  const a0 = load<u64>(a);
  const b0 = load<u64>(b);
  if (!isLong(a) && !isLong(b)) {
    store<u64>(to, a0 * b0);
    store<u64>(to, high64(a0, b0), 8);
    store<u64>(to, 0, 16);
    store<u64>(to, 0, 24);
    return;
  }
  const a1 = load<u64>(a, 8);
  const a2 = load<u64>(a, 16);
  const a3 = load<u64>(a, 24);
  const b1 = load<u64>(b, 8);
  const b2 = load<u64>(b, 16);
  const b3 = load<u64>(b, 24);
  const r0 = a0 * b0;
  let r1 = high64(a0, b0);
  // Column 1: a0·b1 + a1·b0.
  let p = a0 * b1;
  r1 += p;
  let r2 = high64(a0, b1) + u64(r1 < p);
  let r3 = u64(0);
  p = a1 * b0;
  r1 += p;
  p = high64(a1, b0) + u64(r1 < p);
  r2 += p;
  r3 += u64(r2 < p);
  // Column 2: a0·b2 + a1·b1 + a2·b0.
  p = a0 * b2;
  r2 += p;
  r3 += high64(a0, b2) + u64(r2 < p);
  p = a1 * b1;
  r2 += p;
  r3 += high64(a1, b1) + u64(r2 < p);
  p = a2 * b0;
  r2 += p;
  r3 += high64(a2, b0) + u64(r2 < p);
  // Column 3: only the low halves.
  r3 += a0 * b3 + a1 * b2 + a2 * b1 + a3 * b0;
  store<u64>(to, r0);
  store<u64>(to, r1, 8);
  store<u64>(to, r2, 16);
  store<u64>(to, r3, 24);
}

/** Modulo 2^256. */
export function square(to: usize, a: usize): void {
  const a0 = load<u64>(a);
  const a1 = load<u64>(a, 8);
  const a2 = load<u64>(a, 16);
  const a3 = load<u64>(a, 24);
  const low01 = a0 * a1;
  const high01 = high64(a0, a1);
  const low02 = a0 * a2;
  const high00 = high64(a0, a0);
  const r1 = high00 + (low01 << 1);
  // Two times a0·a1, from column 1 on: its top bit is in column 3.
  const middle = (high01 << 1) | (low01 >> 63);
  let r2 = middle + u64(r1 < high00);
  let r3 = (high01 >> 63) + u64(r2 < middle);
  let p = low02 << 1;
  r2 += p;
  r3 += u64(r2 < p) + ((high64(a0, a2) << 1) | (low02 >> 63));
  p = a1 * a1;
  r2 += p;
  r3 += u64(r2 < p) + high64(a1, a1) + ((a0 * a3 + a1 * a2) << 1);
  store<u64>(to, a0 * a0);
  store<u64>(to, r1, 8);
  store<u64>(to, r2, 16);
  store<u64>(to, r3, 24);
}

/** `shift` is below 256. */
export function shiftLeft(to: usize, a: usize, shift: u64): void {
  const limbs = <i32>(shift >> 6);
  const bits = shift & 63;
  for (let i = 3; i >= 0; i--) {
    const at = i - limbs;
    let limb: u64 = at >= 0 ? load<u64>(a + ((<usize>at) << 3)) << bits : 0;
    if (bits !== 0 && at > 0) limb |= load<u64>(a + ((<usize>(at - 1)) << 3)) >> (64 - bits);
    store<u64>(to + ((<usize>i) << 3), limb);
  }
}

/** `shift` is below 256; `fill` are the limbs beyond the most significant one. */
export function shiftRight(to: usize, a: usize, shift: u64, fill: u64): void {
  const limbs = <i32>(shift >> 6);
  const bits = shift & 63;
  for (let i = 0; i < 4; i++) {
    const at = i + limbs;
    const low: u64 = at < 4 ? load<u64>(a + ((<usize>at) << 3)) : fill;
    let limb = low;
    if (bits !== 0) {
      const above: u64 = at < 3 ? load<u64>(a + ((<usize>(at + 1)) << 3)) : fill;
      limb = (low >> bits) | (above << (64 - bits));
    }
    store<u64>(to + ((<usize>i) << 3), limb);
  }
}

/** SIGNEXTEND: `last` is the index of the byte that holds the sign, below 31. */
export function extend(a: usize, last: u64): void {
  const at = <i32>(last >> 3);
  const bits = 56 - ((last & 7) << 3);
  const limb = a + ((<usize>at) << 3);
  const extended = <i64>(load<u64>(limb) << bits) >> bits;
  store<u64>(limb, extended);
  const fill = <u64>(extended >> 63);
  for (let i = at + 1; i < 4; i++) store<u64>(a + ((<usize>i) << 3), fill);
}

/** Of a word that is not zero. */
export function leadingZeros(a: usize): u64 {
  let at = a + 24;
  while (load<u64>(at) === 0) at -= 8;
  return ((<u64>(a + 24 - at)) << 3) + clz<u64>(load<u64>(at));
}

function bitLength(a: usize): u64 {
  for (let i = 3; i >= 0; i--) {
    const limb = load<u64>(a + ((<usize>i) << 3));
    if (limb !== 0) return <u64>(i << 6) + 64 - clz<u64>(limb);
  }
  return 0;
}

/** The number of bytes without leading zeros. */
export function byteLength(a: usize): u64 {
  return (bitLength(a) + 7) >> 3;
}

/** Squaring an odd word so often leaves 1 + 2^128 · c; see `power`. */
const SQUARINGS: u64 = 126;

/**
 * base^exponent modulo 2^256. `scratch`: 96 bytes.
 *
 * An even base has a factor 2, so any exponent above 255 gives 0. An odd base to the power of 2^i is
 * 1 modulo 2^(i+2); so its power of 2^126 is 1 + 2^128 · c, of which the power of n is
 * 1 + n · 2^128 · c: the bits of the exponent from the 126th on take one multiplication.
 */
export function power(to: usize, base: usize, exponent: usize, scratch: usize): void {
  const factor = scratch;
  const result = scratch + 32;
  const rest = scratch + 64;
  const bits = bitLength(exponent);
  if ((load<u64>(base) & 1) === 0 && bits > 8) return set(to, 0);
  copy(factor, base);
  set(result, 1);
  for (let bit: u64 = 0; bit < min(bits, SQUARINGS); bit++) {
    if (bit !== 0) square(factor, factor);
    const limb = load<u64>(exponent + ((<usize>(bit >> 6)) << 3));
    if (((limb >> (bit & 63)) & 1) !== 0) multiply(result, result, factor);
  }
  if (bits > SQUARINGS) {
    square(factor, factor);
    store<u64>(factor, 0);
    shiftRight(rest, exponent, SQUARINGS, 0);
    multiply(rest, rest, factor);
    multiply(rest, rest, result);
    add(result, result, rest);
  }
  copy(to, result);
}
