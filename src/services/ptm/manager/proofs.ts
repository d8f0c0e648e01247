/**
 * How a peer proves that it holds the key it asks for. It gets a secret, encrypted to that key, and
 * answers with a digest of the secret and its request. No state is kept: the secret is derived from
 * the key and the time. The peer decrypts only challenges from the manager that it asked, and never
 * reveals the result: that manager cannot use it to decrypt payloads, nor to answer a challenge
 * from another manager.
 */
import { fromBase64, toBase64 } from '../../../core/base/base64.ts';
import { concatBytes } from '../../../core/base/bytes.ts';
import { hasCode } from '../../../core/base/errors.ts';
import type { Clock, Entropy } from '../../../core/base/ports.ts';
import type { EnclaveCrypto } from '../../../core/payload/enclave-crypto.ts';
import { hasKey, type PublicKey } from '../../../core/payload/payload.ts';
import { decodePayload } from '../../../core/payload/payload-decode.ts';
import { encodeLegacy } from '../../../core/payload/payload-legacy.ts';
import type { Enclave } from './enclave.ts';

const SECRET_BYTES = 32;
const PROOF_BYTES = 32;
/** A secret is valid in its time window and the next. */
const WINDOW_MS = 5 * 60_000;
const TITLE: Uint8Array = ascii('quorate proof of a key 1\n');

export interface ProofsOptions {
  readonly enclave: Enclave;
  readonly crypto: EnclaveCrypto;
  readonly entropy: Entropy;
  /** Monotonic. */
  readonly clock: Clock;
}

/** The request that a proof is bound to. */
export interface ProvenRequest {
  readonly path: string;
  readonly body: Uint8Array;
}

export class Proofs {
  private readonly options: ProofsOptions;
  private readonly seed: Uint8Array;

  constructor(options: ProofsOptions) {
    this.options = options;
    this.seed = options.entropy.bytes(SECRET_BYTES);
  }

  /** Base64, for a peer that claims to hold `key`. Throws PTM_KEY_INVALID for an invalid key. */
  challenge(key: PublicKey): string {
    const { enclave } = this.options;
    const message = concatBytes(TITLE, this.secret(key, 0));
    return toBase64(encodeLegacy(enclave.encrypt(message, enclave.defaultKey(), [key])));
  }

  /** Whether the writer of `answer` could open a challenge for `key`. */
  accepts(key: PublicKey, request: ProvenRequest, answer: string): boolean {
    return [0, 1].some((age) => sameText(this.proof(this.secret(key, age), request), answer));
  }

  /**
   * Answers a challenge for our own `key` from a manager that holds one of `askers`. Undefined for
   * any other: it is not decrypted.
   */
  answer(
    challenge: string,
    key: PublicKey,
    askers: readonly PublicKey[],
    request: ProvenRequest,
  ): string | undefined {
    const { enclave } = this.options;
    try {
      const payload = decodePayload(fromBase64(challenge));
      if (!hasKey(askers, payload.senderKey)) return undefined;
      const message = enclave.decrypt(payload, key);
      if (message?.length !== TITLE.length + SECRET_BYTES) return undefined;
      if (!TITLE.every((byte, i) => message[i] === byte)) return undefined;
      return this.proof(message.subarray(TITLE.length), request);
    } catch (error) {
      if (hasCode(error, 'PAYLOAD_INVALID') || hasCode(error, 'BASE64_INVALID')) return undefined;
      throw error;
    }
  }

  private secret(key: PublicKey, age: number): Uint8Array {
    const window = Math.floor(this.options.clock.nowMs() / WINDOW_MS) - age;
    const digest = this.options.crypto.digest(this.seed, ascii(`${window} `), key);
    return digest.subarray(0, SECRET_BYTES);
  }

  private proof(secret: Uint8Array, { path, body }: ProvenRequest): string {
    const digest = this.options.crypto.digest(secret, ascii(`${path}\n`), body);
    return toBase64(digest.subarray(0, PROOF_BYTES));
  }
}

/** Compares in constant time, so that the time does not reveal where they differ. */
function sameText(a: string, b: string): boolean {
  let difference = a.length ^ b.length;
  for (let i = 0; i < a.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i);
  return difference === 0;
}

function ascii(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}
