/** Public keys in the forms in which clouds return them: PEM, DER, or coordinates. */
import { createPublicKey, type KeyObject } from 'node:crypto';
import { concatBytes } from '../../core/base/bytes.ts';
import { fail, type QuorateError } from '../../core/base/errors.ts';
import { secp256k1 } from '../../core/base/secp256k1.ts';

const CURVE = 'secp256k1';

/** The 64 bytes of a SubjectPublicKeyInfo in PEM. Throws KEY_CURVE_UNSUPPORTED. */
export function publicKeyOfPem(pem: string): Uint8Array {
  return rawPublicKey(() => createPublicKey(pem));
}

/** The 64 bytes of a SubjectPublicKeyInfo in DER. Throws KEY_CURVE_UNSUPPORTED. */
export function publicKeyOfDer(der: Uint8Array): Uint8Array {
  return rawPublicKey(() =>
    createPublicKey({ key: Buffer.from(der), format: 'der', type: 'spki' }),
  );
}

/** The 64 bytes of two coordinates in base64url. Throws KEY_CURVE_UNSUPPORTED. */
export function publicKeyOfCoordinates(x: unknown, y: unknown): Uint8Array {
  if (typeof x !== 'string' || typeof y !== 'string') throw unsupported();
  const [left, right] = [x, y].map((text) => new Uint8Array(Buffer.from(text, 'base64url')));
  return checked(concatBytes(left!, right!));
}

function rawPublicKey(read: () => KeyObject): Uint8Array {
  try {
    const key = read();
    if (key.asymmetricKeyDetails?.namedCurve !== CURVE) throw unsupported();
    const { x, y } = key.export({ format: 'jwk' });
    return publicKeyOfCoordinates(x, y);
  } catch {
    throw unsupported();
  }
}

function checked(publicKey: Uint8Array): Uint8Array {
  if (publicKey.length === 64 && secp256k1().isPublicKey(publicKey)) return publicKey;
  throw unsupported();
}

function unsupported(): QuorateError {
  return fail(
    'KEY_CURVE_UNSUPPORTED',
    'Remote key has unsupported curve name: secp256k1 is required',
  );
}
