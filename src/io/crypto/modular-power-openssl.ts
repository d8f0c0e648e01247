/**
 * Powers modulo odd numbers by OpenSSL: the public operation of RSA without padding is
 * base^exponent mod modulus, even if the numbers are not a valid key (RFC 8017, 5.1.1). Each call
 * builds a key in the form of RFC 8017, A.1.1; nothing is kept.
 */
import { constants, type PublicKeyInput, publicEncrypt, type RsaPublicKey } from 'node:crypto';
import { compareBytes, concatBytes } from '../../core/base/bytes.ts';

/** 1 KiB: more than any algorithm in use needs. */
const MODULUS_BYTES_MAX = 1_024;
/**
 * For larger moduli OpenSSL accepts exponents of at most 64 bits: OPENSSL_RSA_SMALL_MODULUS_BITS.
 */
const SMALL_MODULUS_BYTES_MAX = 384;
const LARGE_MODULUS_EXPONENT_BYTES_MAX = 8;
/** A call has an overhead of about 10 µs: for less work, the module in WebAssembly is faster. */
const EXPONENT_BYTES_MIN = 2;
const BYTE_PRODUCT_MIN = 768;

const TAG_INTEGER = 0x02;
const TAG_SEQUENCE = 0x30;

/**
 * As ModularPower says, at once. A base that is not below the modulus is not supported, either.
 */
export function powerByOpenssl(
  base: Uint8Array,
  exponent: Uint8Array,
  modulus: Uint8Array,
): Uint8Array | undefined {
  if (!isTaken(exponent, modulus) || !isBelow(base, modulus)) return undefined;
  const body = concatBytes(element(TAG_INTEGER, modulus), element(TAG_INTEGER, exponent));
  const key: PublicKeyInput & RsaPublicKey = {
    key: Buffer.from(element(TAG_SEQUENCE, body)),
    format: 'der',
    type: 'pkcs1',
    padding: constants.RSA_NO_PADDING,
  };
  try {
    return new Uint8Array(publicEncrypt(key, padded(base, modulus.length)));
  } catch {
    // This build of OpenSSL has narrower bounds.
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

function padded(number: Uint8Array, length: number): Uint8Array {
  const out = new Uint8Array(length);
  out.set(number, length - number.length);
  return out;
}

/** Both numbers are without leading zeros. */
function isBelow(a: Uint8Array, b: Uint8Array): boolean {
  return a.length < b.length || (a.length === b.length && compareBytes(a, b) < 0);
}

/** DER (ITU-T X.690): tag, length, content. A number whose first bit is set gets a leading zero. */
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
