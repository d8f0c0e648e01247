/**
 * The rounds of BLAKE2b (RFC 7693 §3.1, §3.2) as a WebAssembly module, whose bytes are generated
 * here: JavaScript has no fast 64-bit integers. Parameter 0 counts the rounds; locals 1-16 are the
 * working vector, 17-32 the message; memory holds both, in this order.
 */
import { BLAKE2_SIGMA, type Blake2Rounds } from '../../core/base/blake2f.ts';
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
  store64: 0x37,
  const32: 0x41,
  const64: 0x42,
  isZero32: 0x45,
  subtract32: 0x6b,
  add64: 0x7c,
  xor64: 0x85,
  rotateRight64: 0x8a,
} as const;
/** The alignment of loads and stores: the binary logarithm of 8 bytes. */
const ALIGNED = 3;

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

function body(): number[] {
  const locals = Array.from({ length: 2 * WORDS }, (_, i) => i);
  const load = locals.flatMap((i) => {
    return [OP.const32, 0, OP.load64, ALIGNED, ...leb(8 * i), OP.set, VECTOR_LOCAL + i];
  });
  const store = locals.slice(0, WORDS).flatMap((i) => {
    return [OP.const32, 0, OP.get, VECTOR_LOCAL + i, OP.store64, ALIGNED, ...leb(8 * i)];
  });
  const rounds = BLAKE2_SIGMA.flatMap((order) => round(order));
  const loop = [OP.loop, TYPE.none, ...rounds, OP.branch, 0, OP.end];
  return [...load, OP.block, TYPE.none, ...loop, OP.end, ...store, OP.end];
}

function moduleBytes(): Uint8Array {
  const code = [1, 2 * WORDS, TYPE.i64, ...body()];
  return moduleOf({ name: 'rounds', parameters: 1, code });
}

interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly rounds: (count: number) => void;
}

export async function blake2RoundsInWasm(): Promise<Blake2Rounds> {
  const { memory, rounds: run } = (await instantiate(moduleBytes())) as Exports;
  const vector = new Uint32Array(memory.buffer, 0, 2 * WORDS);
  const message = new Uint32Array(memory.buffer, 8 * WORDS, 2 * WORDS);
  return (v, m, rounds) => {
    vector.set(v);
    message.set(m);
    for (let left = rounds; left > 0; left -= ROUNDS_A_CALL) run(Math.min(left, ROUNDS_A_CALL));
    v.set(vector);
  };
}
