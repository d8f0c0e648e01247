import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bareHex } from './hex.ts';
import {
  bigIntToBytes,
  bigIntToFixed,
  bytesToBigInt,
  numberToUint64,
  putBigInt,
} from './quantity.ts';

/** Integers of any size, with the edges of words and half words. */
const natural = fc.oneof(
  fc.bigInt({ min: 0n, max: (1n << 300n) - 1n }),
  fc
    .tuple(fc.integer({ min: 0, max: 300 }), fc.integer({ min: -2, max: 2 }))
    .map(([bits, delta]) => (1n << BigInt(bits)) + BigInt(delta))
    .filter((value) => value >= 0n),
);

function hexOf(value: bigint): string {
  const digits = value === 0n ? '' : value.toString(16);
  return digits.length % 2 === 1 ? `0${digits}` : digits;
}

describe('bigints and bytes', () => {
  it('are what hex text says, of any size', () => {
    fc.assert(
      fc.property(natural, (value) => {
        const bytes = bigIntToBytes(value);
        expect(bareHex(bytes)).toBe(hexOf(value));
        expect(bytesToBigInt(bytes)).toBe(value);
        expect(bareHex(bigIntToFixed(value, 40))).toBe(hexOf(value).padStart(80, '0'));
        expect(bytesToBigInt(bigIntToFixed(value, 40))).toBe(value);
      }),
      { numRuns: 2000 },
    );
  });

  it('are written in place, and nothing around them', () => {
    const small = natural.filter((value) => value < 1n << 256n);
    fc.assert(
      fc.property(small, fc.integer({ min: 0, max: 5 }), (value, at) => {
        const out = new Uint8Array(40).fill(0xee);
        const length = putBigInt(value, out, at);
        expect(bareHex(out.subarray(at, at + length))).toBe(hexOf(value));
        expect(out.subarray(0, at).every((byte) => byte === 0xee)).toBe(true);
        expect(out.subarray(at + length).every((byte) => byte === 0xee)).toBe(true);
      }),
    );
  });

  it('keep a number in eight bytes', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), (value) => {
        expect(bytesToBigInt(numberToUint64(value))).toBe(BigInt(value));
      }),
    );
  });
});
