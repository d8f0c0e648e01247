/**
 * What a peer with a proven key may learn of this store: which payloads that key is party to.
 * Nothing about others, not even their hashes: the chain shows whose transactions they are.
 */

import { equalBytes } from '../../../core/base/bytes.ts';
import { toHex } from '../../../core/base/hex.ts';
import {
  type EncodedPayload,
  hasKey,
  PAYLOAD_HASH_BYTES,
  type PublicKey,
} from '../../../core/payload/payload.ts';
import type { PayloadHash } from '../../../core/privacy/marker.ts';
import type { PayloadStore } from './store.ts';

/** Most payloads read per question. */
const LOOKED_MAX = 16_384;
const PAGE_PAYLOADS_MAX = 64;
/** Hex digits: 16 to the power of 8 ranges are enough for any store. */
export const PREFIX_DIGITS_MAX = 8;

export class SharedPayloads {
  private readonly store: PayloadStore;

  constructor(store: PayloadStore) {
    this.store = store;
  }

  /**
   * Payloads of `key` whose hash begins with `prefix` (hex digits); undefined: too many, use a
   * longer prefix.
   */
  async listFor(key: PublicKey, prefix: string): Promise<PayloadHash[] | undefined> {
    const shared: PayloadHash[] = [];
    let looked = 0;
    for await (const [hash, payload] of this.from(prefix)) {
      if (++looked > LOOKED_MAX) return undefined;
      if (payload && isParty(payload, [key])) shared.push(hash);
    }
    return shared;
  }

  /**
   * Whether the store is not empty and one of `keys` is party to all of it: its holder then knows
   * everything derived from it.
   */
  async isAllOf(keys: readonly PublicKey[]): Promise<boolean> {
    let isAny = false;
    for await (const [, payload] of this.from('')) {
      if (!payload || !isParty(payload, keys)) return false;
      isAny = true;
    }
    return isAny;
  }

  private async *from(prefix: string): AsyncGenerator<[PayloadHash, EncodedPayload | undefined]> {
    let after = before(prefix);
    for (;;) {
      const page = await this.store.page(PAGE_PAYLOADS_MAX, after);
      for (const [hash, payload] of page) {
        if (!toHex(hash).startsWith(`0x${prefix}`)) return;
        yield [hash, payload];
      }
      after = page.at(-1)?.[0];
      if (page.length < PAGE_PAYLOADS_MAX) return;
    }
  }
}

function isParty(
  { senderKey, recipientKeys }: EncodedPayload,
  keys: readonly PublicKey[],
): boolean {
  return keys.some((key) => equalBytes(senderKey, key) || hasKey(recipientKeys, key));
}

/** The hash before the first one with this prefix; undefined: there is none. */
function before(prefix: string): PayloadHash | undefined {
  const first = BigInt(`0x0${prefix.padEnd(PAYLOAD_HASH_BYTES * 2, '0')}`);
  if (first === 0n) return undefined;
  const digits = (first - 1n).toString(16).padStart(PAYLOAD_HASH_BYTES * 2, '0');
  return new Uint8Array(Buffer.from(digits, 'hex'));
}
