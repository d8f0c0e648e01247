/** Elements as numbers of 256 bits: from bytes and back, and whether they are zero. */
import { MASK, P, PAIR_BYTES, RADIX_BITS, setWords } from './columns';
import { blend, multiplyPairs } from './pairs';

const P0: u64 = 0x3c208c16d87cfd47;
const P1: u64 = 0x97816a916871ca8d;
const P2: u64 = 0xb85045b68181585d;
const P3: u64 = 0x30644e72e131a029;

/** 2^522 modulo p: the factor that brings a number into Montgomery's form. */
const SQUARE = memory.data(PAIR_BYTES, 16);
/** 1 as a number, which brings an element out of it. */
const UNIT = memory.data(PAIR_BYTES, 16);
/** 1 as an element. */
export const ONE: usize = memory.data(PAIR_BYTES, 16);
/** Scratch. */
const OTHER = memory.data(PAIR_BYTES, 16);
const PLAIN = memory.data(PAIR_BYTES, 16);
/** Four words, the lowest one first. */
export const WORDS: usize = memory.data(32, 16);
/** Digits of one number, not paired, and its difference to p. */
const DIGITS = memory.data(36);
const DIFFERENCE = memory.data(36);

export function openWords(): void {
  setWords(SQUARE, 0xe1a2a074659bac10, 0x639855865406005a, 0xff54c5802d3e2632, 0x2a11a68c34ea65a6);
  setWords(UNIT, 1, 0, 0, 0);
  multiplyPairs(ONE, SQUARE, UNIT);
}

function isBelowP(w0: u64, w1: u64, w2: u64, w3: u64): bool {
  if (w3 !== P3) return w3 < P3;
  if (w2 !== P2) return w2 < P2;
  if (w1 !== P1) return w1 < P1;
  return w0 < P0;
}

export function isZeroBytes(from: usize, length: usize): bool {
  let bits: u64 = 0;
  for (let i: usize = 0; i < length; i += 8) bits |= load<u64>(from + i);
  return bits === 0;
}

/** Both sides = the four words, the lowest one first, as an element. */
export function setElement(to: usize, w0: u64, w1: u64, w2: u64, w3: u64): void {
  setWords(to, w0, w1, w2, w3);
  multiplyPairs(to, to, SQUARE);
}

function readWords(to: usize, from: usize): bool {
  const w0 = bswap<u64>(load<u64>(from, 24));
  const w1 = bswap<u64>(load<u64>(from, 16));
  const w2 = bswap<u64>(load<u64>(from, 8));
  const w3 = bswap<u64>(load<u64>(from));
  setWords(to, w0, w1, w2, w3);
  return isBelowP(w0, w1, w2, w3);
}

/** Reads 32 bytes (big-endian) into each side; false when one number is not below p. */
export function readPair(to: usize, first: usize, second: usize): bool {
  let isSound = readWords(to, first);
  if (second !== first) {
    isSound = readWords(OTHER, second) && isSound;
    blend(to, to, OTHER);
  }
  multiplyPairs(to, to, SQUARE);
  return isSound;
}

/** to = a + p·sign, in digits of 0 to 2^29 - 1; the result is below zero when the sum is. */
function addP(to: usize, a: usize, step: usize, sign: i32): i32 {
  let over: i32 = 0;
  for (let i: usize = 0; i < 9; i++) {
    const sum = load<i32>(a + i * step) + load<i32>(P + (i << 3)) * sign + over;
    over = sum >> RADIX_BITS;
    store<i32>(to + (i << 2), sum & MASK);
  }
  return over;
}

/** WORDS = the number in a side of PLAIN, which is more than -p, modulo p. */
function takeSide(side: usize): void {
  addP(DIGITS, PLAIN + (side << 2), 8, 1);
  while (addP(DIFFERENCE, DIGITS, 4, -1) >= 0) memory.copy(DIGITS, DIFFERENCE, 36);
  let w0: u64 = 0;
  let w1: u64 = 0;
  let w2: u64 = 0;
  let w3: u64 = 0;
  for (let at = DIGITS + 32; at >= DIGITS; at -= 4) {
    w3 = (w3 << RADIX_BITS) | (w2 >> (64 - RADIX_BITS));
    w2 = (w2 << RADIX_BITS) | (w1 >> (64 - RADIX_BITS));
    w1 = (w1 << RADIX_BITS) | (w0 >> (64 - RADIX_BITS));
    w0 = (w0 << RADIX_BITS) | <u64>load<u32>(at);
  }
  store<u64>(WORDS, w0);
  store<u64>(WORDS, w1, 8);
  store<u64>(WORDS, w2, 16);
  store<u64>(WORDS, w3, 24);
}

/** WORDS = the first element as a number. */
export function firstWords(a: usize): void {
  multiplyPairs(PLAIN, a, UNIT);
  takeSide(0);
}

function writeWords(to: usize): void {
  for (let i: usize = 0; i < 4; i++) {
    store<u64>(to + 24 - (i << 3), bswap<u64>(load<u64>(WORDS + (i << 3))));
  }
}

/** Writes both elements as 32 bytes each, big-endian. */
export function writePair(to: usize, a: usize): void {
  multiplyPairs(PLAIN, a, UNIT);
  takeSide(0);
  writeWords(to);
  takeSide(1);
  writeWords(to + 32);
}

/** Within 0.7p of zero, only zero itself is a multiple of p. */
function isZeroSide(a: usize, side: usize): bool {
  let over: i32 = 0;
  for (let i: usize = 0; i < 9; i++) {
    const sum = load<i32>(a + (side << 2) + (i << 3)) + over;
    if ((sum & MASK) !== 0) return false;
    over = sum >> RADIX_BITS;
  }
  return over === 0;
}

/** Whether both elements are zero. */
export function isZero(a: usize): bool {
  return isZeroSide(a, 0) && isZeroSide(a, 1);
}

export function isFirstZero(a: usize): bool {
  return isZeroSide(a, 0);
}
