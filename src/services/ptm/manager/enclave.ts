/**
 * Holds our own keys; encrypts and decrypts payloads. No other code sees a secret key (Tessera
 * EnclaveImpl).
 */
import { toBase64 } from '../../../core/base/base64.ts';
import { equalBytes, keyOf } from '../../../core/base/bytes.ts';
import { fail } from '../../../core/base/errors.ts';
import { Lru } from '../../../core/base/lru.ts';
import type { Entropy } from '../../../core/base/ports.ts';
import type { EnclaveCrypto } from '../../../core/payload/enclave-crypto.ts';
import {
  type EncodedPayload,
  hasKey,
  indexOfKey,
  MASTER_KEY_BYTES,
  NO_METADATA,
  NONCE_BYTES,
  type PublicKey,
  type RawPayload,
} from '../../../core/payload/payload.ts';
import type { PayloadHash } from '../../../core/privacy/marker.ts';

/** Shared keys kept, one per (own key, peer key): X25519 is the expensive part of a box. */
const SHARED_KEYS_MAX = 4096;
/**
 * The same for peers that have not yet sent a valid box, so that invented keys cannot fill the
 * first table.
 */
const DOUBTFUL_KEYS_MAX = 64;
/** Boxes tried before a payload counts as undecryptable. */
const OPENINGS_MAX = 4096;
const RECIPIENT_NONCE_OF: Uint8Array = new TextEncoder().encode('quorate recipient nonce');

export interface OwnKey {
  readonly publicKey: PublicKey;
  readonly secretKey: Uint8Array;
}

/** A payload opened with one of our keys. */
export interface Opened {
  readonly masterKey: Uint8Array;
  readonly message: Uint8Array;
}

/** Metadata that is sent along with the cipher text. */
export type PayloadMetadata = typeof NO_METADATA;

export interface EnclaveOptions {
  /** In the configured order; the first is the default sender. */
  readonly keys: readonly OwnKey[];
  /** `alwaysSendTo`: recipients of every payload. */
  readonly forwardingKeys: readonly PublicKey[];
  readonly crypto: EnclaveCrypto;
  readonly entropy: Entropy;
}

export class Enclave {
  readonly publicKeys: readonly PublicKey[];
  readonly forwardingKeys: readonly PublicKey[];
  private readonly secrets = new Map<string, Uint8Array>();
  private readonly shared = new Lru<string, Uint8Array>(SHARED_KEYS_MAX);
  private readonly doubtful = new Lru<string, Uint8Array>(DOUBTFUL_KEYS_MAX);
  private readonly crypto: EnclaveCrypto;
  private readonly entropy: Entropy;

  constructor(options: EnclaveOptions) {
    if (options.keys.length === 0) {
      throw fail('PTM_KEYS_MISSING', 'no key is configured: give at least one in keys.keyData');
    }
    this.publicKeys = options.keys.map((key) => key.publicKey);
    this.forwardingKeys = options.forwardingKeys;
    this.crypto = options.crypto;
    this.entropy = options.entropy;
    for (const { publicKey, secretKey } of options.keys) {
      if (!equalBytes(this.crypto.publicKey(secretKey), publicKey)) {
        throw fail(
          'PTM_KEY_MISMATCH',
          `the private key configured for ${toBase64(publicKey)} does not match it`,
        );
      }
      this.secrets.set(keyOf(publicKey), secretKey);
    }
  }

  defaultKey(): PublicKey {
    return this.publicKeys[0]!;
  }

  owns(key: PublicKey): boolean {
    return this.secrets.has(keyOf(key));
  }

  hash(payload: { readonly cipherText: Uint8Array }): PayloadHash {
    return this.crypto.digest(payload.cipherText);
  }

  /** Throws PTM_KEY_NOT_FOUND when the sender's key is not ours. */
  encrypt(
    message: Uint8Array,
    sender: PublicKey,
    recipients: readonly PublicKey[],
    metadata: PayloadMetadata = NO_METADATA,
  ): EncodedPayload {
    const masterKey = this.entropy.bytes(MASTER_KEY_BYTES);
    const cipherTextNonce = this.entropy.bytes(NONCE_BYTES);
    const cipherText = this.crypto.seal(message, cipherTextNonce, masterKey);
    return {
      senderKey: sender,
      cipherText,
      cipherTextNonce,
      ...this.boxes(masterKey, sender, recipients),
      ...metadata,
    };
  }

