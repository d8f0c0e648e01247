/**
 * The cryptography that payloads need, as a port: NaCl comes from a library in io, SHA3 from the
 * host (Tessera EnclaveImpl).
 */
export interface EnclaveCrypto {
  /** X25519 public key of a secret key. */
  publicKey(secretKey: Uint8Array): Uint8Array;
  /** crypto_box_beforenm: HSalsa20 of X25519. undefined for a key of low order or wrong size. */
  sharedKey(publicKey: Uint8Array, secretKey: Uint8Array): Uint8Array | undefined;
  /** crypto_secretbox: 16-byte tag, then the stream. */
  seal(message: Uint8Array, nonce: Uint8Array, key: Uint8Array): Uint8Array;
  /** undefined: the tag does not match. */
  open(sealed: Uint8Array, nonce: Uint8Array, key: Uint8Array): Uint8Array | undefined;
  /** SHA3-512 (NIST), 64 bytes: the digest of its cipher text identifies a payload. */
  digest(...parts: readonly Uint8Array[]): Uint8Array;
}
