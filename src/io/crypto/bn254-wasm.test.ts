import { bn254 } from '@noble/curves/bn254.js';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { runs } from '../../../test/support/effort.ts';
import { installBn254 } from '../../core/base/bn254.ts';
import { concatBytes } from '../../core/base/bytes.ts';
import { finish } from '../../core/base/pace.ts';
import { bigIntToFixed } from '../../core/base/quantity.ts';
import { bn254Add, bn254Multiply, bn254Pairing } from '../../core/evm/precompiles/bn254.ts';
import { bn254InWasm } from './bn254-wasm.ts';

const wasm = bn254InWasm();
// Results are compared with those of the precompiles in JavaScript.
installBn254(undefined);
afterAll(() => installBn254(bn254InWasm));

const G1 = bn254.G1.Point;
const G2 = bn254.G2.Point;
const { Fp, Fp2, Fr } = bn254.fields;
const INFINITY_1 = new Uint8Array(64);
const INFINITY_2 = new Uint8Array(128);

const words = (...values: bigint[]) =>
  concatBytes(...values.map((each) => bigIntToFixed(each, 32)));

function g1(factor: bigint): Uint8Array {
  if (factor === 0n) return INFINITY_1;
  const { x, y } = G1.BASE.multiply(factor).toAffine();
  return words(x, y);
}

function g2(factor: bigint): Uint8Array {
  if (factor === 0n) return INFINITY_2;
  const { x, y } = G2.BASE.multiply(factor).toAffine();
  return words(x.c1, x.c0, y.c1, y.c0);
}

/** A point on the curve whose x is at most a few above `from`: near zero or p, digits carry. */
function nearG1(from: bigint): Uint8Array {
  for (let x = Fp.create(from); ; x = Fp.create(x + 1n)) {
    try {
      return words(x, Fp.sqrt(Fp.add(Fp.mul(Fp.sqr(x), x), 3n)));
    } catch {}
  }
}

type PointG2 = typeof G2.BASE;

/** A point on the twist, and almost surely outside the subgroup. */
function strayPoint(from: bigint): PointG2 {
  for (let c0 = from; ; c0++) {
    const x = Fp2.fromBigTuple([c0, 1n]);
    const square = Fp2.add(Fp2.mul(Fp2.sqr(x), x), G2.CURVE().b);
    try {
      return G2.fromAffine({ x, y: Fp2.sqrt(square) });
    } catch {}
  }
}

function encodeG2(point: PointG2): Uint8Array {
  const { x, y } = point.toAffine();
  return words(x.c1, x.c0, y.c1, y.c0);
}

const strayG2 = (from: bigint) => encodeG2(strayPoint(from));

/** Doubles and adds; noble's own product takes scalars below the order only. */
function times(point: PointG2, scalar: bigint): PointG2 {
  let product = G2.ZERO;
  for (const bit of scalar.toString(2)) {
    product = product.double();
    if (bit === '1') product = product.add(point);
  }
  return product;
}

/** A non-trivial cube root of one modulo the order: scalars are split by it. */
const LAMBDA = 0x30644e72e131a029048b6e193fd84104cc37a73fec2bc5e9b8ca0b2d36636f23n;
/** The number of points of the twist, divided by the order. */
const COFACTOR = 2n * Fp.ORDER - Fr.ORDER;
const factor = fc.oneof(fc.constantFrom(0n, 1n, 2n, Fr.ORDER - 1n), fc.bigInt(1n, Fr.ORDER - 1n));
const anyWord = fc.bigInt(0n, (1n << 256n) - 1n);
const pointG1 = fc.oneof(
  { weight: 8, arbitrary: factor.map(g1) },
  { weight: 2, arbitrary: fc.integer({ min: -40, max: 40 }).map((x) => nearG1(BigInt(x))) },
  // Points that are not on the curve, or have a coordinate that is not below the field's order.
  fc.tuple(anyWord, anyWord).map(([x, y]) => words(x, y)),
  fc.constantFrom(words(1n + Fp.ORDER, 2n), words(1n, 2n + Fp.ORDER), words(0n, Fp.ORDER)),
  fc.constantFrom(words(Fp.ORDER, 0n), words(0n, 1n), words(1n, Fp.ORDER - 2n)),
);
const pointG2 = fc.oneof(
  { weight: 6, arbitrary: factor.map(g2) },
  fc.bigInt(1n, 1n << 64n).map(strayG2),
  fc.constantFrom(words(0n, 0n, 0n, 1n), words(Fp.ORDER, 0n, 0n, 0n), INFINITY_2),
);

it('adds and multiplies as the implementation in JavaScript', () => {
  const [add, multiply] = [bn254Add(150), bn254Multiply(6_000)];
  fc.assert(
    fc.property(pointG1, pointG1, anyWord, (a, b, scalar) => {
      const sum = concatBytes(a, b);
      expect(wasm.add(sum)).toEqual(add.run(sum));
      const product = concatBytes(a, words(scalar));
      expect(wasm.multiply(product)).toEqual(multiply.run(product));
    }),
    { numRuns: runs(200) },
  );
});

