/** HKDF with SHA-256 (RFC 5869), on the implementation that io/crypto installs. */
import { concatBytes } from './bytes.ts';
import { sha256 } from './sha256.ts';

const BLOCK_BYTES = 64;
const HASH_BYTES = 32;

/** Returns a key of 32 bytes. */
export function hkdfExtract(salt: Uint8Array, secret: Uint8Array): Uint8Array {
  return hmac(salt)(secret);
}

/** Returns `length` bytes, 8,160 at most. */
export function hkdfExpand(key: Uint8Array, info: Uint8Array, length: number): Uint8Array {
  const mac = hmac(key);
  const blocks: Uint8Array[] = [];
  let last: Uint8Array = new Uint8Array(0);
  for (let at = 1; blocks.length * HASH_BYTES < length; at++) {
    last = mac(concatBytes(last, info, Uint8Array.of(at)));
    blocks.push(last);
  }
  return concatBytes(...blocks).subarray(0, length);
}

function hmac(key: Uint8Array): (message: Uint8Array) => Uint8Array {
  const block = new Uint8Array(BLOCK_BYTES);
  block.set(key.length > BLOCK_BYTES ? sha256(key) : key);
  const inner = block.map((byte) => byte ^ 0x36);
  const outer = block.map((byte) => byte ^ 0x5c);
  return (message) => sha256(concatBytes(outer, sha256(concatBytes(inner, message))));
}
