/**
 * BLAKE2b's compression function (RFC 7693 §3.1, §3.2) as a WebAssembly module, whose bytes are
 * generated here: JavaScript has no fast 64-bit integers. Parameter 0 counts the rounds; locals
 * 1-16 are the working vector, 17-32 the message.
 */
import { BLAKE2_IV, BLAKE2_SIGMA, type Blake2 } from '../../core/base/blake2f.ts';
import { instantiate, leb, moduleOf, TYPE } from './wasm-module.ts';

/** Words of the vector that one G mixes, columns first, then diagonals. */
const MIXES: readonly (readonly [number, number, number, number])[] = [
  [0, 4, 8, 12],
  [1, 5, 9, 13],
  [2, 6, 10, 14],
  [3, 7, 11, 15],
  [0, 5, 10, 15],
  [1, 6, 11, 12],
  [2, 7, 8, 13],
  [3, 4, 9, 14],
];

const VECTOR_LOCAL = 1;
const MESSAGE_LOCAL = 17;
const WORDS = 16;
/**
 * Rounds per call: V8 replaces its first, slow compilation of a function only between two calls. A
 * multiple of 10: the message schedule repeats after ten rounds.
 */
const ROUNDS_A_CALL = 10_000;

const OP = {
  block: 0x02,
  loop: 0x03,
  end: 0x0b,
  branch: 0x0c,
  branchIf: 0x0d,
  get: 0x20,
  set: 0x21,
  tee: 0x22,
  load64: 0x29,
  load64From8: 0x31,
  store64: 0x37,
  const32: 0x41,
  const64: 0x42,
  isZero32: 0x45,
  subtract32: 0x6b,
  add64: 0x7c,
  subtract64: 0x7d,
  xor64: 0x85,
  rotateRight64: 0x8a,
} as const;
/** The alignment of loads and stores: the binary logarithm of 8 bytes, or nothing known. */
const ALIGNED = 3;
const UNALIGNED = 0;

/** In memory: the vector and the message of `rounds`; IV, input and output of `compress`. */
const MESSAGE_AT: number = 8 * WORDS;
const IV_AT = 256;
const OUTPUT_AT = 320;
const INPUT_AT = 384;
/** Places in the input of EIP-152. */
const INPUT = { state: 4, message: 68, offset: 196, final: 212 } as const;
const STATE_WORDS = 8;

/** v[to] = v[to] + v[from] (+ m[word]) */
function add(to: number, from: number, word?: number): number[] {
  const sum = [OP.get, VECTOR_LOCAL + to, OP.get, VECTOR_LOCAL + from, OP.add64];
  const more = word === undefined ? [] : [OP.get, MESSAGE_LOCAL + word, OP.add64];
  return [...sum, ...more, OP.set, VECTOR_LOCAL + to];
}

/**
 * v[to] = (v[to] ^ v[from]) rotated right by `bits`. `bits` is below 64, so it is a constant of one
 * byte.
 */
function turn(to: number, from: number, bits: number): number[] {
  const mixed = [OP.get, VECTOR_LOCAL + to, OP.get, VECTOR_LOCAL + from, OP.xor64];
  return [...mixed, OP.const64, bits, OP.rotateRight64, OP.set, VECTOR_LOCAL + to];
}

/** G of RFC 7693 §3.1. */
function mix([a, b, c, d]: readonly [number, number, number, number], x: number, y: number) {
  return [
    ...[...add(a, b, x), ...turn(d, a, 32), ...add(c, d), ...turn(b, c, 24)],
    ...[...add(a, b, y), ...turn(d, a, 16), ...add(c, d), ...turn(b, c, 63)],
  ];
}

/** Exits the loop when no round is left; otherwise counts one round and runs it. */
function round(order: Uint8Array): number[] {
  return [
    ...[OP.get, 0, OP.isZero32, OP.branchIf, 1],
    ...[OP.get, 0, OP.const32, 1, OP.subtract32, OP.set, 0],
    ...MIXES.flatMap((words, i) => mix(words, order[2 * i]!, order[2 * i + 1]!)),
  ];
}

