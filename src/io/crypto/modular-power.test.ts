import fc from 'fast-check';
import { afterEach, expect, it } from 'vitest';
import { concatBytes } from '../../core/base/bytes.ts';
import { installModularPower } from '../../core/base/modular-power.ts';
import { finish } from '../../core/base/pace.ts';
import { bigIntToFixed, bytesToBigInt } from '../../core/base/quantity.ts';
import { modexp } from '../../core/evm/precompiles/modexp.ts';
import { modularPowerInWasm } from './modular-power.ts';

const wasm = await modularPowerInWasm();
afterEach(() => installModularPower(wasm));

/** Bit by bit. */
function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let [result, square] = [1n, base];
  for (let left = exponent; left > 0n; left >>= 1n) {
    if ((left & 1n) === 1n) result = (result * square) % modulus;
    square = (square * square) % modulus;
  }
  return result;
}

/** Odd, of a number of bits that is taken; near powers of two where limbs and groups of limbs end, too. */
const modulus = fc.oneof(
  fc
    .tuple(fc.integer({ min: 129, max: 700 }), fc.bigInt(0n, (1n << 700n) - 1n))
    .map(([bits, drawn]) => (1n << BigInt(bits - 1)) | BigInt.asUintN(bits - 1, drawn) | 1n),
  fc
    .tuple(fc.integer({ min: 129, max: 2100 }), fc.constantFrom(-1n, 1n, -3n))
    .map(([bits, more]) => (1n << BigInt(bits)) + more),
);
const exponent = fc.uint8Array({ minLength: 1, maxLength: 24 });

it('powers are those of the engine\u2019s integers', () => {
  fc.assert(
    fc.property(
      modulus,
      fc.bigInt(0n, 1n << 2100n),
      exponent,
      fc.nat(3),
      (m, drawn, bytes, zeros) => {
        const base = drawn % 7n === 0n ? m - 1n - (drawn % 3n) : drawn % m;
        const length = bytes.length + zeros;
        const whole = bytesToBigInt(bytes) << BigInt(8 * zeros);
        const found = finish(wasm.power(base, { bytes, length }, m));
        expect(found).toBe(power(base, whole, m));
      },
    ),
    { numRuns: 400 },
  );
});

it('powers of the longest moduli come in pieces, which others come between', () => {
  const m = (1n << 8192n) - 3n;
  const bytes = new Uint8Array(8).fill(0xa7);
  const work = wasm.power(m - 2n, { bytes, length: 8 }, m);
  let pieces = 1;
  let step = work.next();
  for (; !step.done; step = work.next()) {
    pieces++;
    const other = (1n << 521n) - 1n;
    expect(finish(wasm.power(3n, { bytes, length: 8 }, other))).toBe(
      power(3n, bytesToBigInt(bytes), other),
    );
  }
  expect(step.value).toBe(power(m - 2n, bytesToBigInt(bytes), m));
  expect(pieces).toBeGreaterThan(2);
});

it('the precompile answers the same with it and without it', () => {
  const { run } = modexp('eip2565');
  const number = fc.uint8Array({ minLength: 1, maxLength: 80 });
  fc.assert(
    fc.property(number, number, number, (base, bytes, m) => {
      const lengths = [base, bytes, m].map(({ length }) => bigIntToFixed(BigInt(length), 32));
      const input = concatBytes(...lengths, base, bytes, m);
      installModularPower(wasm);
      const fast = run(input);
      installModularPower(undefined);
      expect(fast).toEqual(run(input));
    }),
    { numRuns: 300 },
  );
});
