import fc from 'fast-check';
import { afterEach, expect, it } from 'vitest';
import { runs } from '../../../test/support/effort.ts';
import { concatBytes } from '../../core/base/bytes.ts';
import { installModularPower } from '../../core/base/modular-power.ts';
import { finish, type Slices } from '../../core/base/pace.ts';
import { bigIntToBytes, bigIntToFixed, bytesToBigInt } from '../../core/base/quantity.ts';
import { modexp } from '../../core/evm/precompiles/modexp.ts';
import { modularPower } from './modular-power.ts';
import { powerByOpenssl } from './modular-power-openssl.ts';
import { powerInWasm } from './modular-power-wasm.ts';

afterEach(() => installModularPower(modularPower));

/** Square and multiply, bit by bit. */
function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let [result, square] = [1n % modulus, base % modulus];
  for (let left = exponent; left > 0n; left >>= 1n) {
    if ((left & 1n) === 1n) result = (result * square) % modulus;
    square = (square * square) % modulus;
  }
  return result;
}

function start(base: bigint, exponent: bigint, modulus: bigint): Uint8Array | Slices<Uint8Array> {
  return powerInWasm(bigIntToBytes(base), bigIntToBytes(exponent), bigIntToBytes(modulus))!;
}

function done(work: Uint8Array | Slices<Uint8Array>): Uint8Array {
  return work instanceof Uint8Array ? work : finish(work);
}

/**
 * Numbers above 0 of up to `bytes`: drawn, near powers of two, or with long runs of ones or zeros,
 * which are what carries go wrong with.
 */
function numbers(bytes: number): fc.Arbitrary<bigint> {
  const bits = fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 8 * bytes }));
  const drawn = fc.uint8Array({ minLength: 1, maxLength: bytes, size: 'max' }).map(bytesToBigInt);
  const near = fc
    .tuple(bits, fc.integer({ min: -3, max: 3 }))
    .map(([n, more]) => BigInt.asUintN(8 * bytes, (1n << BigInt(n)) + BigInt(more)));
  const stretches = fc
    .array(fc.tuple(fc.boolean(), fc.integer({ min: 1, max: 200 })), { minLength: 1 })
    .map((parts) => {
      return parts.reduce((value, [isOnes, length]) => {
        return (value << BigInt(length)) | (isOnes ? (1n << BigInt(length)) - 1n : 0n);
      }, 1n);
    });
  return fc
    .oneof(drawn, near, stretches)
    .map((value) => BigInt.asUintN(8 * bytes, value))
    .map((value) => (value === 0n ? 1n : value));
}

const modulus = numbers(1_100).map((value) => (value === 1n ? 2n : value));
const exponent = fc.oneof(fc.constantFrom(1n, 2n, 3n, 4n, 65_537n), numbers(3), numbers(9));

it('powers in WebAssembly are those of the engine\u2019s integers', () => {
  const base = fc.oneof(numbers(1_100), fc.constant('one less' as const));
  fc.assert(
    fc.property(modulus, base, exponent, (m, drawn, e) => {
      const b = drawn === 'one less' ? m - 1n : drawn;
      const found = done(start(b, e, m));
      expect(found.length).toBe(bigIntToBytes(m).length);
      expect(bytesToBigInt(found)).toBe(power(b, e, m));
    }),
    { numRuns: runs(250) },
  );
});

it('multiples of the modulus have the power zero', () => {
  fc.assert(
    fc.property(
      numbers(300),
      numbers(300),
      fc.constantFrom(1n, 2n, 3n, 5n, 1n << 40n),
      (m, k, e) => {
        expect(bytesToBigInt(done(start(m * k, e, m)))).toBe(0n);
      },
    ),
    { numRuns: runs(100) },
  );
});

it('takes numbers of 1,536 bytes, and none longer', () => {
  const longest = (1n << 12_288n) - 1n;
  for (const m of [longest, longest - 1n, longest - 58n]) {
    for (const e of [2n, 3n, 5n]) {
      expect(bytesToBigInt(done(start(longest - 2n, e, m)))).toBe(power(longest - 2n, e, m));
    }
  }
  expect(start(longest + 1n, 2n, 5n)).toBeUndefined();
  expect(start(2n, 2n, longest + 2n)).toBeUndefined();
});

it('digits that are all as large as they get do not overflow a sum', () => {
  const wide = [0x7fffff, 0x800000, 0x800001].map((digit) => {
    return BigInt(`0x${digit.toString(16).padStart(6, '0').repeat(512)}`);
  });
  for (const m of wide.flatMap((each) => [each, each | 1n])) {
    for (const b of wide) {
      for (const e of [2n, 3n, 5n]) {
        expect(bytesToBigInt(done(start(b, e, m)))).toBe(power(b, e, m));
      }
    }
  }
});

