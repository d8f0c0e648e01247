/** libauth's WebAssembly, for machines without a binary of the C library. */
import { instantiateSecp256k1, validateSecp256k1PrivateKey } from '@bitauth/libauth';
import { fail } from '../../core/base/errors.ts';
import { type Secp256k1, uncompressed } from '../../core/base/secp256k1.ts';

export async function secp256k1InWasm(): Promise<Secp256k1> {
  const library = await instantiateSecp256k1();
  const must = <T>(value: T | string): T => {
    if (typeof value === 'string') throw fail('SECP256K1_INVALID', `secp256k1: ${value}`);
    return value;
  };
  return {
    name: 'wasm',
    sign(hash, secretKey) {
      const { signature, recoveryId } = must(
        library.signMessageHashRecoverableCompact(secretKey, hash),
      );
      return { signature, recovery: recoveryId as 0 | 1 };
    },
    recover(hash, signature, recovery) {
      const publicKey = library.recoverPublicKeyUncompressed(signature, recovery, hash);
      return typeof publicKey === 'string' ? undefined : publicKey.subarray(1);
    },
    publicKey: (secretKey) => must(library.derivePublicKeyUncompressed(secretKey)).subarray(1),
    isSecretKey: (key) => key.length === 32 && validateSecp256k1PrivateKey(key),
    isPublicKey: (key) =>
      key.length === 64 && typeof library.uncompressPublicKey(uncompressed(key)) !== 'string',
    sharedX: (secretKey, publicKey) =>
      must(library.mulTweakPublicKeyUncompressed(uncompressed(publicKey), secretKey)).subarray(
        1,
        33,
      ),
  };
}
