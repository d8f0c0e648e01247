/**
 * F, the compression function of BLAKE2b (RFC 7693 §3.2, with the input of EIP-152). io/crypto
 * installs a fast one, made on first use; without it the loop below is used, against which the fast
 * one is tested.
 */
import type { Slices } from './pace.ts';

/** rounds (4, big-endian) ‖ h (64) ‖ m (128) ‖ t (16) ‖ final flag (1), words little-endian. */
export const BLAKE2F_INPUT_BYTES = 213;

/**
 * Mixes the message into the working vector: `v` holds 16 words of 64 bits and is changed, `m`
 * holds 16 and is not changed; each word is a pair of 32-bit halves, the low one first.
 */
export type Blake2Rounds = (v: Uint32Array, m: Uint32Array, rounds: number) => void;

export interface Blake2 {
  readonly rounds: Blake2Rounds;
  /**
   * F for an input of `rounds` rounds, at most 1,000; a flag of 0 or 1. Returns 64 new
   * bytes.
   */
  compress?(input: Uint8Array, rounds: number): Uint8Array;
}

let make: () => Blake2 = () => ({ rounds: portableRounds });
let made: Blake2 | undefined;

export function installBlake2(maker: () => Blake2): void {
  make = maker;
  made = undefined;
}

function blake2InUse(): Blake2 {
  made ??= make();
  return made;
}

/** With more rounds, entering the fast implementation costs nothing that could be measured. */
const ROUNDS_AT_ONCE = 1_000;

/** As pairs of 32-bit halves, the low one first. */
export const BLAKE2_IV: Uint32Array = Uint32Array.of(
  0xf3bcc908,
  0x6a09e667,
  0x84caa73b,
  0xbb67ae85,
  0xfe94f82b,
  0x3c6ef372,
  0x5f1d36f1,
  0xa54ff53a,
  0xade682d1,
  0x510e527f,
  0x2b3e6c1f,
  0x9b05688c,
  0xfb41bd6b,
  0x1f83d9ab,
  0x137e2179,
  0x5be0cd19,
);

