/**
 * ECIES as used by RLPx: secp256k1, concat KDF with SHA-256, AES-128-CTR, HMAC-SHA-256
 * (ethereum/devp2p rlpx.md).
 */
import { createCipheriv, createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { concatBytes } from '../../core/base/bytes.ts';
import { fail, type QuorateError } from '../../core/base/errors.ts';
import { secp256k1 } from '../../core/base/secp256k1.ts';

/** Bytes: ephemeral public key 65, IV 16, tag 32. */
export const ECIES_OVERHEAD_BYTES = 65 + 16 + 32;
const UNCOMPRESSED = 0x04;

export interface EciesRandom {
  /** Secret key of the ephemeral pair. */
  readonly secretKey: Uint8Array;
  /** 16 bytes. */
  readonly iv: Uint8Array;
}

/** `macData` is authenticated but not sent: it is the length prefix of an EIP-8 packet. */
export function eciesEncrypt(
  publicKey: Uint8Array,
  message: Uint8Array,
  macData: Uint8Array,
  random: EciesRandom,
): Uint8Array {
  const keys = deriveKeys(secp256k1().sharedX(random.secretKey, publicKey));
  const body = concatBytes(random.iv, aesCtr(keys.encryption, random.iv, message));
  return concatBytes(
    Uint8Array.of(UNCOMPRESSED),
    secp256k1().publicKey(random.secretKey),
    body,
    tag(keys.mac, body, macData),
  );
}

/** The recipient's key: `sharedX` as that of NodeKey; undefined: the secret is not there yet. */
export interface HandshakeKey {
  readonly publicKey: Uint8Array;
  sharedX(publicKey: Uint8Array): Uint8Array | undefined;
}

/**
 * undefined: the shared secret is not there yet. Throws ECIES_INVALID when the packet is not for
 * this key, or damaged.
 */
export function eciesDecrypt(
  key: Pick<HandshakeKey, 'sharedX'>,
  packet: Uint8Array,
  macData: Uint8Array,
): Uint8Array | undefined {
  if (packet.length < ECIES_OVERHEAD_BYTES || packet[0] !== UNCOMPRESSED) throw invalid();
  const publicKey = packet.subarray(1, 65);
  if (!secp256k1().isPublicKey(publicKey)) throw invalid();
  const secret = key.sharedX(publicKey);
  if (!secret) return undefined;
  const keys = deriveKeys(secret);
  const body = packet.subarray(65, packet.length - 32);
  if (!timingSafeEqual(tag(keys.mac, body, macData), packet.subarray(packet.length - 32))) {
    throw invalid();
  }
  return aesCtr(keys.encryption, body.subarray(0, 16), body.subarray(16));
}

function invalid(): QuorateError {
  return fail('ECIES_INVALID', 'ecies: invalid message');
}

/** NIST SP 800-56 concat KDF: one round gives the 32 bytes needed. */
function deriveKeys(sharedX: Uint8Array): { encryption: Uint8Array; mac: Uint8Array } {
  const okm = sha256(Uint8Array.of(0, 0, 0, 1), sharedX);
  return { encryption: okm.subarray(0, 16), mac: sha256(okm.subarray(16, 32)) };
}

function sha256(...parts: Uint8Array[]): Uint8Array {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return plain(hash.digest());
}

function tag(key: Uint8Array, body: Uint8Array, macData: Uint8Array): Uint8Array {
  return plain(createHmac('sha256', key).update(body).update(macData).digest());
}

function aesCtr(key: Uint8Array, iv: Uint8Array, data: Uint8Array): Uint8Array {
  return plain(createCipheriv('aes-128-ctr', key, iv).update(data));
}

/** The same bytes as a plain Uint8Array. */
function plain(buffer: Buffer): Uint8Array {
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.length);
}
