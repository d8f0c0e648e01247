/** The key of a node: in this process, or in another one that signs for it. */
import type { Hash32 } from './bytes.ts';
import { secp256k1, sign65 } from './secp256k1.ts';

export interface NodeKey {
  /** 64 bytes, x and y. */
  readonly publicKey: Uint8Array;
  /**
   * r ‖ s ‖ v, v 0 or 1. Synchronous where the key is in this process. Rejects with
   * NODE_KEY_UNAVAILABLE.
   */
  sign(hash: Hash32): Uint8Array | Promise<Uint8Array>;
  /** x coordinate (32 bytes) of the point shared with a public key; otherwise as `sign`. */
  sharedX(publicKey: Uint8Array): Uint8Array | Promise<Uint8Array>;
}

/** A key in this process. */
export interface LocalNodeKey extends NodeKey {
  sign(hash: Hash32): Uint8Array;
  sharedX(publicKey: Uint8Array): Uint8Array;
}

/** `secretKey`: 32 bytes. */
export function localNodeKey(secretKey: Uint8Array): LocalNodeKey {
  return {
    publicKey: secp256k1().publicKey(secretKey),
    sign: (hash) => sign65(hash, secretKey),
    sharedX: (publicKey) => secp256k1().sharedX(secretKey, publicKey),
  };
}

/** `given`: a secret key of 32 bytes, or a key. */
export function nodeKeyOf(given: Uint8Array | NodeKey): NodeKey {
  return given instanceof Uint8Array ? localNodeKey(given) : given;
}
