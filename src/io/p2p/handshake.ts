/**
 * RLPx key agreement: auth from the initiator, ack from the recipient, then shared secrets
 * (ethereum/devp2p rlpx.md). EIP-8 packets are sent; a peer that sends the older fixed-length form
 * gets an answer in that form.
 */
import { concatBytes } from '../../core/base/bytes.ts';
import { fail, type QuorateError } from '../../core/base/errors.ts';
import { keccak256 } from '../../core/base/keccak.ts';
import type { LocalNodeKey } from '../../core/base/node-key.ts';
import { RlpReader, RlpWriter } from '../../core/base/rlp.ts';
import { secp256k1, sign65 } from '../../core/base/secp256k1.ts';
import { ECIES_OVERHEAD_BYTES, eciesDecrypt, eciesEncrypt, type HandshakeKey } from './ecies.ts';

const HANDSHAKE_VERSION = 4;
const NONCE_BYTES = 32;
const PUBLIC_KEY_BYTES = 64;
const SIGNATURE_BYTES = 65;
const PLAIN_AUTH_BYTES =
  SIGNATURE_BYTES + 32 + PUBLIC_KEY_BYTES + NONCE_BYTES + 1 + ECIES_OVERHEAD_BYTES;
const PLAIN_ACK_BYTES = PUBLIC_KEY_BYTES + NONCE_BYTES + 1 + ECIES_OVERHEAD_BYTES;
/** EIP-8: at least 100, so that the packet cannot be mistaken for one in the older form. */
const PADDING_BYTES_MIN = 100;
const PADDING_BYTES_SPAN = 200;
/** Far more than any real packet: GoQuorum sends at most 700 bytes. */
const HANDSHAKE_PACKET_BYTES_MAX = 4096;

export type RandomBytes = (length: number) => Uint8Array;

export interface Secrets {
  readonly aes: Uint8Array;
  readonly mac: Uint8Array;
  /** Bytes that the MAC states have absorbed before the first frame. */
  readonly egressSeed: Uint8Array;
  readonly ingressSeed: Uint8Array;
}

interface Parts {
  readonly initiator: boolean;
  readonly ephemeralKey: Uint8Array;
  readonly remoteEphemeral: Uint8Array;
  readonly initiatorNonce: Uint8Array;
  readonly recipientNonce: Uint8Array;
  readonly auth: Uint8Array;
  readonly ack: Uint8Array;
}

function invalid(what: string): QuorateError {
  return fail('HANDSHAKE_INVALID', `rlpx handshake: ${what}`);
}

function newSecretKey(random: RandomBytes): Uint8Array {
  for (;;) {
    const key = random(32);
    if (secp256k1().isSecretKey(key)) return key;
  }
}

function xor(a: Uint8Array, b: Uint8Array): Uint8Array {
  return a.map((byte, i) => byte ^ b[i]!);
}

export function deriveSecrets(parts: Parts): Secrets {
  const ecdhe = secp256k1().sharedX(parts.ephemeralKey, parts.remoteEphemeral);
  const nonces = keccak256(concatBytes(parts.recipientNonce, parts.initiatorNonce));
  const shared = keccak256(concatBytes(ecdhe, nonces));
  const aes = keccak256(concatBytes(ecdhe, shared));
  const mac = keccak256(concatBytes(ecdhe, aes));
  const ofInitiator = concatBytes(xor(mac, parts.recipientNonce), parts.auth);
  const ofRecipient = concatBytes(xor(mac, parts.initiatorNonce), parts.ack);
  return parts.initiator
    ? { aes, mac, egressSeed: ofInitiator, ingressSeed: ofRecipient }
    : { aes, mac, egressSeed: ofRecipient, ingressSeed: ofInitiator };
}

/**
 * The packet at the start of the bytes so far; undefined: more bytes, or a secret of the key, are
 * needed.
 */
interface OpenedPacket {
  readonly plain: boolean;
  readonly message: Uint8Array;
  readonly packet: Uint8Array;
}

