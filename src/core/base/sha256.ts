/**
 * SHA-256. io/crypto installs a native implementation at start; until then a portable one is
 * used.
 */

import { sha256 as portable } from '@noble/hashes/sha2.js';
import type { Hash32 } from './bytes.ts';

export type Sha256 = (bytes: Uint8Array) => Hash32;

let implementation: Sha256 = portable;

export function installSha256(hash: Sha256): void {
  implementation = hash;
}

/** Returns 32 bytes in a new array that the caller owns. */
export function sha256(bytes: Uint8Array): Hash32 {
  return implementation(bytes);
}
