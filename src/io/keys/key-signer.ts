/** An account's key: in memory, encrypted until used, or remote. Each kind can be forgotten. */
import type { Address, Hash32 } from '../../core/base/bytes.ts';
import { equalBytes } from '../../core/base/bytes.ts';
import { fail, hasCode, type QuorateError } from '../../core/base/errors.ts';
import { toHex } from '../../core/base/hex.ts';
import { addressOfPublicKey, secp256k1, sign65 } from '../../core/base/secp256k1.ts';
import type { AccountSigner } from '../../core/signing/account-signer.ts';
import { completeSignature } from '../../core/signing/remote-signature.ts';
import type { Gate } from '../threads/parallel.ts';

export interface KeySigner extends AccountSigner {
  /** Available without opening the key; undefined while an encrypted key has not been opened. */
  readonly knownPublicKey: Uint8Array | undefined;
  /**
   * x coordinate (32 bytes) of the point shared with a public key; undefined: no, the key is not
   * open or is in a device that does not offer this. Only for node keys.
   */
  sharedX?(publicKey: Uint8Array): Uint8Array | undefined;
  /** Stops signing; the key is overwritten in memory. */
  forget(): void;
}

/** A key in memory. Takes ownership of `secretKey`, and overwrites it with zeros in the end. */
export class MemorySigner implements KeySigner {
  readonly address: Address;
  readonly knownPublicKey: Uint8Array;
  private secretKey: Uint8Array | undefined;

  constructor(secretKey: Uint8Array) {
    this.knownPublicKey = secp256k1().publicKey(secretKey);
    this.address = addressOfPublicKey(this.knownPublicKey);
    this.secretKey = secretKey;
  }

  async publicKey(): Promise<Uint8Array> {
    return this.knownPublicKey;
  }

  sign(digest: Hash32): Uint8Array {
    if (!this.secretKey) throw forgotten(this.address);
    return sign65(digest, this.secretKey);
  }

  sharedX(publicKey: Uint8Array): Uint8Array | undefined {
    return this.secretKey && secp256k1().sharedX(this.secretKey, publicKey);
  }

  forget(): void {
    this.secretKey?.fill(0);
    this.secretKey = undefined;
  }
}

export interface SealedKey {
  readonly address: Address;
  readonly publicKey?: Uint8Array | undefined;
  /** Reads the secret key again at each call. */
  open(): Promise<Uint8Array>;
  /** Called once the public key is known. */
  readonly onPublicKey?: ((publicKey: Uint8Array) => void) | undefined;
  readonly onFailure?: FailureSink | undefined;
}

/** Receives the reason why a key could not be used; the requester does not get it. */
export type FailureSink = (error: QuorateError) => void;

/**
 * A key that is opened at its first signature and stays open. Opening is expensive, so `gate`
 * limits concurrent openings.
 */
export class SealedSigner implements KeySigner {
  readonly address: Address;
  private readonly sealed: SealedKey;
  private readonly gate: Gate;
  private known: Uint8Array | undefined;
  private secretKey: Uint8Array | undefined;
  private opening: Promise<Uint8Array> | undefined;
  private isForgotten = false;

  constructor(sealed: SealedKey, gate: Gate) {
    this.address = sealed.address;
    this.known = sealed.publicKey;
    this.sealed = sealed;
    this.gate = gate;
  }

  get knownPublicKey(): Uint8Array | undefined {
    return this.known;
  }

  /**
   * The public key. An encrypted key is opened for it, after all pending signatures, and closed
   * again.
   */
  async publicKey(): Promise<Uint8Array> {
    if (this.known) return this.known;
    if (this.opening) await this.opening;
    else (await this.open(false)).fill(0);
    return this.known!;
  }

  sign(digest: Hash32): Uint8Array | Promise<Uint8Array> {
    if (this.secretKey) return sign65(digest, this.secretKey);
    if (this.isForgotten) throw forgotten(this.address);
    this.opening ??= this.openToStay();
    return this.opening.then((secretKey) => {
      if (this.isForgotten) throw forgotten(this.address);
      return sign65(digest, secretKey);
    });
  }

  sharedX(publicKey: Uint8Array): Uint8Array | undefined {
    return this.secretKey && secp256k1().sharedX(this.secretKey, publicKey);
  }

  /** Opens the key now; it stays open. */
  async unlock(): Promise<void> {
    if (this.secretKey || this.isForgotten) return;
    this.opening ??= this.openToStay();
    await this.opening;
  }

  forget(): void {
    this.isForgotten = true;
    this.secretKey?.fill(0);
    this.secretKey = undefined;
  }

  private async openToStay(): Promise<Uint8Array> {
    try {
      const secretKey = await this.open(true);
      if (this.isForgotten) {
        secretKey.fill(0);
        throw forgotten(this.address);
      }
      this.secretKey = secretKey;
      return secretKey;
    } finally {
      this.opening = undefined;
    }
  }

  private async open(isUrgent: boolean): Promise<Uint8Array> {
    const { onFailure } = this.sealed;
    const secretKey = await this.gate
      .run(() => this.sealed.open(), isUrgent)
      .catch((cause: unknown) => {
        throw unavailable(this.address, cause, onFailure);
      });
    const publicKey = secp256k1().publicKey(secretKey);
    if (!equalBytes(addressOfPublicKey(publicKey), this.address)) {
      secretKey.fill(0);
      throw unavailable(
        this.address,
        fail('KEY_MISMATCH', 'the key found belongs to another account'),
        onFailure,
      );
    }
    if (!this.known) {
      this.known = publicKey;
      this.sealed.onPublicKey?.(publicKey);
    }
    return secretKey;
  }
}

/** A remote key that is never exported. */
export class RemoteSigner implements KeySigner {
  readonly address: Address;
  readonly knownPublicKey: Uint8Array;
  private readonly ask: (digest: Hash32) => Promise<Uint8Array>;
  private readonly onFailure: FailureSink | undefined;
  private isForgotten = false;

  /** `ask` resolves with r ‖ s, 64 bytes. */
  constructor(
    publicKey: Uint8Array,
    ask: (digest: Hash32) => Promise<Uint8Array>,
    onFailure?: FailureSink,
  ) {
    this.knownPublicKey = publicKey;
    this.address = addressOfPublicKey(publicKey);
    this.ask = ask;
    this.onFailure = onFailure;
  }

  async publicKey(): Promise<Uint8Array> {
    return this.knownPublicKey;
  }

  async sign(digest: Hash32): Promise<Uint8Array> {
    if (this.isForgotten) throw forgotten(this.address);
    try {
      return completeSignature(digest, await this.ask(digest), this.knownPublicKey);
    } catch (cause) {
      throw unavailable(this.address, cause, this.onFailure);
    }
  }

  forget(): void {
    this.isForgotten = true;
  }
}

function forgotten(address: Address): QuorateError {
  return fail('SIGNER_UNAVAILABLE', `the key of ${toHex(address)} was removed`);
}

function unavailable(
  address: Address,
  cause: unknown,
  onFailure: FailureSink | undefined,
): QuorateError {
  const reason = hasCode(cause, 'GATE_FULL')
    ? 'too many keys are being unlocked'
    : cause instanceof Error
      ? cause.message
      : String(cause);
  const message = `the key of ${toHex(address)} cannot be obtained: ${reason}`;
  const error = fail('SIGNER_UNAVAILABLE', message, { cause });
  onFailure?.(error);
  return error;
}