function openPacket(
  key: HandshakeKey,
  bytes: Uint8Array,
  plainLength: number,
): OpenedPacket | undefined {
  if (bytes.length < plainLength) return undefined;
  // A packet of the older form begins with the 0x04 of its public key; as the length of an EIP-8
  // packet that would be 1,024 bytes or more.
  if (bytes[0] === 0x04) {
    try {
      const packet = bytes.subarray(0, plainLength);
      const message = eciesDecrypt(key, packet, new Uint8Array(0));
      return message && { plain: true, message, packet };
    } catch {
      // It is an EIP-8 packet of 1,024 bytes or more.
    }
  }
  const size = (bytes[0]! << 8) | bytes[1]!;
  if (size < plainLength) throw invalid(`size underflow, need at least ${plainLength} bytes`);
  if (size > HANDSHAKE_PACKET_BYTES_MAX) throw invalid('packet too long');
  if (bytes.length < size + 2) return undefined;
  const packet = bytes.subarray(0, size + 2);
  const message = eciesDecrypt(key, packet.subarray(2), packet.subarray(0, 2));
  return message && { plain: false, message, packet };
}

function sealEip8(publicKey: Uint8Array, rlp: Uint8Array, random: RandomBytes): Uint8Array {
  const padding = PADDING_BYTES_MIN + (random(1)[0]! % PADDING_BYTES_SPAN);
  const message = concatBytes(rlp, random(padding));
  const size = message.length + ECIES_OVERHEAD_BYTES;
  const prefix = Uint8Array.of(size >>> 8, size & 0xff);
  const ecies = { secretKey: newSecretKey(random), iv: random(16) };
  return concatBytes(prefix, eciesEncrypt(publicKey, message, prefix, ecies));
}

export interface Agreed {
  readonly secrets: Secrets;
  /** 64-byte node key of the peer. */
  readonly remoteKey: Uint8Array;
  /** Number of bytes that the handshake consumed; frames follow. */
  readonly used: number;
}

/** The initiator's side: sends auth, reads ack. `key` has the secret shared with `remoteKey`. */
export class InitiatorHandshake {
  readonly auth: Uint8Array;
  private readonly key: HandshakeKey;
  private readonly remoteKey: Uint8Array;
  private readonly ephemeralKey: Uint8Array;
  private readonly nonce: Uint8Array;

  constructor(key: HandshakeKey, remoteKey: Uint8Array, random: RandomBytes) {
    this.key = key;
    this.remoteKey = remoteKey;
    this.ephemeralKey = newSecretKey(random);
    this.nonce = random(NONCE_BYTES);
    const token = key.sharedX(remoteKey)!;
    const rlp = new RlpWriter(256)
      .list((w) => {
        w.string(sign65(xor(token, this.nonce), this.ephemeralKey));
        w.string(key.publicKey).string(this.nonce).number(HANDSHAKE_VERSION);
      })
      .finish();
    this.auth = sealEip8(remoteKey, rlp, random);
  }

  /**
   * undefined: more bytes, or a secret of the key, are needed. Throws HANDSHAKE_INVALID,
   * ECIES_INVALID or RLP_INVALID.
   */
  read(bytes: Uint8Array): Agreed | undefined {
    const opened = openPacket(this.key, bytes, PLAIN_ACK_BYTES);
    if (!opened) return undefined;
    const { ephemeral, nonce } = decodeAck(opened);
    const secrets = deriveSecrets({
      initiator: true,
      ephemeralKey: this.ephemeralKey,
      remoteEphemeral: ephemeral,
      initiatorNonce: this.nonce,
      recipientNonce: nonce,
      auth: this.auth,
      ack: opened.packet,
    });
    return { secrets, remoteKey: this.remoteKey, used: opened.packet.length };
  }
}

/**
 * Reads auth, answers with ack. undefined: more bytes, or a secret of the key, are needed. Throws
 * what InitiatorHandshake.read throws.
 */
export function answerAuth(
  key: HandshakeKey,
  bytes: Uint8Array,
  random: RandomBytes,
): (Agreed & { ack: Uint8Array }) | undefined {
  const opened = openPacket(key, bytes, PLAIN_AUTH_BYTES);
  const auth = opened && decodeAuth(key, opened);
  if (!auth) return undefined;
  const ephemeralKey = newSecretKey(random);
  const nonce = random(NONCE_BYTES);
  const ack = sealAck(
    opened.plain,
    auth.remoteKey,
    secp256k1().publicKey(ephemeralKey),
    nonce,
    random,
  );
  const secrets = deriveSecrets({
    initiator: false,
    ephemeralKey,
    remoteEphemeral: auth.remoteEphemeral,
    initiatorNonce: auth.nonce,
    recipientNonce: nonce,
    auth: opened.packet.slice(),
    ack,
  });
  return { ack, secrets, remoteKey: auth.remoteKey, used: opened.packet.length };
}

