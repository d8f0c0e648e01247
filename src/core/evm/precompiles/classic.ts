/** 1-4: ecrecover, SHA-256, RIPEMD-160, identity. */
import { EMPTY_BYTES, isZeroBytes } from '../../base/bytes.ts';
import { ripemd160 } from '../../base/ripemd160.ts';
import { addressOfPublicKey, secp256k1 } from '../../base/secp256k1.ts';
import { sha256 } from '../../base/sha256.ts';
import type { Precompile } from './precompile.ts';

const ECRECOVER_GAS = 3_000;
const ECRECOVER_BYTES = 128;

function words(input: Uint8Array): number {
  return Math.ceil(input.length / 32);
}

/** The first `length` bytes of the input, with zeros where it is short. */
function padded(input: Uint8Array, length: number): Uint8Array {
  const out = new Uint8Array(length);
  out.set(input.subarray(0, length));
  return out;
}

/** hash ‖ v ‖ r ‖ s -> address, left-padded to 32 bytes; nothing for an invalid signature. */
export const ECRECOVER: Precompile = {
  gas: () => ECRECOVER_GAS,
  run(input) {
    const bytes = padded(input, ECRECOVER_BYTES);
    const v = bytes[63]!;
    if (!isZeroBytes(bytes.subarray(32, 63)) || (v !== 27 && v !== 28)) return EMPTY_BYTES;
    const recovery = v === 28 ? 1 : 0;
    const key = secp256k1().recover(bytes.subarray(0, 32), bytes.subarray(64), recovery);
    if (!key) return EMPTY_BYTES;
    const out = new Uint8Array(32);
    out.set(addressOfPublicKey(key), 12);
    return out;
  },
  error: () => 'invalid input',
};

export const SHA256: Precompile = {
  gas: (input) => 60 + 12 * words(input),
  run: (input) => sha256(input),
  error: () => 'invalid input',
};

export const RIPEMD160: Precompile = {
  gas: (input) => 600 + 120 * words(input),
  run(input) {
    const out = new Uint8Array(32);
    out.set(ripemd160(input), 12);
    return out;
  },
  error: () => 'invalid input',
};

export const IDENTITY: Precompile = {
  gas: (input) => 15 + 3 * words(input),
  run: (input) => input.slice(),
  error: () => 'invalid input',
};
