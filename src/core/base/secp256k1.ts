/** secp256k1. io/crypto installs and self-tests an implementation at start. */
import { type Address, concatBytes, type Hash32 } from './bytes.ts';
import { fail } from './errors.ts';
import { keccak256 } from './keccak.ts';

/**
 * All values are raw bytes: secret key 32, public key 64 (x ‖ y, without the 0x04 byte), signature
 * 64 (r ‖ s).
 */
export interface Secp256k1 {
  readonly name: string;
  /** Low-s, RFC 6979. */
  sign(hash: Hash32, secretKey: Uint8Array): { signature: Uint8Array; recovery: 0 | 1 };
  /** 64-byte public key, or undefined when the signature matches no key. */
  recover(hash: Hash32, signature: Uint8Array, recovery: 0 | 1): Uint8Array | undefined;
  publicKey(secretKey: Uint8Array): Uint8Array;
  isSecretKey(secretKey: Uint8Array): boolean;
  isPublicKey(publicKey: Uint8Array): boolean;
  /** x coordinate (32 bytes) of the shared point, unhashed: as needed by ECIES and RLPx. */
  sharedX(secretKey: Uint8Array, publicKey: Uint8Array): Uint8Array;
}

/** The form that most libraries expect: with the 0x04 byte. */
export function uncompressed(publicKey: Uint8Array): Uint8Array {
  return concatBytes(Uint8Array.of(4), publicKey);
}

let implementation: Secp256k1 | undefined;

export function installSecp256k1(candidate: Secp256k1): void {
  implementation = candidate;
}

export function secp256k1(): Secp256k1 {
  if (!implementation) {
    throw fail(
      'CRYPTO_NOT_INSTALLED',
      'secp256k1 is not installed: call installCrypto() of io/crypto first',
    );
  }
  return implementation;
}

/** Address of a 64-byte public key. */
export function addressOfPublicKey(publicKey: Uint8Array): Address {
  return keccak256(publicKey).subarray(12);
}

export function addressOfSecretKey(secretKey: Uint8Array): Address {
  return addressOfPublicKey(secp256k1().publicKey(secretKey));
}

/**
 * Signer of `hash`, or undefined when the signature matches no key. `signature65` is r ‖ s ‖ v with
 * v 0 or 1.
 */
export function recoverAddress(hash: Hash32, signature65: Uint8Array): Address | undefined {
  const recovery = signature65[64];
  if (signature65.length !== 65 || (recovery !== 0 && recovery !== 1)) return undefined;
  const publicKey = secp256k1().recover(hash, signature65.subarray(0, 64), recovery);
  return publicKey && addressOfPublicKey(publicKey);
}

/** r ‖ s ‖ v with v 0 or 1. */
export function sign65(hash: Hash32, secretKey: Uint8Array): Uint8Array {
  const { signature, recovery } = secp256k1().sign(hash, secretKey);
  const out = new Uint8Array(65);
  out.set(signature);
  out[64] = recovery;
  return out;
}