it('takes missing bytes as zeros, and no further ones', () => {
  const [add, multiply] = [bn254Add(150), bn254Multiply(6_000)];
  const bytes = concatBytes(g1(2n), words(0n, 0n), new Uint8Array(40).fill(7));
  fc.assert(
    fc.property(fc.nat(bytes.length), pointG1, (length, before) => {
      wasm.add(concatBytes(before, g1(9n)));
      const input = bytes.subarray(0, length);
      expect(wasm.add(input)).toEqual(add.run(input));
      expect(wasm.multiply(input)).toEqual(multiply.run(input));
    }),
    { numRuns: runs(200) },
  );
});

it('multiplies by scalars at the borders', () => {
  const borders = [0n, LAMBDA, Fr.ORDER - LAMBDA, Fr.ORDER, 2n * Fr.ORDER, 1n << 127n, 1n << 256n];
  const near = borders.flatMap((each) => [-2n, -1n, 0n, 1n, 2n].map((more) => each + more));
  const small = Array.from({ length: 40 }, (_, i) => BigInt(i));
  for (const scalar of [...near, ...small].map((each) => BigInt.asUintN(256, each))) {
    const product = wasm.multiply(concatBytes(g1(7n), words(scalar)));
    expect(product, `${scalar}`).toEqual(g1((7n * scalar) % Fr.ORDER));
  }
});

it('adds all small multiples of a point, opposite and equal ones too', () => {
  const factors = [-3n, -2n, -1n, 0n, 1n, 2n, 3n].map((each) => Fr.create(each));
  for (const a of factors) {
    for (const b of factors) {
      expect(wasm.add(concatBytes(g1(a), g1(b)))).toEqual(g1(Fr.create(a + b)));
    }
  }
});

it('pairings are bilinear', () => {
  const exponents = fc.bigInt(1n, Fr.ORDER - 1n);
  fc.assert(
    fc.property(exponents, exponents, fc.constantFrom(0n, 0n, 1n), (a, b, more) => {
      const opposite = Fr.create(-a * b - more);
      const input = concatBytes(g1(a), g2(b), g1(opposite), g2(1n));
      expect(finish(wasm.isPairingOne(input))).toBe(more === 0n);
    }),
    { numRuns: runs(60) },
  );
});

it('refuses points of the twist outside the subgroup, of small order too', () => {
  const stray = strayPoint(5n);
  const cofactors = [10_069n, 5_864_401n];
  const small = cofactors.map((each) => times(times(stray, Fr.ORDER), COFACTOR / each));
  for (const [i, order] of cofactors.entries()) {
    expect([COFACTOR % order, small[i]!.is0(), times(small[i]!, order).is0()]).toEqual([
      0n,
      false,
      true,
    ]);
  }
  const inside = times(stray, COFACTOR);
  expect(finish(wasm.isPairingOne(concatBytes(g1(1n), encodeG2(inside))))).toBe(false);
  const outside = [...small, ...small.map((each) => each.add(inside)), stray, stray.add(inside)];
  for (const [i, point] of outside.entries()) {
    for (const first of [g1(1n), INFINITY_1]) {
      const input = concatBytes(first, encodeG2(point));
      expect(finish(wasm.isPairingOne(input)), `${i}`).toBeUndefined();
    }
  }
});

it('answers pairings as the implementation in JavaScript, refusals too', () => {
  const pairing = bn254Pairing(45_000, 34_000);
  const pairs = fc.array(fc.tuple(pointG1, pointG2), { maxLength: 3 });
  fc.assert(
    fc.property(pairs, (drawn) => {
      const input = concatBytes(...drawn.flat());
      const expected = pairing.run(input);
      expect(finish(wasm.isPairingOne(input))).toBe(expected && expected[31] === 1);
    }),
    { numRuns: runs(30) },
  );
});

it('finds products that are one, in pieces that others come between', () => {
  // e(aP, bQ)·e(-abP, Q), four times, with points at infinity in between.
  const product = (a: bigint, b: bigint) =>
    concatBytes(g1(a), g2(b), INFINITY_1, g2(3n), g1(Fr.ORDER - ((a * b) % Fr.ORDER)), g2(1n));
  const input = concatBytes(...[2n, 3n, 5n, 7n].map((a) => product(a, a + 11n)));
  const work = wasm.isPairingOne(input);
  let pieces = 1;
  let step = work.next();
  for (; !step.done; step = work.next()) {
    pieces++;
    expect(finish(wasm.isPairingOne(concatBytes(g1(1n), g2(1n))))).toBe(false);
  }
  expect([step.value, pieces]).toEqual([true, 3]);
});
