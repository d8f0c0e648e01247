import { bn254 } from '@noble/curves/bn254.js';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { concatBytes } from '../../base/bytes.ts';
import { bigIntToFixed } from '../../base/quantity.ts';
import { bn254Multiply } from './bn254.ts';

const G1 = bn254.G1.Point;
const { Fr } = bn254.fields;
/** The factor by which the endomorphism multiplies a point. */
const LAMBDA = 0x30644e72e131a029048b6e193fd84104cc37a73fec2bc5e9b8ca0b2d36636f23n;
const MULTIPLY = bn254Multiply(6_000);

function encode({ x, y }: { x: bigint; y: bigint }): Uint8Array {
  return concatBytes(bigIntToFixed(x, 32), bigIntToFixed(y, 32));
}

it('multiplication by halves is multiplication, at the borders too', () => {
  const borders = [0n, 1n, 2n, LAMBDA, Fr.ORDER - LAMBDA, Fr.ORDER - 1n, Fr.ORDER, Fr.ORDER + 1n];
  const scalars = fc.oneof(
    fc.constantFrom(...borders, (1n << 256n) - 1n, 1n << 127n, (1n << 127n) - 1n),
    fc.bigInt(0n, (1n << 256n) - 1n),
  );
  const factors = fc.oneof(fc.constantFrom(0n, 1n, LAMBDA), fc.bigInt(0n, Fr.ORDER - 1n));
  fc.assert(
    fc.property(factors, scalars, (factor, scalar) => {
      const point = G1.BASE.multiplyUnsafe(factor);
      const found = MULTIPLY.run(concatBytes(encode(point.toAffine()), bigIntToFixed(scalar, 32)));
      expect(found).toEqual(encode(point.multiplyUnsafe(Fr.create(scalar)).toAffine()));
    }),
    { numRuns: 150 },
  );
});
