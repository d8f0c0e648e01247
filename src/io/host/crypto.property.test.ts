import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { portableRounds } from '../../core/base/blake2f.ts';
import { sha256 } from '../../core/base/sha256.ts';
import { blake2RoundsInWasm } from './blake2-wasm.ts';
import { installCrypto } from './crypto.ts';

const words = fc.uint32Array({ minLength: 32, maxLength: 32 });

it('the rounds of BLAKE2b in WebAssembly are those of JavaScript, at any count', async () => {
  const inWasm = await blake2RoundsInWasm();
  const counts = fc.oneof(fc.nat(40), fc.constantFrom(9_999, 10_000, 10_001, 20_013));
  fc.assert(
    fc.property(words, words, counts, (vector, message, rounds) => {
      const expected = vector.slice();
      portableRounds(expected, message, rounds);
      const found = vector.slice();
      inWasm(found, message, rounds);
      expect(found).toEqual(expected);
    }),
    { numRuns: 200 },
  );
});

it('SHA-256 answers with bytes of its own', async () => {
  await installCrypto();
  const one = sha256(Uint8Array.of(1));
  sha256(Uint8Array.of(2));
  expect(Buffer.from(one)).toEqual(createHash('sha256').update('\x01').digest());
  expect(one.buffer.byteLength).toBe(32);
});
