/**
 * Inverses modulo p by division steps on the lowest bits (Bernstein and Yang,
 * https://gcd.cr.yp.to/papers.html#safegcd), thirty at once, in time that depends on the number.
 * Numbers are nine digits in radix 2^30, of which the last one has the sign.
 */
import { firstWords, setElement, WORDS } from './words';

const STEPS: i32 = 30;
const MASK: i32 = (1 << STEPS) - 1;
/** 1/p modulo 2^30 */
const INVERSE_OF_P: i32 = 460954743;

const SIZE: usize = 36;
const P = memory.data(36);
const F = memory.data(36);
const G = memory.data(36);
/** F is D times the number, and G is E times it, modulo p. */
const D = memory.data(36);
const E = memory.data(36);

/** What the steps do: F' = (u·F + v·G) / 2^30, G' = (q·F + r·G) / 2^30. */
let u: i32 = 1;
let v: i32 = 0;
let q: i32 = 0;
let r: i32 = 1;

export function openInverse(): void {
  store<u64>(WORDS, 0x3c208c16d87cfd47);
  store<u64>(WORDS, 0x97816a916871ca8d, 8);
  store<u64>(WORDS, 0xb85045b68181585d, 16);
  store<u64>(WORDS, 0x30644e72e131a029, 24);
  takeDigits(P);
}

function takeDigits(to: usize): void {
  for (let i = 0; i < 9; i++) {
    const bit = STEPS * i;
    const at = WORDS + <usize>((bit >> 6) << 3);
    const low = load<u64>(at) >> (bit & 63);
    const high = bit >> 6 < 3 && (bit & 63) > 0 ? load<u64>(at, 8) << (64 - (bit & 63)) : 0;
    store<i32>(to + <usize>(i << 2), <i32>((low | high) & <u64>MASK));
  }
}

/** Both sides of `to` = 1 / the first element of `a`, which is not zero. */
export function inverse(to: usize, a: usize): void {
  firstWords(a);
  takeDigits(G);
  memory.copy(F, P, SIZE);
  memory.fill(D, 0, SIZE);
  memory.fill(E, 0, SIZE);
  store<i32>(E, 1);
  let eta: i32 = -1;
  do {
    eta = divisionSteps(eta, lowBits(F), lowBits(G));
    updateFactors();
    updateNumbers();
  } while (!isZeroNumber(G));
  // F is 1 or -1.
  takeResult(to, load<i32>(F, 32) < 0 ? -1 : 1);
}

function lowBits(number: usize): u32 {
  return load<u32>(number) | (load<u32>(number, 4) << STEPS);
}

function isZeroNumber(number: usize): bool {
  let bits: i32 = 0;
  for (let i: usize = 0; i < SIZE; i += 4) bits |= load<i32>(number + i);
  return bits === 0;
}

/** Thirty steps; returns the next `eta`, which is minus the "delta" of the paper. */
function divisionSteps(eta: i32, f: u32, g: u32): i32 {
  u = 1;
  v = 0;
  q = 0;
  r = 1;
  let left = STEPS;
  for (;;) {
    const zeros = <i32>ctz<u32>(g | ((<u32>0xffff_ffff) << left));
    g >>= zeros;
    u <<= zeros;
    v <<= zeros;
    eta -= zeros;
    left -= zeros;
    if (left === 0) break;
    if (eta < 0) {
      eta = -eta;
      const f0 = f;
      f = g;
      g = -f0;
      const u0 = u;
      u = q;
      q = -u0;
      const v0 = v;
      v = r;
      r = -v0;
    }
    // Adding a multiple of f makes up to six bits of g zero at once.
    const limit = min(min(eta + 1, left), 6);
    const mask = <u32>0xffff_ffff >> (32 - limit);
    const w = (f * g * (f * f - 2)) & mask;
    g += f * w;
    q += u * <i32>w;
    r += v * <i32>w;
  }
  return eta;
}

/** D and E, within 2p of zero, as the steps say; multiples of p make them divisible by 2^30. */
function updateFactors(): void {
  const signD = load<i32>(D, 32) >> 31;
  const signE = load<i32>(E, 32) >> 31;
  let multipleD = (u & signD) + (v & signE);
  let multipleE = (q & signD) + (r & signE);
  const d0 = <i64>load<i32>(D);
  const e0 = <i64>load<i32>(E);
  let sumD = u * d0 + v * e0;
  let sumE = q * d0 + r * e0;
  multipleD -= (INVERSE_OF_P * <i32>sumD + multipleD) & MASK;
  multipleE -= (INVERSE_OF_P * <i32>sumE + multipleE) & MASK;
  const p0 = <i64>load<i32>(P);
  sumD = (sumD + p0 * multipleD) >> STEPS;
  sumE = (sumE + p0 * multipleE) >> STEPS;
  for (let i: usize = 4; i < SIZE; i += 4) {
    const d = <i64>load<i32>(D + i);
    const e = <i64>load<i32>(E + i);
    const p = <i64>load<i32>(P + i);
    sumD += u * d + v * e + p * multipleD;
    sumE += q * d + r * e + p * multipleE;
    store<i32>(D + i - 4, <i32>sumD & MASK);
    store<i32>(E + i - 4, <i32>sumE & MASK);
    sumD >>= STEPS;
    sumE >>= STEPS;
  }
  store<i32>(D, <i32>sumD, 32);
  store<i32>(E, <i32>sumE, 32);
}

function updateNumbers(): void {
  const f0 = <i64>load<i32>(F);
  const g0 = <i64>load<i32>(G);
  let sumF = (u * f0 + v * g0) >> STEPS;
  let sumG = (q * f0 + r * g0) >> STEPS;
  for (let i: usize = 4; i < SIZE; i += 4) {
    const f = <i64>load<i32>(F + i);
    const g = <i64>load<i32>(G + i);
    sumF += u * f + v * g;
    sumG += q * f + r * g;
    store<i32>(F + i - 4, <i32>sumF & MASK);
    store<i32>(G + i - 4, <i32>sumG & MASK);
    sumF >>= STEPS;
    sumG >>= STEPS;
  }
  store<i32>(F, <i32>sumF, 32);
  store<i32>(G, <i32>sumG, 32);
}

/** Both sides of `to` = D·sign + 2p, as a number. */
function takeResult(to: usize, sign: i32): void {
  let w0: u64 = 0;
  let w1: u64 = 0;
  let w2: u64 = 0;
  let w3: u64 = 0;
  let over: i64 = 0;
  for (let i: usize = 0; i < SIZE; i += 4) {
    const sum = <i64>load<i32>(D + i) * sign + 2 * <i64>load<i32>(P + i) + over;
    over = sum >> STEPS;
    store<i32>(D + i, <i32>sum & MASK);
  }
  for (let at = D + 32; at >= D; at -= 4) {
    w3 = (w3 << STEPS) | (w2 >> (64 - STEPS));
    w2 = (w2 << STEPS) | (w1 >> (64 - STEPS));
    w1 = (w1 << STEPS) | (w0 >> (64 - STEPS));
    w0 = (w0 << STEPS) | <u64>load<u32>(at);
  }
  setElement(to, w0, w1, w2, w3);
}
