/**
 * Keccak-f[1600]. Lanes are at 5y + x; two rounds alternate between the state at HASH and a second
 * one. Processors have fewer registers than a state has lanes: lanes are read from memory and
 * written there one plane at a time, so that few are needed at once. Six lanes are kept
 * complemented meanwhile, which leaves one complement of five in chi.
 */
import { HASH } from './layout';

const OTHER: usize = HASH + 256;
const NEVER_READ: usize = HASH + 512;

const CONSTANTS: usize = memory.data<u64>([
  0x0000000000000001, 0x0000000000008082, 0x800000000000808a, 0x8000000080008000,
  0x000000000000808b, 0x0000000080000001, 0x8000000080008081, 0x8000000000008009,
  0x000000000000008a, 0x0000000000000088, 0x0000000080008009, 0x000000008000000a,
  0x000000008000808b, 0x800000000000008b, 0x8000000000008089, 0x8000000000008003,
  0x8000000000008002, 0x8000000000000080, 0x000000000000800a, 0x800000008000000a,
  0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008,
]);
const CONSTANTS_END: usize = CONSTANTS + 192;

/** Permutes the state at HASH. */
export function permute(): void {
  complement();
  // The last plane stays in registers too: the next round waits for it.
  let e20 = load<u64>(HASH, 160);
  let e21 = load<u64>(HASH, 168);
  let e22 = load<u64>(HASH, 176);
  let e23 = load<u64>(HASH, 184);
  let e24 = load<u64>(HASH, 192);
  for (let constant = CONSTANTS; constant < CONSTANTS_END; constant += 16) {
    let c0 = parity(HASH, e20);
    let c1 = parity(HASH + 8, e21);
    let c2 = parity(HASH + 16, e22);
    if (constant === 0) return keep(c0, c1, c2, 0, 0);
    let c3 = parity(HASH + 24, e23);
    let c4 = parity(HASH + 32, e24);
    let d0 = c4 ^ rotl<u64>(c1, 1);
    let d1 = c0 ^ rotl<u64>(c2, 1);
    let d2 = c1 ^ rotl<u64>(c3, 1);
    let d3 = c2 ^ rotl<u64>(c4, 1);
    let d4 = c3 ^ rotl<u64>(c0, 1);
    if (constant === 1) return keep(d0, d1, d2, d3, d4);

    let b0 = moved(HASH, d0, 0);
    let b1 = moved(HASH + 48, d1, 44);
    let b2 = moved(HASH + 96, d2, 43);
    let b3 = moved(HASH + 144, d3, 21);
    let b4 = moved(HASH + 192, d4, 14);
    store<u64>(OTHER, b1 ^ (~b2 | b3), 8);
    store<u64>(OTHER, b2 ^ (b3 & b4), 16);
    store<u64>(OTHER, b3 ^ (b4 | b0), 24);
    store<u64>(OTHER, b4 ^ (b0 & b1), 32);
    store<u64>(OTHER, b0 ^ (b1 | b2) ^ load<u64>(constant), 0);

    let b5 = moved(HASH + 24, d3, 28);
    let b6 = moved(HASH + 72, d4, 20);
    let b7 = moved(HASH + 80, d0, 3);
    let b8 = moved(HASH + 128, d1, 45);
    let b9 = moved(HASH + 176, d2, 61);
    store<u64>(OTHER, b5 ^ (b6 | b7), 40);
    store<u64>(OTHER, b6 ^ (b7 & b8), 48);
    store<u64>(OTHER, b7 ^ (b8 | ~b9), 56);
    store<u64>(OTHER, b8 ^ (b9 | b5), 64);
    store<u64>(OTHER, b9 ^ (b5 & b6), 72);

    let b10 = moved(HASH + 8, d1, 1);
    let b11 = moved(HASH + 56, d2, 6);
    let b12 = moved(HASH + 104, d3, 25);
    let b13 = moved(HASH + 152, d4, 8);
    let b14 = moved(HASH + 160, d0, 18);
    store<u64>(OTHER, b10 ^ (b11 | b12), 80);
    store<u64>(OTHER, b11 ^ (b12 & b13), 88);
    store<u64>(OTHER, b12 ^ (~b13 & b14), 96);
    store<u64>(OTHER, ~b13 ^ (b14 | b10), 104);
    store<u64>(OTHER, b14 ^ (b10 & b11), 112);

    let b15 = moved(HASH + 32, d4, 27);
    let b16 = moved(HASH + 40, d0, 36);
    let b17 = moved(HASH + 88, d1, 10);
    let b18 = moved(HASH + 136, d2, 15);
    let b19 = moved(HASH + 184, d3, 56);
    store<u64>(OTHER, b15 ^ (b16 & b17), 120);
    store<u64>(OTHER, b16 ^ (b17 | b18), 128);
    store<u64>(OTHER, b17 ^ (~b18 | b19), 136);
    store<u64>(OTHER, ~b18 ^ (b19 & b15), 144);
    store<u64>(OTHER, b19 ^ (b15 | b16), 152);

    let b20 = moved(HASH + 16, d2, 62);
    let b21 = moved(HASH + 64, d3, 55);
    let b22 = moved(HASH + 112, d4, 39);
    let b23 = moved(HASH + 120, d0, 41);
    let b24 = moved(HASH + 168, d1, 2);
    e20 = b20 ^ (~b21 & b22);
    e21 = ~b21 ^ (b22 | b23);
    e22 = b22 ^ (b23 & b24);
    e23 = b23 ^ (b24 | b20);
    e24 = b24 ^ (b20 & b21);
    store<u64>(OTHER, e20, 160);
    store<u64>(OTHER, e21, 168);
    store<u64>(OTHER, e22, 176);
    store<u64>(OTHER, e23, 184);
    store<u64>(OTHER, e24, 192);

    c0 = parity(OTHER, e20);
    c1 = parity(OTHER + 8, e21);
    c2 = parity(OTHER + 16, e22);
    if (constant === 2) return keep(c0, c1, c2, 0, 0);
    c3 = parity(OTHER + 24, e23);
    c4 = parity(OTHER + 32, e24);
    d0 = c4 ^ rotl<u64>(c1, 1);
    d1 = c0 ^ rotl<u64>(c2, 1);
    d2 = c1 ^ rotl<u64>(c3, 1);
    d3 = c2 ^ rotl<u64>(c4, 1);
    d4 = c3 ^ rotl<u64>(c0, 1);
    if (constant === 3) return keep(d0, d1, d2, d3, d4);

    b0 = moved(OTHER, d0, 0);
    b1 = moved(OTHER + 48, d1, 44);
    b2 = moved(OTHER + 96, d2, 43);
    b3 = moved(OTHER + 144, d3, 21);
    b4 = moved(OTHER + 192, d4, 14);
    store<u64>(HASH, b1 ^ (~b2 | b3), 8);
    store<u64>(HASH, b2 ^ (b3 & b4), 16);
    store<u64>(HASH, b3 ^ (b4 | b0), 24);
    store<u64>(HASH, b4 ^ (b0 & b1), 32);
    store<u64>(HASH, b0 ^ (b1 | b2) ^ load<u64>(constant, 8), 0);

    b5 = moved(OTHER + 24, d3, 28);
    b6 = moved(OTHER + 72, d4, 20);
    b7 = moved(OTHER + 80, d0, 3);
    b8 = moved(OTHER + 128, d1, 45);
    b9 = moved(OTHER + 176, d2, 61);
    store<u64>(HASH, b5 ^ (b6 | b7), 40);
    store<u64>(HASH, b6 ^ (b7 & b8), 48);
    store<u64>(HASH, b7 ^ (b8 | ~b9), 56);
    store<u64>(HASH, b8 ^ (b9 | b5), 64);
    store<u64>(HASH, b9 ^ (b5 & b6), 72);

    b10 = moved(OTHER + 8, d1, 1);
    b11 = moved(OTHER + 56, d2, 6);
    b12 = moved(OTHER + 104, d3, 25);
    b13 = moved(OTHER + 152, d4, 8);
    b14 = moved(OTHER + 160, d0, 18);
    store<u64>(HASH, b10 ^ (b11 | b12), 80);
    store<u64>(HASH, b11 ^ (b12 & b13), 88);
    store<u64>(HASH, b12 ^ (~b13 & b14), 96);
    store<u64>(HASH, ~b13 ^ (b14 | b10), 104);
    store<u64>(HASH, b14 ^ (b10 & b11), 112);

    b15 = moved(OTHER + 32, d4, 27);
    b16 = moved(OTHER + 40, d0, 36);
    b17 = moved(OTHER + 88, d1, 10);
    b18 = moved(OTHER + 136, d2, 15);
    b19 = moved(OTHER + 184, d3, 56);
    store<u64>(HASH, b15 ^ (b16 & b17), 120);
    store<u64>(HASH, b16 ^ (b17 | b18), 128);
    store<u64>(HASH, b17 ^ (~b18 | b19), 136);
    store<u64>(HASH, ~b18 ^ (b19 & b15), 144);
    store<u64>(HASH, b19 ^ (b15 | b16), 152);

    b20 = moved(OTHER + 16, d2, 62);
    b21 = moved(OTHER + 64, d3, 55);
    b22 = moved(OTHER + 112, d4, 39);
    b23 = moved(OTHER + 120, d0, 41);
    b24 = moved(OTHER + 168, d1, 2);
    e20 = b20 ^ (~b21 & b22);
    e21 = ~b21 ^ (b22 | b23);
    e22 = b22 ^ (b23 & b24);
    e23 = b23 ^ (b24 | b20);
    e24 = b24 ^ (b20 & b21);
    store<u64>(HASH, e20, 160);
    store<u64>(HASH, e21, 168);
    store<u64>(HASH, e22, 176);
    store<u64>(HASH, e23, 184);
    store<u64>(HASH, e24, 192);
  }
  complement();
}

