/**
 * RIPEMD-160. io/crypto installs a fast implementation at start; until then a portable one is
 * used.
 */
import { ripemd160 as portable } from '@noble/hashes/legacy.js';

export type Ripemd160 = (bytes: Uint8Array) => Uint8Array;

let implementation: Ripemd160 = portable;

export function installRipemd160(hash: Ripemd160): void {
  implementation = hash;
}

/** 20 bytes. */
export function ripemd160(bytes: Uint8Array): Uint8Array {
  return implementation(bytes);
}
