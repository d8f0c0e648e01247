import { bls12_381 } from '@noble/curves/bls12-381.js';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { runs } from '../../../test/support/effort.ts';
import { concatBytes } from '../../core/base/bytes.ts';
import { fromHex } from '../../core/base/hex.ts';
import { installKzg } from '../../core/base/kzg.ts';
import { bigIntToFixed, bytesToBigInt } from '../../core/base/quantity.ts';
import { sha256 } from '../../core/base/sha256.ts';
import { POINT_EVALUATION } from '../../core/evm/precompiles/kzg.ts';
import { kzgInWasm } from './kzg-wasm.ts';

const wasm = kzgInWasm();
// Results are compared with those of the precompile in JavaScript.
installKzg(undefined);
afterAll(() => installKzg(kzgInWasm));

const G1 = bls12_381.G1.Point;
const { Fp, Fr } = bls12_381.fields;
/**
 * An opening from the consensus tests of Ethereum for this precompile: z, y, commitment and proof.
 */
const KNOWN = fromHex(
  '0x564c0a11a0f704f4fc3e8acfe0f8245f0ad1347b378fbf96e206da11a5d3630624d25032e67a7e6a4910df5834b8fe70' +
    'e6bcfeeac0352434196bdf4b2485d5a18f59a8d2a1a625a17f3fea0fe5eb8c896db3764f3185481bc22f91b4aaffcca2' +
    '5f26936857bc3a7c2539ea8ec3a952b7873033e038326e87ed3e1276fd140253fa08e9fc25fb2d9a98527fc22a2c9612' +
    'fbeafdad446cbc7bcdbdcd780af2c16a',
);
const part = (from: number, to: number) => KNOWN.subarray(from, to);
const [Z, Y] = [bytesToBigInt(part(0, 32)), bytesToBigInt(part(32, 64))];
const [C, PROOF] = [G1.fromBytes(part(64, 112)), G1.fromBytes(part(112, 160))];
/** tau times the proof: all that the known opening reveals about tau. */
const TAU_PROOF = C.subtract(G1.BASE.multiply(Y)).add(PROOF.multiply(Z));

interface Opening {
  readonly commitment: Uint8Array;
  readonly z: Uint8Array;
  readonly y: Uint8Array;
  readonly proof: Uint8Array;
}

/** A valid opening, for any z, y and factor. */
function openingOf(z: bigint, y: bigint, factor: bigint): Opening {
  const times = (point: typeof PROOF, scalar: bigint) => point.multiplyUnsafe(Fr.create(scalar));
  const commitment = times(G1.BASE, y).add(times(TAU_PROOF, factor));
  const proof = times(PROOF, factor);
  return {
    commitment: commitment.subtract(times(proof, z)).toBytes(),
    z: bigIntToFixed(z, 32),
    y: bigIntToFixed(y, 32),
    proof: proof.toBytes(),
  };
}

/** A point on the curve, and almost surely outside the subgroup. */
function stray(from: bigint): Uint8Array {
  for (let x = from; ; x++) {
    const square = Fp.add(Fp.mul(Fp.sqr(x), x), 4n);
    try {
      Fp.sqrt(square);
    } catch {
      continue;
    }
    const bytes = bigIntToFixed(x, 48);
    bytes[0]! |= 0x80;
    return bytes;
  }
}

const scalar = fc.oneof(fc.constantFrom(0n, 1n, Fr.ORDER - 1n), fc.bigInt(0n, Fr.ORDER - 1n));
const opening = fc.tuple(scalar, scalar, scalar).map((drawn) => openingOf(...drawn));

function inJavaScript({ commitment, z, y, proof }: Opening): boolean {
  const hash = sha256(commitment);
  hash[0] = 1;
  return POINT_EVALUATION.run(concatBytes(hash, z, y, commitment, proof)) !== undefined;
}

it('accepts what is opened, at the borders too', () => {
  fc.assert(
    fc.property(opening, (each) => {
      expect([wasm.isOpening(each), inJavaScript(each)]).toEqual([true, true]);
    }),
    { numRuns: runs(12) },
  );
});

const withEnds = (first: number, last: number) => {
  const bytes = new Uint8Array(48);
  bytes[0] = first;
  bytes[47] = last;
  return bytes;
};
/** The compressed point with this x; `flags`: compression and sign. */
const withX = (x: bigint, flags = 0x80) => {
  const bytes = bigIntToFixed(x, 48);
  bytes[0]! |= flags;
  return bytes;
};

it('reads the odd encodings of points as the implementation in JavaScript', () => {
  const infinities = [0xc0, 0xe0, 0x40].flatMap((first) => [
    withEnds(first, 0),
    withEnds(first, 1),
  ]);
  const { x } = G1.BASE.toAffine();
  const others = [withEnds(0, 0), withEnds(0x80, 0), withEnds(0xa0, 0), withX(Fp.ORDER)];
  const aliases = [withX(x), withX(x, 0), withX(x, 0x20), withX(x, 0xa0), withX(x, 0xc0)];
  // Infinity is a proof of a constant, so some of these are openings.
  const constant = openingOf(5n, 0n, 0n);
  let accepted = 0;
  for (const point of [...infinities, ...others, ...aliases, withX(Fp.ORDER + x)]) {
    for (const name of ['commitment', 'proof'] as const) {
      const each = { ...constant, [name]: point };
      expect(wasm.isOpening(each) ?? false, `${name} ${point}`).toBe(inJavaScript(each));
      if (inJavaScript(each)) accepted++;
    }
  }
  expect(accepted).toBe(2);
});

it('refuses whatever the implementation in JavaScript refuses', () => {
  const field = fc.constantFrom<keyof Opening>('commitment', 'z', 'y', 'proof');
  const point = fc.oneof(
    fc.bigInt(1n, 1n << 64n).map(stray),
    fc.uint8Array({ minLength: 48, maxLength: 48 }),
  );
  const flipped = fc
    .tuple(opening, field, fc.nat(255), fc.nat(7))
    .map(([each, name, at, bit]) => {
      const bytes = each[name].slice();
      bytes[at % bytes.length]! ^= 1 << bit;
      return { ...each, [name]: bytes };
    })
    // The precompile itself refuses a scalar that is not below the group's order.
    .filter(({ z, y }) => [z, y].every((scalar) => bytesToBigInt(scalar) < Fr.ORDER));
  const placed = fc
    .tuple(opening, fc.constantFrom('commitment', 'proof'), point)
    .map(([each, name, bytes]) => ({ ...each, [name]: bytes }));
  fc.assert(
    fc.property(fc.oneof(flipped, placed), (each) => {
      expect(wasm.isOpening(each) ?? false).toBe(inJavaScript(each));
    }),
    { numRuns: runs(60) },
  );
});
