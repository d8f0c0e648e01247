import fc from 'fast-check';
import { afterEach, expect, it } from 'vitest';
import { concatBytes } from '../../core/base/bytes.ts';
import { installModularPower } from '../../core/base/modular-power.ts';
import { bigIntToBytes, bigIntToFixed, bytesToBigInt } from '../../core/base/quantity.ts';
import { modexp } from '../../core/evm/precompiles/modexp.ts';
import { modularPower } from './modular-power.ts';

afterEach(() => installModularPower(modularPower));

/** Square and multiply, bit by bit. */
function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let [result, square] = [1n, base];
  for (let left = exponent; left > 0n; left >>= 1n) {
    if ((left & 1n) === 1n) result = (result * square) % modulus;
    square = (square * square) % modulus;
  }
  return result;
}

/** Odd moduli, some of them near powers of two at the limits of machine words. */
const modulus = fc.oneof(
  fc
    .tuple(fc.integer({ min: 129, max: 700 }), fc.bigInt(0n, (1n << 700n) - 1n))
    .map(([bits, drawn]) => (1n << BigInt(bits - 1)) | BigInt.asUintN(bits - 1, drawn) | 1n),
  fc
    .tuple(fc.integer({ min: 129, max: 2100 }), fc.constantFrom(-1n, 1n, -3n))
    .map(([bits, more]) => (1n << BigInt(bits)) + more),
);
const exponent = fc.bigInt(256n, 1n << 200n);

it('powers are those of the engine\u2019s integers', () => {
  let taken = 0;
  fc.assert(
    fc.property(modulus, fc.bigInt(0n, 1n << 2100n), exponent, (m, drawn, e) => {
      const base = drawn % 7n === 0n ? m - 1n - (drawn % 3n) : drawn % m;
      const bytes = bigIntToBytes(m);
      const found = modularPower(bigIntToFixed(base, bytes.length), bigIntToBytes(e), bytes);
      if (!found) return;
      taken++;
      expect(found.length).toBe(bytes.length);
      expect(bytesToBigInt(found)).toBe(power(base, e, m));
    }),
    { numRuns: 400 },
  );
  expect(taken).toBeGreaterThan(100);
});

it.each([
  ['even moduli', 2n ** 512n - 2n, 2n ** 64n],
  ['exponents that are not below the modulus', 2n ** 256n - 189n, 2n ** 256n - 189n],
  ['long exponents of moduli of more than 3,072 bits', 2n ** 4096n - 1n, 2n ** 65n],
  ['moduli of more than 8,192 bits', 2n ** 8193n - 1n, 65_537n],
  ['what integers do faster', 2n ** 512n - 1n, 3n],
])('%s are left to the engine\u2019s integers', (_what, m, e) => {
  const bytes = bigIntToBytes(m);
  expect(modularPower(bigIntToFixed(5n, bytes.length), bigIntToBytes(e), bytes)).toBeUndefined();
});

it.each([
  ['3,072 bits with an exponent as long', 2n ** 3072n - 1n, 2n ** 3072n - 2n],
  ['8,192 bits with an exponent of 64', 2n ** 8192n - 1n, 2n ** 64n - 1n],
])('takes %s', (_what, m, e) => {
  const bytes = bigIntToBytes(m);
  const found = modularPower(bigIntToFixed(5n, bytes.length), bigIntToBytes(e), bytes);
  expect(bytesToBigInt(found!)).toBe(power(5n, e, m));
});

it('the precompile answers the same with it and without it', () => {
  const { run } = modexp('eip2565');
  const number = fc.uint8Array({ minLength: 1, maxLength: 80 });
  fc.assert(
    fc.property(number, number, number, fc.nat(90), (base, bytes, m, missing) => {
      const lengths = [base, bytes, m].map(({ length }) => bigIntToFixed(BigInt(length), 32));
      const whole = concatBytes(...lengths, base, bytes, m);
      const input = whole.subarray(0, whole.length - missing);
      installModularPower(modularPower);
      const fast = run(input);
      installModularPower(undefined);
      expect(fast).toEqual(run(input));
    }),
    { numRuns: 600 },
  );
});
