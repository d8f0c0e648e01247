/**
 * Keys of validators, derived from one seed along the path that staking tools use (EIP-2333,
 * EIP-2334).
 */
import { bls12_381 } from '@noble/curves/bls12-381.js';
import { concatBytes } from '../base/bytes.ts';
import { hkdfExpand, hkdfExtract } from '../base/hkdf.ts';
import { bigIntToFixed, bytesToBigInt } from '../base/quantity.ts';
import { sha256 } from '../base/sha256.ts';

const GROUP_ORDER = bls12_381.fields.Fr.ORDER;
const SALT = new TextEncoder().encode('BLS-SIG-KEYGEN-SALT-');
const KEY_BYTES = 32;
const LAMPORT_CHUNKS = 255;
const OKM_BYTES = 48;
/** m/12381/3600: all validators are below it. */
const PURPOSE = [12_381, 3_600];

/** `seed`: 32 bytes or more. Returns a secret key of 32 bytes. */
export function masterKey(seed: Uint8Array): Uint8Array {
  return keyFrom(seed);
}

/** The parent of all validator keys: compute it once per seed. */
export function validatorsKey(seed: Uint8Array): Uint8Array {
  return PURPOSE.reduce(childKey, masterKey(seed));
}

/** The signing key of validator `index`, at m/12381/3600/index/0/0. */
export function validatorKey(parent: Uint8Array, index: number): Uint8Array {
  return [index, 0, 0].reduce(childKey, parent);
}

export function childKey(parent: Uint8Array, index: number): Uint8Array {
  const salt = bigIntToFixed(BigInt(index), 4);
  const flipped = parent.map((byte) => byte ^ 0xff);
  const parts = [...lamportParts(parent, salt), ...lamportParts(flipped, salt)];
  return keyFrom(sha256(concatBytes(...parts.map((part) => sha256(part)))));
}

function lamportParts(secret: Uint8Array, salt: Uint8Array): Uint8Array[] {
  const key = hkdfExtract(salt, secret);
  const material = hkdfExpand(key, new Uint8Array(0), KEY_BYTES * LAMPORT_CHUNKS);
  return Array.from({ length: LAMPORT_CHUNKS }, (_, chunk) =>
    material.subarray(chunk * KEY_BYTES, (chunk + 1) * KEY_BYTES),
  );
}

/** HKDF_mod_r of EIP-2333. */
function keyFrom(material: Uint8Array): Uint8Array {
  let salt: Uint8Array = SALT;
  for (;;) {
    salt = sha256(salt);
    const key = hkdfExtract(salt, concatBytes(material, Uint8Array.of(0)));
    const wide = hkdfExpand(key, Uint8Array.of(0, OKM_BYTES), OKM_BYTES);
    const secret = bytesToBigInt(wide) % GROUP_ORDER;
    if (secret !== 0n) return bigIntToFixed(secret, KEY_BYTES);
  }
}
