/** Signature values as Ethereum accepts them (Yellow Paper, appendix F; EIP-2 low s). */
import { type Address, compareBytes, type Hash32, padLeft } from '../base/bytes.ts';
import { fail, type QuorateError } from '../base/errors.ts';
import { fromHex } from '../base/hex.ts';
import { addressOfPublicKey, secp256k1 } from '../base/secp256k1.ts';

const CURVE_ORDER = fromHex('fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141');
const HALF_ORDER = fromHex('7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0');

export function invalidSignature(): QuorateError {
  return fail('TX_SIGNATURE_INVALID', 'invalid transaction v, r, s values');
}

/**
 * True for a parity of 0 or 1, 0 < r < n and 0 < s <= n/2 (s < n where a high s is allowed). r and
 * s are minimal big-endian scalars.
 */
export function isSignature(
  parity: bigint,
  r: Uint8Array,
  s: Uint8Array,
  allowHighS: boolean,
): boolean {
  if (parity !== 0n && parity !== 1n) return false;
  if (r.length === 0 || s.length === 0 || r.length > 32 || s.length > 32) return false;
  if (compareBytes(padLeft(r, 32), CURVE_ORDER) >= 0) return false;
  const order = compareBytes(padLeft(s, 32), allowHighS ? CURVE_ORDER : HALF_ORDER);
  return allowHighS ? order < 0 : order <= 0;
}

/**
 * The signer of `hash`; throws TX_SIGNATURE_INVALID. `parity` is the recovery id, r and s are
 * minimal scalars.
 */
export function recoverSigner(
  hash: Hash32,
  parity: bigint,
  r: Uint8Array,
  s: Uint8Array,
  allowHighS: boolean,
): Address {
  if (!isSignature(parity, r, s, allowHighS)) throw invalidSignature();
  const signature = new Uint8Array(64);
  signature.set(r, 32 - r.length);
  signature.set(s, 64 - s.length);
  const publicKey = secp256k1().recover(hash, signature, parity === 0n ? 0 : 1);
  if (!publicKey) throw invalidSignature();
  return addressOfPublicKey(publicKey);
}
