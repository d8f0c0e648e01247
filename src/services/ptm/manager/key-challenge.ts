/**
 * Proves that the manager at a URL holds a key: it must decrypt a UUID encrypted to that key
 * (Tessera PartyInfoResource, `/partyinfo/validate`). A key is accepted only at a URL where this
 * succeeded.
 */
import { toBase64 } from '../../../core/base/base64.ts';
import { keyOf } from '../../../core/base/bytes.ts';
import { fail } from '../../../core/base/errors.ts';
import { Lru } from '../../../core/base/lru.ts';
import type { Clock, Entropy, Log } from '../../../core/base/ports.ts';
import type { PublicKey } from '../../../core/payload/payload.ts';
import { decodePayload } from '../../../core/payload/payload-decode.ts';
import { encodeLegacy } from '../../../core/payload/payload-legacy.ts';
import type { Enclave } from './enclave.ts';
import type { PeerWire } from './peers.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const UUID_BYTES = 16;
const UUID_CHARACTERS_MAX = 64;
/** Keys of one URL tried per exchange; a manager with more keys has them accepted gradually. */
const KEYS_TRIED_MAX = 64;
/** After this many consecutive refusals the rest of the list is not tried. */
const REFUSALS_MAX = 4;
/** How long a key whose proof failed is not tried again. */
const REFUSED_MS = 60_000;
const REFUSED_MAX = 4096;

export interface KeyChallengeOptions {
  readonly enclave: Enclave;
  readonly wire: PeerWire;
  readonly entropy: Entropy;
  /** Monotonic. */
  readonly clock: Clock;
  readonly say: Log;
}

export class KeyChallenge {
  private readonly options: KeyChallengeOptions;
  private readonly refusedMs = new Lru<string, number>(REFUSED_MAX);

  constructor(options: KeyChallengeOptions) {
    this.options = options;
  }

  /** The keys that the manager at `url` now proves. */
  async proven(url: string, keys: readonly PublicKey[]): Promise<PublicKey[]> {
    const nowMs = this.options.clock.nowMs();
    const due = keys.filter((key) => {
      const atMs = this.refusedMs.get(nameOf(url, key));
      return atMs === undefined || nowMs - atMs >= REFUSED_MS;
    });
    const proven: PublicKey[] = [];
    let refusals = 0;
    for (const key of due.slice(0, KEYS_TRIED_MAX)) {
      if (refusals === REFUSALS_MAX) break;
      const outcome = await this.ask(url, key);
      if (outcome === 'proven') {
        proven.push(key);
        refusals = 0;
      } else {
        refusals++;
        if (outcome === 'refused') this.refuse(url, key);
      }
    }
    return proven;
  }

  /**
   * Answers a peer's challenge with the clear text if it is a UUID; otherwise throws
   * PTM_REQUEST_INVALID, so that no peer can use us to decrypt payloads.
   */
  answer(body: Uint8Array): string {
    const payload = decodePayload(body);
    const { enclave } = this.options;
    const key = payload.recipientKeys[0];
    const isOne = payload.recipientBoxes.length === 1 && payload.recipientKeys.length === 1;
    const opened = isOne && key && enclave.owns(key) && enclave.decrypt(payload, key);
    const text = opened ? String.fromCharCode(...opened.subarray(0, UUID_CHARACTERS_MAX)) : '';
    if (!UUID.test(text)) throw fail('PTM_REQUEST_INVALID', 'the challenge holds no UUID');
    return text;
  }

  private async ask(url: string, key: PublicKey): Promise<'proven' | 'refused' | 'away'> {
    const { enclave, wire, entropy } = this.options;
    const secret = uuid(entropy.bytes(UUID_BYTES));
    const message = Uint8Array.from(secret, (character) => character.charCodeAt(0));
    let challenge: Uint8Array;
    try {
      challenge = encodeLegacy(enclave.encrypt(message, enclave.defaultKey(), [key]));
    } catch {
      // The peer sent an invalid key.
      return 'refused';
    }
    try {
      return (await wire.validate(url, challenge)) === secret ? 'proven' : 'refused';
    } catch {
      return 'away';
    }
  }

  private refuse(url: string, key: PublicKey): void {
    this.refusedMs.set(nameOf(url, key), this.options.clock.nowMs());
    this.options.say('warn', 'a peer claims a key that it cannot prove', {
      url,
      key: toBase64(key),
    });
  }
}

function nameOf(url: string, key: PublicKey): string {
  return `${keyOf(key)}${url}`;
}

function uuid(random: Uint8Array): string {
  const hex = [...random].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  const version = `4${hex.slice(13, 16)}`;
  const variant = `a${hex.slice(17, 20)}`;
  return [hex.slice(0, 8), hex.slice(8, 12), version, variant, hex.slice(20, 32)].join('-');
}