  /**
   * Encrypts to the sender alone. COMPAT: one nonce for cipher text and key, as Tessera stores it;
   * the keys differ.
   */
  encryptRaw(message: Uint8Array, sender: PublicKey): RawPayload {
    const masterKey = this.entropy.bytes(MASTER_KEY_BYTES);
    const nonce = this.entropy.bytes(NONCE_BYTES);
    const own = this.sharedKey(sender, sender);
    return {
      senderKey: sender,
      cipherText: this.crypto.seal(message, nonce, masterKey),
      encryptedKey: this.crypto.seal(masterKey, nonce, own),
      nonce,
    };
  }

  decryptRaw(raw: RawPayload): Uint8Array {
    return this.mustOpen(raw.cipherText, raw.nonce, this.rawMasterKey(raw));
  }

  canOpenRaw(raw: RawPayload): boolean {
    const own = this.sharedKey(raw.senderKey, raw.senderKey);
    const masterKey = this.crypto.open(raw.encryptedKey, raw.nonce, own);
    return masterKey !== undefined && !!this.crypto.open(raw.cipherText, raw.nonce, masterKey);
  }

  /**
   * Keeps the cipher text and boxes its master key to the recipients: the payload keeps its hash.
   * The nonce is derived from the master key, so that a repeat after a crash gives the same bytes:
   * a recipient treats them as known, not as a conflict.
   */
  encryptFromRaw(
    raw: RawPayload,
    recipients: readonly PublicKey[],
    metadata: PayloadMetadata = NO_METADATA,
  ): EncodedPayload {
    const masterKey = this.rawMasterKey(raw);
    const nonce = this.crypto.digest(RECIPIENT_NONCE_OF, masterKey).subarray(0, NONCE_BYTES);
    return {
      senderKey: raw.senderKey,
      cipherText: raw.cipherText,
      cipherTextNonce: raw.nonce,
      ...this.boxes(masterKey, raw.senderKey, recipients, nonce),
      ...metadata,
    };
  }

  /**
   * Uses the first box whose key opens the cipher text. Undefined when none of our keys, or not the
   * requested one, opens it.
   */
  open(payload: EncodedPayload, only?: PublicKey): Opened | undefined {
    if (only && !this.owns(only) && !this.owns(payload.senderKey)) throw unknownKey(only);
    let tries = 0;
    for (const [own, peer, box] of this.candidates(payload, only)) {
      if (++tries > OPENINGS_MAX) return undefined;
      const opened = this.openWith(payload, this.unseal(payload, own, peer, box));
      if (opened) return opened;
    }
    return undefined;
  }

  decrypt(payload: EncodedPayload, only?: PublicKey): Uint8Array | undefined {
    return this.open(payload, only)?.message;
  }

  /** The master key in a box between `peer` and our key `own`. Undefined when it does not open. */
  unseal(
    { recipientNonce }: EncodedPayload,
    own: PublicKey,
    peer: PublicKey,
    box: Uint8Array,
  ): Uint8Array | undefined {
    const shared = this.findSharedKey(own, peer);
    const masterKey = shared && this.crypto.open(box, recipientNonce, shared);
    if (masterKey) this.shared.set(keyOf(own) + keyOf(peer), shared);
    return masterKey;
  }

  openWith(payload: EncodedPayload, masterKey: Uint8Array | undefined): Opened | undefined {
    const { cipherText, cipherTextNonce } = payload;
    const message = masterKey && this.crypto.open(cipherText, cipherTextNonce, masterKey);
    return message && { masterKey, message };
  }

  /** The box of a payload that we sent, for one of its recipients: always the same bytes. */
  seal(payload: EncodedPayload, masterKey: Uint8Array, recipient: PublicKey): Uint8Array {
    const shared = this.sharedKey(payload.senderKey, recipient);
    return this.crypto.seal(masterKey, payload.recipientNonce, shared);
  }

