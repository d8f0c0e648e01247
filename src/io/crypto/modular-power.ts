/**
 * Powers modulo odd numbers by OpenSSL: the public operation of RSA without padding is
 * base^exponent mod modulus, whether or not the numbers make a key (RFC 8017, 5.1.1). A key is
 * given again each time, in the form of RFC 8017, A.1.1: nothing is kept.
 */
import { constants, type PublicKeyInput, publicEncrypt, type RsaPublicKey } from 'node:crypto';
import { compareBytes, concatBytes } from '../../core/base/bytes.ts';

/** 1 KiB: more than any algorithm in use needs. */
const MODULUS_BYTES_MAX = 1_024;
/** Above these, OpenSSL takes exponents of 64 bits only: OPENSSL_RSA_SMALL_MODULUS_BITS. */
const SMALL_MODULUS_BYTES_MAX = 384;
const LARGE_MODULUS_EXPONENT_BYTES_MAX = 8;
/** A call has an overhead of about 10 µs: for less work, the engine's integers are faster. */
const EXPONENT_BYTES_MIN = 2;
const BYTE_PRODUCT_MIN = 384;

const TAG_INTEGER = 0x02;
const TAG_SEQUENCE = 0x30;

export function modularPower(
  base: Uint8Array,
  exponent: Uint8Array,
  modulus: Uint8Array,
): Uint8Array | undefined {
  if (!isTaken(exponent, modulus)) return undefined;
  const body = concatBytes(element(TAG_INTEGER, modulus), element(TAG_INTEGER, exponent));
  const key: PublicKeyInput & RsaPublicKey = {
    key: Buffer.from(element(TAG_SEQUENCE, body)),
    format: 'der',
    type: 'pkcs1',
    padding: constants.RSA_NO_PADDING,
  };
  try {
    return new Uint8Array(publicEncrypt(key, base));
  } catch {
    // A build of OpenSSL with narrower bounds: use the engine's integers.
    return undefined;
  }
}

function isTaken(exponent: Uint8Array, modulus: Uint8Array): boolean {
  const isOdd = (modulus.at(-1)! & 1) === 1;
  if (!isOdd || modulus.length > MODULUS_BYTES_MAX) return false;
  if (exponent.length < EXPONENT_BYTES_MIN) return false;
  if (exponent.length * modulus.length < BYTE_PRODUCT_MIN) return false;
  if (modulus.length > SMALL_MODULUS_BYTES_MAX) {
    return exponent.length <= LARGE_MODULUS_EXPONENT_BYTES_MAX;
  }
  return isBelow(exponent, modulus);
}

/** Neither has zeros in front. */
function isBelow(a: Uint8Array, b: Uint8Array): boolean {
  return a.length < b.length || (a.length === b.length && compareBytes(a, b) < 0);
}

/**
 * DER (ITU-T X.690): tag, length, content. A number whose first bit is set gets a zero in front.
 */
function element(tag: number, content: Uint8Array): Uint8Array {
  const isPadded = tag === TAG_INTEGER && content[0]! > 127;
  const length = content.length + (isPadded ? 1 : 0);
  const head = [tag, ...lengthBytes(length), ...(isPadded ? [0] : [])];
  return concatBytes(Uint8Array.from(head), content);
}

function lengthBytes(length: number): number[] {
  if (length < 128) return [length];
  if (length < 256) return [0x81, length];
  return [0x82, length >> 8, length & 255];
}
