/**
 * NaCl for payloads, by libsodium (WebAssembly), which passes a self-test with a fixed vector
 * before it is used (Tessera EnclaveImpl).
 */
import { createHash } from 'node:crypto';
import sodium from 'libsodium-wrappers';
import { fromBase64 } from '../../core/base/base64.ts';
import { equalBytes } from '../../core/base/bytes.ts';
import { fail } from '../../core/base/errors.ts';
import type { EnclaveCrypto } from '../../core/payload/enclave-crypto.ts';

const KEY_BYTES = 32;
/** A published test key pair, and a box with a zero nonce, from the public NaCl vectors. */
const SELF_TEST = {
  secretKey: fromBase64('yAWAJjwPqUtNVlqGjSrBmr1/iIkghuOh1803Yzx9jLM='),
  publicKey: fromBase64('/+UuD63zItL1EbjxkKUljMgG8Z1w0AJ8pNOR4iq2yQc='),
  box: {
    publicKey: fromBase64('vSwMiFeDLVceYF4LXzDB45w7O6jMzTF28yiYpe27Sk8='),
    secretKey: fromBase64('fRU+1AfJ8wFqZcRKlwzJAMmFD42dpLFOHUrCFRUefKE='),
    message: new Uint8Array(0),
    sealed: fromBase64('BYBUxOk5euqUOwj9VcpS3Q=='),
  },
};

/**
 * Resolves when the library is loaded and has passed its self-test; otherwise rejects with
 * CRYPTO_SELF_TEST_FAILED.
 */
export async function loadEnclaveCrypto(): Promise<EnclaveCrypto> {
  await sodium.ready;
  const crypto: EnclaveCrypto = {
    publicKey: (secretKey) => sodium.crypto_scalarmult_base(secretKey),
    sharedKey(publicKey, secretKey) {
      if (publicKey.length !== KEY_BYTES || secretKey.length !== KEY_BYTES) return undefined;
      try {
        return sodium.crypto_box_beforenm(publicKey, secretKey);
      } catch {
        return undefined;
      }
    },
    seal: (message, nonce, key) => sodium.crypto_secretbox_easy(message, nonce, key),
    open(sealed, nonce, key) {
      try {
        return sodium.crypto_secretbox_open_easy(sealed, nonce, key);
      } catch {
        return undefined;
      }
    },
    digest(...parts) {
      const hash = createHash('sha3-512');
      for (const part of parts) hash.update(part);
      return new Uint8Array(hash.digest());
    },
  };
  selfTest(crypto);
  return crypto;
}

function selfTest(crypto: EnclaveCrypto): void {
  const { box } = SELF_TEST;
  const shared = crypto.sharedKey(box.publicKey, box.secretKey);
  const passed =
    equalBytes(crypto.publicKey(SELF_TEST.secretKey), SELF_TEST.publicKey) &&
    shared !== undefined &&
    equalBytes(crypto.seal(box.message, new Uint8Array(24), shared), box.sealed);
  if (!passed) {
    throw fail('CRYPTO_SELF_TEST_FAILED', 'the NaCl implementation fails its self-test');
  }
}