function load(local: number, address: number): number[] {
  return [OP.const32, 0, OP.load64, UNALIGNED, ...leb(address), OP.set, local];
}

/** v[word] ^= the word that `value` leaves on the stack. */
function change(word: number, value: readonly number[]): number[] {
  return [...value, OP.get, VECTOR_LOCAL + word, OP.xor64, OP.set, VECTOR_LOCAL + word];
}

function loop(): number[] {
  const rounds = BLAKE2_SIGMA.flatMap((order) => round(order));
  const body = [OP.loop, TYPE.none, ...rounds, OP.branch, 0, OP.end];
  return [OP.block, TYPE.none, ...body, OP.end];
}

const INDEXES: readonly number[] = Array.from({ length: WORDS }, (_, i) => i);

/** Mixes the vector in memory. */
function rounds(): number[] {
  const vector = INDEXES.flatMap((i) => load(VECTOR_LOCAL + i, 8 * i));
  const message = INDEXES.flatMap((i) => load(MESSAGE_LOCAL + i, MESSAGE_AT + 8 * i));
  const store = INDEXES.flatMap((i) => {
    return [OP.const32, 0, OP.get, VECTOR_LOCAL + i, OP.store64, ALIGNED, ...leb(8 * i)];
  });
  return [...vector, ...message, ...loop(), ...store];
}

/** From the input in memory to the output. */
function compress(): number[] {
  const at = (place: number, i: number) => INPUT_AT + place + 8 * i;
  const word = (address: number) => [OP.const32, 0, OP.load64, UNALIGNED, ...leb(address)];
  const state = INDEXES.slice(0, STATE_WORDS);
  const flag = [OP.const32, 0, OP.load64From8, 0, ...leb(at(INPUT.final, 0))];
  return [
    ...state.flatMap((i) => load(VECTOR_LOCAL + i, at(INPUT.state, i))),
    ...state.flatMap((i) => load(VECTOR_LOCAL + STATE_WORDS + i, IV_AT + 8 * i)),
    ...change(12, word(at(INPUT.offset, 0))),
    ...change(13, word(at(INPUT.offset, 1))),
    // All bits of the flag's word are those of its only bit.
    ...change(14, [OP.const64, 0, ...flag, OP.subtract64]),
    ...INDEXES.flatMap((i) => load(MESSAGE_LOCAL + i, at(INPUT.message, i))),
    ...loop(),
    ...state.flatMap((i) => [
      ...[OP.const32, 0, ...word(at(INPUT.state, i))],
      ...[OP.get, VECTOR_LOCAL + i, OP.xor64, OP.get, VECTOR_LOCAL + STATE_WORDS + i, OP.xor64],
      ...[OP.store64, ALIGNED, ...leb(OUTPUT_AT + 8 * i)],
    ]),
  ];
}

function moduleBytes(): Uint8Array {
  const locals = [1, 2 * WORDS, TYPE.i64];
  return moduleOf([
    { name: 'rounds', code: [...locals, ...rounds(), OP.end] },
    { name: 'compress', code: [...locals, ...compress(), OP.end] },
  ]);
}

interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly rounds: (count: number) => void;
  readonly compress: (rounds: number) => void;
}

export function blake2InWasm(): Required<Blake2> {
  const wasm = instantiate(moduleBytes()) as Exports;
  const { buffer } = wasm.memory;
  const bytes = new Uint8Array(buffer);
  const vector = new Uint32Array(buffer, 0, 2 * WORDS);
  const message = new Uint32Array(buffer, MESSAGE_AT, 2 * WORDS);
  new Uint32Array(buffer, IV_AT, BLAKE2_IV.length).set(BLAKE2_IV);
  return {
    rounds(v, m, count) {
      vector.set(v);
      message.set(m);
      for (let left = count; left > 0; left -= ROUNDS_A_CALL) {
        wasm.rounds(Math.min(left, ROUNDS_A_CALL));
      }
      v.set(vector);
    },
    compress(input, count) {
      bytes.set(input, INPUT_AT);
      wasm.compress(count);
      return bytes.slice(OUTPUT_AT, OUTPUT_AT + 8 * STATE_WORDS);
    },
  };
}
