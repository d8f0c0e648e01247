/**
 * What a peer with a proven key may learn about this store: which payloads that key is party to.
 * Nothing about other payloads, not even their hashes: the chain shows whose transactions they are.
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

export interface KeyPair {
  readonly own: readonly PublicKey[] | undefined;
  readonly keys: readonly PublicKey[];
}

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
   * For each pair, whether there are payloads of `own` and one of `keys` is party to all of them:
   * its holder then knows everything derived from them. With `isMutual`, also the other way round.
   * `own` undefined: all payloads of the store.
   */
  async areAllOf(pairs: readonly KeyPair[], isMutual = false): Promise<boolean[]> {
    const found = pairs.map((pair) => ({ pair, isAny: false, isWhole: true }));
    for await (const [, payload] of this.from('')) {
      for (const each of found) {
        const { own, keys } = each.pair;
        const isOwn = !payload || own === undefined || isParty(payload, own);
        const isTheirs = payload !== undefined && isParty(payload, keys);
        if (isOwn ? !isTheirs : isMutual && isTheirs) each.isWhole = false;
        else if (isOwn) each.isAny = true;
      }
      if (!found.some(({ isWhole }) => isWhole)) break;
    }
    return found.map(({ isAny, isWhole }) => isAny && isWhole);
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
