/** Keccak-256. io/crypto installs a fast implementation at start; tests may install noble. */

import { concatBytes, type Hash32, lengthOf } from './bytes.ts';
import { fail } from './errors.ts';
import { fromHex } from './hex.ts';
import { PIECE_BYTES, type Slices } from './pace.ts';

export type Keccak256 = (bytes: Uint8Array) => Hash32;
/** Puts the hash into the first 32 bytes of `out`. */
export type Keccak256Into = (bytes: Uint8Array, out: Uint8Array) => void;

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

const throughArray: Keccak256Into = (bytes, out) => out.set(implementation(bytes));
let implementationInto = throughArray;
let newState: (() => Keccak256State) | undefined;

export interface Keccak256Parts {
  readonly into?: Keccak256Into;
  /** Without it, long input is hashed at once instead of in pieces. */
  readonly state?: () => Keccak256State;
}

export function installKeccak256(hash: Keccak256, { into, state }: Keccak256Parts = {}): void {
  implementation = hash;
  implementationInto = into ?? throughArray;
  newState = state;
}

/** Returns 32 bytes in a new array that the caller owns. */
export function keccak256(bytes: Uint8Array): Hash32 {
  return implementation(bytes);
}

/** Puts the hash into the first 32 bytes of `out`: without an array of its own. */
export function keccak256Into(bytes: Uint8Array, out: Uint8Array): void {
  implementationInto(bytes, out);
}

/** Like `keccak256`, in pieces. */
export function* keccak256InPieces(bytes: Uint8Array): Slices<Hash32> {
  return yield* keccak256OfAll([bytes]);
}

/** keccak256 of all parts together, in pieces. */
export function* keccak256OfAll(parts: readonly Uint8Array[]): Slices<Hash32> {
  if (!newState || lengthOf(parts) <= PIECE_BYTES) return keccak256(joined(parts));
  const state = newState();
  for (const part of parts) {
    for (let at = 0; at < part.length; at += PIECE_BYTES) {
      state.update(part.subarray(at, at + PIECE_BYTES));
      yield;
    }
  }
  return state.digest();
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  return parts.length === 1 ? parts[0]! : concatBytes(...parts);
}

/** keccak256 of no bytes. */
export const EMPTY_CODE_HASH: Hash32 = fromHex(
  '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470',
);
/** Root of an empty trie: keccak256(rlp('')). */
export const EMPTY_ROOT: Hash32 = fromHex(
  '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421',
);