  /**
   * Those of our keys that a payload is for; found by decrypting when it names none, as from very
   * old peers.
   */
  managedParties(payload: EncodedPayload): PublicKey[] {
    if (payload.recipientKeys.length > 0) {
      return this.publicKeys.filter((key) => hasKey(payload.recipientKeys, key));
    }
    return this.publicKeys.filter((key) =>
      payload.recipientBoxes.some((box) => this.unseal(payload, key, payload.senderKey, box)),
    );
  }

  /** Proves knowledge of an affected payload. Undefined when none of our keys opens it. */
  securityHash(payload: EncodedPayload, affected: EncodedPayload): Uint8Array | undefined {
    const masterKey = this.open(affected)?.masterKey;
    return masterKey && this.crypto.digest(payload.cipherText, affected.cipherText, masterKey);
  }

  /**
   * Box i is for key i, tried first. Then every box for each of our keys: for payloads without
   * keys, and boxes out of order.
   */
  private *candidates(
    { senderKey, recipientKeys, recipientBoxes }: EncodedPayload,
    only: PublicKey | undefined,
  ): Generator<readonly [own: PublicKey, peer: PublicKey, box: Uint8Array]> {
    const isOurs = this.owns(senderKey);
    const keys = only && !isOurs ? [only] : this.publicKeys;
    for (const key of keys) {
      const box = recipientBoxes[indexOfKey(recipientKeys, key)];
      if (box) yield [key, senderKey, box];
    }
    for (const [i, box] of isOurs ? recipientBoxes.entries() : []) {
      const recipient = recipientKeys[i];
      if (recipient) yield [senderKey, recipient, box];
    }
    for (const key of keys) for (const box of recipientBoxes) yield [key, senderKey, box];
  }

  private boxes(
    masterKey: Uint8Array,
    sender: PublicKey,
    recipients: readonly PublicKey[],
    recipientNonce = this.entropy.bytes(NONCE_BYTES),
  ): Pick<EncodedPayload, 'recipientBoxes' | 'recipientNonce' | 'recipientKeys'> {
    const recipientBoxes = recipients.map((recipient) =>
      this.crypto.seal(masterKey, recipientNonce, this.sharedKey(sender, recipient)),
    );
    return { recipientBoxes, recipientNonce, recipientKeys: recipients };
  }

  private rawMasterKey(raw: RawPayload): Uint8Array {
    return this.mustOpen(raw.encryptedKey, raw.nonce, this.sharedKey(raw.senderKey, raw.senderKey));
  }

  private mustOpen(sealed: Uint8Array, nonce: Uint8Array, key: Uint8Array): Uint8Array {
    const message = this.crypto.open(sealed, nonce, key);
    if (!message) {
      throw fail('PTM_DECRYPT_FAILED', 'the payload cannot be decrypted: it is damaged or forged');
    }
    return message;
  }

  private sharedKey(own: PublicKey, peer: PublicKey): Uint8Array {
    const shared = this.findSharedKey(own, peer);
    if (!shared) throw fail('PTM_KEY_INVALID', `${toBase64(peer)} is not a valid public key`);
    this.shared.set(keyOf(own) + keyOf(peer), shared);
    return shared;
  }

  /** Undefined for an invalid peer key. */
  private findSharedKey(own: PublicKey, peer: PublicKey): Uint8Array | undefined {
    const name = keyOf(own) + keyOf(peer);
    const known = this.shared.get(name) ?? this.doubtful.get(name);
    if (known) return known;
    const secretKey = this.secrets.get(keyOf(own));
    if (!secretKey) throw unknownKey(own);
    const shared = this.crypto.sharedKey(peer, secretKey);
    if (shared) this.doubtful.set(name, shared);
    return shared;
  }
}

function unknownKey(key: PublicKey): Error {
  return fail(
    'PTM_KEY_NOT_FOUND',
    `Public key ${toBase64(key)} not found when searching for private key`,
  );
}