/** Complements the six lanes for which chi then needs the fewest complements. */
function complement(): void {
  store<u64>(HASH, ~load<u64>(HASH, 8), 8);
  store<u64>(HASH, ~load<u64>(HASH, 16), 16);
  store<u64>(HASH, ~load<u64>(HASH, 64), 64);
  store<u64>(HASH, ~load<u64>(HASH, 96), 96);
  store<u64>(HASH, ~load<u64>(HASH, 136), 136);
  store<u64>(HASH, ~load<u64>(HASH, 160), 160);
}

/** The parity of a column that begins at `from`. */
function parity(from: usize, last: u64): u64 {
  return load<u64>(from) ^ load<u64>(from, 40) ^ load<u64>(from, 80) ^ load<u64>(from, 120) ^ last;
}

/** Theta and rho; pi is the place where the caller looks. */
function moved(from: usize, theta: u64, rho: u64): u64 {
  return rotl<u64>(load<u64>(from) ^ theta, rho);
}

/**
 * For a branch that is never taken, before which these values must have been computed: otherwise
 * V8 loads lanes first and computes late, and no registers hold all that.
 */
function keep(v0: u64, v1: u64, v2: u64, v3: u64, v4: u64): void {
  store<u64>(NEVER_READ, v0, 0);
  store<u64>(NEVER_READ, v1, 8);
  store<u64>(NEVER_READ, v2, 16);
  store<u64>(NEVER_READ, v3, 24);
  store<u64>(NEVER_READ, v4, 32);
}
