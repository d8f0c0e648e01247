/** Keccak-256. io/crypto installs a fast implementation at start; tests may install noble. */

import type { Hash32 } from './bytes.ts';
import { fail } from './errors.ts';
import { fromHex } from './hex.ts';
import { PIECE_BYTES, type Slices } from './pace.ts';

export type Keccak256 = (bytes: Uint8Array) => Hash32;

/** A computation that receives its input piece by piece. */
export interface Keccak256State {
  update(bytes: Uint8Array): void;
  /** The digest of all input so far. */
  digest(): Hash32;
}

let implementation: Keccak256 = () => {
  throw fail(
    'CRYPTO_NOT_INSTALLED',
    'keccak256 is not installed: call installCrypto() of io/crypto first',
  );
};

let newState: (() => Keccak256State) | undefined;

/** Without `state`, long input is hashed at once instead of in pieces. */
export function installKeccak256(hash: Keccak256, state?: () => Keccak256State): void {
  implementation = hash;
  newState = state;
}

/** Returns 32 bytes in a new array that the caller owns. */
export function keccak256(bytes: Uint8Array): Hash32 {
  return implementation(bytes);
}

/** Like `keccak256`, in pieces. */
export function* keccak256InPieces(bytes: Uint8Array): Slices<Hash32> {
  if (!newState || bytes.length <= PIECE_BYTES) return keccak256(bytes);
  const state = newState();
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    state.update(bytes.subarray(at, at + PIECE_BYTES));
    yield;
  }
  return state.digest();
}

/** keccak256 of no bytes. */
export const EMPTY_CODE_HASH: Hash32 = fromHex(
  '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470',
);
/** Root of an empty trie: keccak256(rlp('')). */
export const EMPTY_ROOT: Hash32 = fromHex(
  '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421',
);