export const BLAKE2_SIGMA: readonly Uint8Array[] = [
  [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
  [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
  [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
  [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
  [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
  [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
  [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
  [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
  [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
  [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
].map((row) => Uint8Array.from(row));

/** A few milliseconds of work. A multiple of 10: the message schedule repeats after ten rounds. */
const ROUNDS_A_PIECE = 100_000;

const work = new Uint32Array(32);
const message = new Uint32Array(32);

/**
 * `input` in the form of EIP-152, BLAKE2F_INPUT_BYTES long; the flag is 0 or 1. Returns 64 new
 * bytes.
 */
export function blake2F(input: Uint8Array): Uint8Array {
  const rounds = blake2Rounds(input);
  const implementation = blake2InUse();
  if (implementation.compress && rounds <= ROUNDS_AT_ONCE) {
    return implementation.compress(input, rounds);
  }
  const view = viewOf(input);
  load(view, work, message);
  implementation.rounds(work, message, rounds);
  return resultOf(view, work);
}

/** The number of rounds that `input` asks for. */
export function blake2Rounds(input: Uint8Array): number {
  return ((input[0]! << 24) | (input[1]! << 16) | (input[2]! << 8) | input[3]!) >>> 0;
}

/** Like `blake2F`, in pieces. */
export function* blake2FInPieces(input: Uint8Array): Slices<Uint8Array> {
  const view = viewOf(input);
  const ownWork = new Uint32Array(32);
  const ownMessage = new Uint32Array(32);
  load(view, ownWork, ownMessage);
  for (let left = blake2Rounds(input); left > 0; left -= ROUNDS_A_PIECE) {
    blake2InUse().rounds(ownWork, ownMessage, Math.min(left, ROUNDS_A_PIECE));
    yield;
  }
  return resultOf(view, ownWork);
}

function viewOf(input: Uint8Array): DataView {
  return new DataView(input.buffer, input.byteOffset, BLAKE2F_INPUT_BYTES);
}

function resultOf(view: DataView, vector: Uint32Array): Uint8Array {
  const out = new Uint8Array(64);
  const outView = new DataView(out.buffer);
  for (let i = 0; i < 16; i++) {
    const h = view.getUint32(4 + 4 * i, true);
    outView.setUint32(4 * i, (h ^ vector[i]! ^ vector[i + 16]!) >>> 0, true);
  }
  return out;
}

function load(view: DataView, vector: Uint32Array, block: Uint32Array): void {
  for (let i = 0; i < 16; i++) vector[i] = view.getUint32(4 + 4 * i, true);
  vector.set(BLAKE2_IV, 16);
  for (let i = 0; i < 32; i++) block[i] = view.getUint32(68 + 4 * i, true);
  for (let i = 0; i < 4; i++) vector[24 + i]! ^= view.getUint32(196 + 4 * i, true);
  if (view.getUint8(BLAKE2F_INPUT_BYTES - 1) !== 0) {
    vector[28] = ~vector[28]!;
    vector[29] = ~vector[29]!;
  }
}

let v: Uint32Array = work;
let m: Uint32Array = message;

export function portableRounds(vector: Uint32Array, block: Uint32Array, rounds: number): void {
  v = vector;
  m = block;
  for (let i = 0; i < rounds; i++) round(BLAKE2_SIGMA[i % 10]!);
}

/**
 * Columns, then diagonals, with the loops unrolled: the precompile spends nearly all its time here.
 */
function round(order: Uint8Array): void {
  mix(0, 8, 16, 24, 2 * order[0]!, 2 * order[1]!);
  mix(2, 10, 18, 26, 2 * order[2]!, 2 * order[3]!);
  mix(4, 12, 20, 28, 2 * order[4]!, 2 * order[5]!);
  mix(6, 14, 22, 30, 2 * order[6]!, 2 * order[7]!);
  mix(0, 10, 20, 30, 2 * order[8]!, 2 * order[9]!);
  mix(2, 12, 22, 24, 2 * order[10]!, 2 * order[11]!);
  mix(4, 14, 16, 26, 2 * order[12]!, 2 * order[13]!);
  mix(6, 8, 18, 28, 2 * order[14]!, 2 * order[15]!);
}

/** G of RFC 7693 §3.1. The indexes are those of the low halves. */
function mix(a: number, b: number, c: number, d: number, x: number, y: number): void {
  add3(a, b, m[x]!, m[x + 1]!);
  let low = v[d]! ^ v[a]!;
  let high = v[d + 1]! ^ v[a + 1]!;
  v[d] = high;
  v[d + 1] = low;
  add3(c, d, 0, 0);
  low = v[b]! ^ v[c]!;
  high = v[b + 1]! ^ v[c + 1]!;
  v[b] = (low >>> 24) | (high << 8);
  v[b + 1] = (high >>> 24) | (low << 8);
  add3(a, b, m[y]!, m[y + 1]!);
  low = v[d]! ^ v[a]!;
  high = v[d + 1]! ^ v[a + 1]!;
  v[d] = (low >>> 16) | (high << 16);
  v[d + 1] = (high >>> 16) | (low << 16);
  add3(c, d, 0, 0);
  low = v[b]! ^ v[c]!;
  high = v[b + 1]! ^ v[c + 1]!;
  v[b] = (low << 1) | (high >>> 31);
  v[b + 1] = (high << 1) | (low >>> 31);
}

/** v[to] += v[from] + word, modulo 2^64. */
function add3(to: number, from: number, low: number, high: number): void {
  const sum = v[to]! + v[from]! + low;
  v[to + 1] = v[to + 1]! + v[from + 1]! + high + Math.floor(sum / 0x1_0000_0000);
  v[to] = sum;
}
