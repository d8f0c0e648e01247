/**
 * Signatures of remote keys (cloud KMS, HSM): they return DER or r ‖ s, which is converted to
 * r ‖ s ‖ recovery id with a low s, as transactions need (EIP-2).
 */
import { equalBytes, type Hash32, padLeft } from '../base/bytes.ts';
import { fail, type QuorateError } from '../base/errors.ts';
import { secp256k1 } from '../base/secp256k1.ts';

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const HALF_ORDER = ORDER >> 1n;
const SEQUENCE = 0x30;
const INTEGER = 0x02;
const DER_BYTES_MAX = 72;

/**
 * `signature64` is r ‖ s of `digest` by the key of `publicKey`. Throws SIGNER_UNAVAILABLE if
 * another key made it.
 */
export function completeSignature(
  digest: Hash32,
  signature64: Uint8Array,
  publicKey: Uint8Array,
): Uint8Array {
  if (signature64.length !== 64) throw wrong('not 64 bytes long');
  const out = new Uint8Array(65);
  out.set(signature64);
  writeLowS(out);
  for (const recovery of [0, 1] as const) {
    const found = secp256k1().recover(digest, out.subarray(0, 64), recovery);
    if (!found || !equalBytes(found, publicKey)) continue;
    out[64] = recovery;
    return out;
  }
  throw wrong('for another key or another digest');
}

function writeLowS(signature: Uint8Array): void {
  let s = 0n;
  for (let at = 32; at < 64; at++) s = (s << 8n) | BigInt(signature[at]!);
  if (s <= HALF_ORDER || s >= ORDER) return;
  let low = ORDER - s;
  for (let at = 63; at >= 32; at--) {
    signature[at] = Number(low & 0xffn);
    low >>= 8n;
  }
}

/** r ‖ s of an ASN.1 DER signature. Throws SIGNER_UNAVAILABLE. */
export function signatureOfDer(der: Uint8Array): Uint8Array {
  if (der.length > DER_BYTES_MAX || der[0] !== SEQUENCE || der[1] !== der.length - 2) {
    throw wrong('not a DER sequence');
  }
  const out = new Uint8Array(64);
  const afterR = readInteger(der, 2, out, 0);
  const end = readInteger(der, afterR, out, 32);
  if (end !== der.length) throw wrong('not a DER sequence of two integers');
  return out;
}

function readInteger(der: Uint8Array, at: number, out: Uint8Array, to: number): number {
  const length = der[at + 1] ?? 0;
  const end = at + 2 + length;
  if (der[at] !== INTEGER || length < 1 || length > 33 || end > der.length) {
    throw wrong('not a DER sequence of two integers');
  }
  const bytes = der.subarray(at + 2, end);
  if (bytes.length === 33 && bytes[0] !== 0) throw wrong('a DER integer of more than 32 bytes');
  out.set(padLeft(bytes, 32), to);
  return end;
}

function wrong(what: string): QuorateError {
  return fail('SIGNER_UNAVAILABLE', `the returned signature is ${what}`);
}