function sealAck(
  plain: boolean,
  remoteKey: Uint8Array,
  ephemeral: Uint8Array,
  nonce: Uint8Array,
  random: RandomBytes,
): Uint8Array {
  if (!plain) {
    const rlp = new RlpWriter(128)
      .list((w) => w.string(ephemeral).string(nonce).number(HANDSHAKE_VERSION))
      .finish();
    return sealEip8(remoteKey, rlp, random);
  }
  const message = concatBytes(ephemeral, nonce, Uint8Array.of(0));
  const ecies = { secretKey: newSecretKey(random), iv: random(16) };
  return eciesEncrypt(remoteKey, message, new Uint8Array(0), ecies);
}

export interface AuthFields {
  readonly remoteKey: Uint8Array;
  readonly remoteEphemeral: Uint8Array;
  readonly nonce: Uint8Array;
}

/** Decrypts the auth packet that fills `bytes`, for replays of recorded sessions. */
export function openAuth(key: LocalNodeKey, bytes: Uint8Array): AuthFields {
  return decodeAuth(key, mustOpen(key, bytes, PLAIN_AUTH_BYTES))!;
}

/** Decrypts the ack packet that fills `bytes`, for replays of recorded sessions. */
export function openAck(
  key: LocalNodeKey,
  bytes: Uint8Array,
): { ephemeral: Uint8Array; nonce: Uint8Array } {
  return decodeAck(mustOpen(key, bytes, PLAIN_ACK_BYTES));
}

function mustOpen(key: HandshakeKey, bytes: Uint8Array, plainLength: number): OpenedPacket {
  const opened = openPacket(key, bytes, plainLength);
  if (!opened) throw invalid('packet is incomplete');
  return opened;
}

function decodeAuth(key: HandshakeKey, opened: OpenedPacket): AuthFields | undefined {
  const { message } = opened;
  let signature: Uint8Array;
  let remoteKey: Uint8Array;
  let nonce: Uint8Array;
  if (opened.plain) {
    const keyAt = SIGNATURE_BYTES + 32;
    signature = message.subarray(0, SIGNATURE_BYTES);
    remoteKey = message.slice(keyAt, keyAt + PUBLIC_KEY_BYTES);
    nonce = message.slice(keyAt + PUBLIC_KEY_BYTES, keyAt + PUBLIC_KEY_BYTES + NONCE_BYTES);
  } else {
    // Padding follows the list, and later versions may add elements.
    const reader = new RlpReader(message).enter();
    signature = reader.fixed(SIGNATURE_BYTES);
    remoteKey = reader.fixed(PUBLIC_KEY_BYTES).slice();
    nonce = reader.fixed(NONCE_BYTES).slice();
    reader.number();
  }
  if (!secp256k1().isPublicKey(remoteKey)) throw invalid('invalid public key');
  const recovery = signature[64];
  if (recovery !== 0 && recovery !== 1) throw invalid('invalid signature');
  const secret = key.sharedX(remoteKey);
  if (!secret) return undefined;
  const token = xor(secret, nonce);
  const remoteEphemeral = secp256k1().recover(token, signature.subarray(0, 64), recovery);
  if (!remoteEphemeral) throw invalid('invalid signature');
  return { remoteKey, remoteEphemeral, nonce };
}

function decodeAck(opened: OpenedPacket): { ephemeral: Uint8Array; nonce: Uint8Array } {
  const { message } = opened;
  let ephemeral: Uint8Array;
  let nonce: Uint8Array;
  if (opened.plain) {
    ephemeral = message.slice(0, PUBLIC_KEY_BYTES);
    nonce = message.slice(PUBLIC_KEY_BYTES, PUBLIC_KEY_BYTES + NONCE_BYTES);
  } else {
    const reader = new RlpReader(message).enter();
    ephemeral = reader.fixed(PUBLIC_KEY_BYTES).slice();
    nonce = reader.fixed(NONCE_BYTES).slice();
    reader.number();
  }
  if (!secp256k1().isPublicKey(ephemeral)) throw invalid('invalid public key');
  return { ephemeral, nonce };
}
