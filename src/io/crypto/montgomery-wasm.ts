/**
 * Montgomery's product as a WebAssembly module, whose bytes are generated here: out = a·b / 2^(27n)
 * modulo m, all of n limbs of 27 bits. Limbs are of 27 bits so that 512 rows of two products each
 * fit a sum of 64 bits, and nothing is carried within a row (P. L. Montgomery, 1985; operands below
 * 2m give a result below 2m where 4m is below 2^(27n), so nothing is subtracted either). Four limbs
 * of a row are multiplied at a time.
 */
import { instantiate, leb, moduleOf, TYPE } from './wasm-module.ts';

export const LIMB_BITS = 27;
export const LIMB_MASK: number = 2 ** LIMB_BITS - 1;
/** Limbs are processed in groups of this size. */
export const LIMBS_A_GROUP = 4;

/** Addresses in memory, and `limbs` in bytes, four each. `sums` needs four times as much, and 32 bytes. `inverse`: -1/m modulo 2^27. */
export type MontgomeryProduct = (
  a: number,
  b: number,
  out: number,
  limbs: number,
  m: number,
  sums: number,
  inverse: number,
) => void;

/** Parameters first, then locals. */
const LOCAL = {
  ...{ a: 0, b: 1, out: 2, limbs: 3, m: 4, sums: 5, inverse: 6 },
  ...{ row: 7, column: 8, at: 9, digit: 10, carry: 11 },
  ...{ digits: 12, quotients: 13, bs: 14, ms: 15 },
} as const;
type Local = keyof typeof LOCAL;

const get = (name: Local) => [0x20, LOCAL[name]];
const set = (name: Local) => [0x21, LOCAL[name]];
const int = (value: number) => [0x41, ...signed(value)];
const ADD = 0x6a;
const MULTIPLY = 0x6c;
const AND = 0x71;
const SHIFT_LEFT = 0x74;
const LESS = 0x49;
const LOAD = (offset = 0) => [0x28, 2, ...leb(offset)];
const STORE = [0x36, 2, 0];
const LOAD_64 = (offset = 0) => [0x29, 3, ...leb(offset)];
const STORE_64 = (offset = 0) => [0x37, 3, ...leb(offset)];
const ADD_64 = 0x7c;
const MULTIPLY_64 = 0x7e;
const SHIFT_RIGHT_64 = 0x88;
const WRAP = 0xa7;
const EXTEND = 0xad;
const vector = (code: number) => [0xfd, ...leb(code)];
const LOAD_V = (offset = 0) => [...vector(0x00), 3, ...leb(offset)];
const STORE_V = (offset = 0) => [...vector(0x0b), 3, ...leb(offset)];
const SPLAT = vector(0x11);
const ADD_V = vector(0xce);
const PRODUCTS_LOW = vector(0xde);
const PRODUCTS_HIGH = vector(0xdf);

/** Signed LEB128 of non-negative numbers. */
function signed(value: number): number[] {
  return value < 0x40 ? [value] : [(value & 0x7f) | 0x80, ...signed(value >>> 7)];
}

const add = (name: Local, value: number) => [...get(name), ...int(value), ADD, ...set(name)];

/** Loops until `counter`, which grows by `step`, reaches the length of the numbers. */
function loop(counter: Local, step: number, body: readonly number[]): number[] {
  const again = [...add(counter, step), ...get(counter), ...get('limbs'), LESS, 0x0d, 0];
  return [...int(0), ...set(counter), 0x03, TYPE.none, ...body, ...again, 0x0b];
}

/** sums + 2·row: a sum has eight bytes, a limb four. */
const SUMS_OF_ROW = [...get('sums'), ...get('row'), ...int(1), SHIFT_LEFT, ADD];

/** sums += digit·b + quotient·m, of two limbs. */
function twoSums(products: readonly number[], offset: number): number[] {
  return [
    ...[...get('at'), ...get('at'), ...LOAD_V(offset)],
    ...[...get('digits'), ...get('bs'), ...products, ...ADD_V],
    ...[...get('quotients'), ...get('ms'), ...products, ...ADD_V],
    ...STORE_V(offset),
  ];
}

const COLUMN = [
  ...[...get('b'), ...get('column'), ADD, ...LOAD_V(), ...set('bs')],
  ...[...get('m'), ...get('column'), ADD, ...LOAD_V(), ...set('ms')],
  ...twoSums(PRODUCTS_LOW, 0),
  ...twoSums(PRODUCTS_HIGH, 16),
  ...add('at', 32),
];

/** The quotient makes the lowest limb of the row zero, so that the next row begins a limb further. */
const ROW = [
  ...[...get('a'), ...get('row'), ADD, ...LOAD(), ...set('digit')],
  ...[...SUMS_OF_ROW, ...set('at')],
  ...[...get('digit'), ...SPLAT, ...set('digits')],
  ...[...get('digit'), EXTEND, ...get('b'), ...LOAD(), EXTEND, MULTIPLY_64],
  ...[...get('at'), ...LOAD_64(), ADD_64, WRAP],
  ...[...get('inverse'), MULTIPLY, ...int(LIMB_MASK), AND, ...SPLAT, ...set('quotients')],
  ...loop('column', 4 * LIMBS_A_GROUP, COLUMN),
  ...[...SUMS_OF_ROW, ...set('at')],
  ...[...get('at'), ...get('at'), ...LOAD_64(8)],
  ...[...get('at'), ...LOAD_64(), 0x42, LIMB_BITS, SHIFT_RIGHT_64, ADD_64, ...STORE_64(8)],
];

/** Bits above 27 carry into the next limb. */
const CARRY = [
  ...[...SUMS_OF_ROW, ...LOAD_64(), ...get('carry'), ADD_64, ...set('carry')],
  ...[...get('out'), ...get('row'), ADD],
  ...[...get('carry'), WRAP, ...int(LIMB_MASK), AND, ...STORE],
  ...[...get('carry'), 0x42, LIMB_BITS, SHIFT_RIGHT_64, ...set('carry')],
];

const CLEAR = [
  ...[...get('sums'), ...int(0)],
  ...[...get('limbs'), ...int(2), SHIFT_LEFT, ...int(32), ADD, 0xfc, 0x0b, 0],
];

const CODE = [
  ...[3, 4, TYPE.i32, 1, TYPE.i64, 4, TYPE.v128],
  ...CLEAR,
  ...loop('row', 4, ROW),
  // The result follows the limbs that have become zero.
  ...[...get('sums'), ...get('limbs'), ...int(1), SHIFT_LEFT, ADD, ...set('sums')],
  ...[0x42, 0, ...set('carry')],
  ...loop('row', 4, CARRY),
  0x0b,
];

export interface Montgomery {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly product: MontgomeryProduct;
}

export async function montgomeryInWasm(): Promise<Montgomery> {
  return (await instantiate(
    moduleOf({ name: 'product', parameters: 7, code: CODE }),
  )) as Montgomery;
}