it('long powers come in slices that others come between', () => {
  const cases = [2n ** 2048n - 1n, 2n ** 2048n - 2n, 2n ** 64n - 59n].map((m, i) => {
    const bytes = [40, 40, 3_000][i]!;
    const e = (1n << BigInt(8 * bytes)) - 12_345n;
    return { m, e, work: start(m - 7n, e, m) as Slices<Uint8Array> };
  });
  const results: (Uint8Array | undefined)[] = cases.map(() => undefined);
  let slices = 0;
  while (results.some((each) => each === undefined)) {
    for (const [i, { work }] of cases.entries()) {
      if (results[i]) continue;
      const step = work.next();
      slices++;
      if (step.done) results[i] = step.value;
    }
  }
  expect(slices).toBeGreaterThan(8);
  for (const [i, { m, e }] of cases.entries()) {
    expect(bytesToBigInt(results[i]!)).toBe(power(m - 7n, e, m));
  }
});

it('powers of numbers too long for the module come in slices, too', () => {
  const [base, m] = [3n, (1n << 12_296n) - 1n];
  const e = (1n << 320n) - 12_345n;
  const numbers = [base, e, m].map(bigIntToBytes);
  const lengths = numbers.map(({ length }) => bigIntToFixed(BigInt(length), 32));
  const work = modexp('eip2565').inPieces!(concatBytes(...lengths, ...numbers));
  let slices = 1;
  let step = work.next();
  for (; !step.done; step = work.next()) slices++;
  expect(slices).toBeGreaterThan(numbers[1]!.length);
  expect(bytesToBigInt(step.value!)).toBe(power(base, e, m));
});

it('powers by OpenSSL are those of the engine\u2019s integers', () => {
  let taken = 0;
  fc.assert(
    fc.property(numbers(260), numbers(260), numbers(25), (drawn, base, e) => {
      const m = drawn | (1n << 1_100n) | 1n;
      const found = powerByOpenssl(
        bigIntToBytes(base % m),
        bigIntToBytes(e | 1n),
        bigIntToBytes(m),
      );
      if (!found) return;
      taken++;
      expect(bytesToBigInt(found)).toBe(power(base, e | 1n, m));
    }),
    { numRuns: runs(300) },
  );
  expect(taken).toBeGreaterThan(60);
});

it.each([
  ['even moduli', 2n ** 512n - 2n, 2n ** 64n],
  ['exponents that are not below the modulus', 2n ** 256n - 189n, 2n ** 256n - 189n],
  ['long exponents of moduli of more than 3,072 bits', 2n ** 4096n - 1n, 2n ** 65n],
  ['moduli of more than 8,192 bits', 2n ** 8193n - 1n, 65_537n],
  ['what the module does faster', 2n ** 512n - 1n, 65_537n],
])('OpenSSL does not get %s', (_what, m, e) => {
  expect(powerByOpenssl(Uint8Array.of(5), bigIntToBytes(e), bigIntToBytes(m))).toBeUndefined();
});

it.each([
  ['3,072 bits with an exponent as long', 2n ** 3072n - 1n, 2n ** 3072n - 2n],
  ['8,192 bits with an exponent of 64', 2n ** 8192n - 1n, 2n ** 64n - 1n],
])('OpenSSL takes %s', (_what, m, e) => {
  const found = powerByOpenssl(Uint8Array.of(5), bigIntToBytes(e), bigIntToBytes(m));
  expect(bytesToBigInt(found!)).toBe(power(5n, e, m));
});

it('the precompile answers the same with them and without them', () => {
  const { run } = modexp('eip2565');
  const number = fc.oneof(
    fc.uint8Array({ maxLength: 80 }),
    fc.constantFrom([], [0], [1], [2], [0, 0, 3]).map((bytes) => Uint8Array.from(bytes)),
  );
  fc.assert(
    fc.property(number, number, number, fc.nat(90), (base, bytes, m, missing) => {
      const lengths = [base, bytes, m].map(({ length }) => bigIntToFixed(BigInt(length), 32));
      const whole = concatBytes(...lengths, base, bytes, m);
      const input = whole.subarray(0, whole.length - missing);
      installModularPower(modularPower);
      const fast = run(input)!;
      expect(fast.buffer).not.toBe(input.buffer);
      installModularPower(undefined);
      expect(fast).toEqual(run(input));
    }),
    { numRuns: runs(600) },
  );
});
