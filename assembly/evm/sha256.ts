/** SHA-256 (FIPS 180-4). */
import { BLOCK_BYTES, LAST_BLOCKS, padded } from './hash-padding';
import { HASH } from './layout';

/** The words of a block and those made of them, 64 together. */
const SCHEDULE: usize = HASH;

const CONSTANTS: usize = memory.data<u32>([
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
]);
const START: usize = memory.data<u32>([
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
]);

/** Four words, each with its bytes in the other order. */
function swapped(words: v128): v128 {
  return v128.shuffle<u8>(words, words, 3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12);
}

function chosen(e: u32, f: u32, g: u32): u32 {
  return (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) + (g ^ (e & (f ^ g)));
}

function majority(a: u32, b: u32, c: u32): u32 {
  return (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) + ((a & b) | (c & (a | b)));
}

/** The word of the round at offset `i`, and the round's constant. */
function scheduled(i: usize): u32 {
  return load<u32>(SCHEDULE + i) + load<u32>(CONSTANTS + i);
}

function schedule(from: usize): void {
  for (let i: usize = 0; i < 64; i += 16) v128.store(SCHEDULE + i, swapped(v128.load(from + i)));
  for (let at = SCHEDULE; at < SCHEDULE + 192; at += 4) {
    const low = load<u32>(at, 4);
    const high = load<u32>(at, 56);
    const added =
      (rotr(low, 7) ^ rotr(low, 18) ^ (low >> 3)) +
      (rotr(high, 17) ^ rotr(high, 19) ^ (high >> 10));
    store<u32>(at, load<u32>(at) + load<u32>(at, 36) + added, 64);
  }
}

/** Adds the block of 64 bytes at `from` to the eight words at `state`. */
function compress(state: usize, from: usize): void {
  schedule(from);
  let a = load<u32>(state, 0);
  let b = load<u32>(state, 4);
  let c = load<u32>(state, 8);
  let d = load<u32>(state, 12);
  let e = load<u32>(state, 16);
  let f = load<u32>(state, 20);
  let g = load<u32>(state, 24);
  let h = load<u32>(state, 28);
  for (let i: usize = 0; i < 256; i += 32) {
    h += chosen(e, f, g) + scheduled(i);
    d += h;
    h += majority(a, b, c);
    g += chosen(d, e, f) + scheduled(i + 4);
    c += g;
    g += majority(h, a, b);
    f += chosen(c, d, e) + scheduled(i + 8);
    b += f;
    f += majority(g, h, a);
    e += chosen(b, c, d) + scheduled(i + 12);
    a += e;
    e += majority(f, g, h);
    d += chosen(a, b, c) + scheduled(i + 16);
    h += d;
    d += majority(e, f, g);
    c += chosen(h, a, b) + scheduled(i + 20);
    g += c;
    c += majority(d, e, f);
    b += chosen(g, h, a) + scheduled(i + 24);
    f += b;
    b += majority(c, d, e);
    a += chosen(f, g, h) + scheduled(i + 28);
    e += a;
    a += majority(b, c, d);
  }
  store<u32>(state, load<u32>(state, 0) + a, 0);
  store<u32>(state, load<u32>(state, 4) + b, 4);
  store<u32>(state, load<u32>(state, 8) + c, 8);
  store<u32>(state, load<u32>(state, 12) + d, 12);
  store<u32>(state, load<u32>(state, 16) + e, 16);
  store<u32>(state, load<u32>(state, 20) + f, 20);
  store<u32>(state, load<u32>(state, 24) + g, 24);
  store<u32>(state, load<u32>(state, 28) + h, 28);
}

/** Hashes `length` bytes; writes 32 bytes. */
export function sha256(to: usize, from: usize, length: usize): void {
  memory.copy(to, START, 32);
  const bits = (<u64>length) << 3;
  while (length >= BLOCK_BYTES) {
    compress(to, from);
    from += BLOCK_BYTES;
    length -= BLOCK_BYTES;
  }
  const size = padded(from, length);
  store<u64>(LAST_BLOCKS + size - 8, bswap(bits));
  compress(to, LAST_BLOCKS);
  if (size > BLOCK_BYTES) compress(to, LAST_BLOCKS + BLOCK_BYTES);
  v128.store(to, swapped(v128.load(to)));
  v128.store(to, swapped(v128.load(to, 16)), 16);
}
