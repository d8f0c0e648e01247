import { createHash } from 'node:crypto';
import { keccak_256 } from '@noble/hashes/sha3.js';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runs } from '../../../test/support/effort.ts';
import { blake2F, installBlake2, portableRounds } from '../../core/base/blake2f.ts';
import { secp256k1 } from '../../core/base/secp256k1.ts';
import { sha256 } from '../../core/base/sha256.ts';
import { blake2InWasm } from './blake2-wasm.ts';
import { installCrypto } from './crypto.ts';
import { KeccakState, keccak256InWasm } from './keccak-wasm.ts';
import { secp256k1InWasm } from './secp256k1-wasm.ts';

const words = fc.uint32Array({ minLength: 32, maxLength: 32 });

it('the rounds of BLAKE2b in WebAssembly are those of JavaScript, at any count', () => {
  const inWasm = blake2InWasm();
  const counts = fc.oneof(fc.nat(40), fc.constantFrom(9_999, 10_000, 10_001, 20_013));
  fc.assert(
    fc.property(words, words, counts, (vector, message, rounds) => {
      const expected = vector.slice();
      portableRounds(expected, message, rounds);
      const found = vector.slice();
      inWasm.rounds(found, message, rounds);
      expect(found).toEqual(expected);
    }),
    { numRuns: runs(200) },
  );
});

it('F of BLAKE2b in WebAssembly is that of JavaScript, at once and in a loop of rounds', async () => {
  await installCrypto();
  const inWasm = blake2InWasm();
  const rest = fc.uint8Array({ minLength: 208, maxLength: 208 });
  const counts = fc.oneof(fc.nat(30), fc.constantFrom(999, 1_000, 1_001));
  try {
    fc.assert(
      fc.property(counts, rest, fc.boolean(), fc.nat(7), (rounds, bytes, isFinal, before) => {
        const input = new Uint8Array(before + 213).subarray(before);
        new DataView(input.buffer).setUint32(before, rounds);
        input.set(bytes, 4);
        input[212] = isFinal ? 1 : 0;
        installBlake2(() => ({ rounds: portableRounds }));
        const expected = blake2F(input);
        installBlake2(() => inWasm);
        expect(blake2F(input)).toEqual(expected);
      }),
      { numRuns: runs(200) },
    );
  } finally {
    installBlake2(() => inWasm);
  }
});

it('SHA-256 answers with bytes of its own', async () => {
  await installCrypto();
  const one = sha256(Uint8Array.of(1));
  sha256(Uint8Array.of(2));
  expect(Buffer.from(one)).toEqual(createHash('sha256').update('\x01').digest());
  expect(one.buffer.byteLength).toBe(32);
});

it('secp256k1 in WebAssembly answers as the one in use', async () => {
  await installCrypto();
  const [native, wasm] = [secp256k1(), await secp256k1InWasm()];
  const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 });
  fc.assert(
    fc.property(bytes32, bytes32, bytes32, (hash, secret, other) => {
      fc.pre(native.isSecretKey(secret) && native.isSecretKey(other));
      const signed = native.sign(hash, secret);
      expect(wasm.sign(hash, secret)).toEqual(signed);
      expect(wasm.publicKey(secret)).toEqual(native.publicKey(secret));
      const { signature, recovery } = signed;
      for (const parity of [recovery, (1 - recovery) as 0 | 1])
        expect(wasm.recover(hash, signature, parity)).toEqual(
          native.recover(hash, signature, parity),
        );
      expect([wasm, native].map((each) => each.recover(hash, new Uint8Array(64), 0))).toEqual([
        undefined,
        undefined,
      ]);
      const theirs = native.publicKey(other);
      expect(wasm.sharedX(secret, theirs)).toEqual(native.sharedX(secret, theirs));
    }),
    { numRuns: runs(50) },
  );
});

it('Keccak-256 equals an independent one, at once and in pieces, past each border', () => {
  const borders = fc.constantFrom(0, 135, 136, 137, 271, 272, 65_535, 65_536, 65_537, 131_073);
  const length = fc.oneof(fc.nat(600), borders);
  fc.assert(
    fc.property(
      length,
      fc.nat(255),
      fc.array(fc.nat(700), { maxLength: 4 }),
      (size, salt, cuts) => {
        const bytes = Uint8Array.from({ length: size }, (_, at) => at * 31 + salt);
        const expected = keccak_256(bytes);
        expect(keccak256InWasm(bytes)).toEqual(expected);
        const state = new KeccakState(new Uint8Array(0));
        let from = 0;
        for (const cut of [...cuts, size]) {
          state.update(bytes.subarray(from, from + cut));
          from = Math.min(size, from + cut);
        }
        expect(state.digest()).toEqual(expected);
      },
    ),
    { numRuns: runs(200) },
  );
});
