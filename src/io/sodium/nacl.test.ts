import { hsalsa, secretbox } from '@noble/ciphers/salsa';
import { x25519 } from '@noble/curves/ed25519.js';
import { sha3_512 } from '@noble/hashes/sha3.js';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { EnclaveCrypto } from '../../core/payload/enclave-crypto.ts';
import { loadEnclaveCrypto } from './nacl.ts';

let crypto: EnclaveCrypto;
beforeAll(async () => {
  crypto = await loadEnclaveCrypto();
});

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const words = (input: Uint8Array) => new Uint32Array(Uint8Array.from(input).buffer);

/** crypto_box_beforenm, computed by an independent library. */
function beforenm(publicKey: Uint8Array, secretKey: Uint8Array): Uint8Array {
  const out = new Uint32Array(8);
  const sigma = words(Buffer.from('expand 32-byte k'));
  hsalsa(sigma, words(x25519.getSharedSecret(secretKey, publicKey)), new Uint32Array(4), out);
  return new Uint8Array(out.buffer);
}

describe('NaCl by libsodium', () => {
  it('agrees with noble on keys, boxes and digests', () => {
    fc.assert(
      fc.property(
        bytes(32),
        bytes(32),
        bytes(24),
        fc.uint8Array({ maxLength: 300 }),
        (own, peer, nonce, message) => {
          const peerKey = crypto.publicKey(peer);
          expect(peerKey).toEqual(x25519.getPublicKey(peer));
          const shared = crypto.sharedKey(peerKey, own)!;
          expect(shared).toEqual(beforenm(peerKey, own));
          const sealed = crypto.seal(message, nonce, shared);
          expect(sealed).toEqual(secretbox(shared, nonce).seal(message));
          expect(crypto.open(sealed, nonce, shared)).toEqual(message);
          expect(crypto.digest(message, sealed)).toEqual(
            sha3_512(Buffer.concat([message, sealed])),
          );
        },
      ),
      { numRuns: 30 },
    );
  });

  it('opens nothing that was touched, and takes no key of low order or wrong size', () => {
    const key = new Uint8Array(32).fill(1);
    const nonce = new Uint8Array(24);
    const sealed = crypto.seal(Uint8Array.of(1, 2, 3), nonce, key);
    for (let i = 0; i < sealed.length; i++) {
      const touched = sealed.slice();
      touched[i] = touched[i]! ^ 1;
      expect(crypto.open(touched, nonce, key)).toBeUndefined();
    }
    expect(crypto.open(new Uint8Array(3), nonce, key)).toBeUndefined();
    expect(crypto.sharedKey(new Uint8Array(32), key)).toBeUndefined();
    expect(crypto.sharedKey(new Uint8Array(31), key)).toBeUndefined();
  });
});
