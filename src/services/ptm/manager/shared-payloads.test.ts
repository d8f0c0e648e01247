import { expect, it } from 'vitest';
import { type EncodedPayload, NO_METADATA } from '../../../core/payload/payload.ts';
import type { PayloadHash } from '../../../core/privacy/marker.ts';
import { SharedPayloads } from './shared-payloads.ts';
import type { PayloadStore } from './store.ts';

const key = (fill: number) => new Uint8Array(32).fill(fill);

const payload: EncodedPayload = {
  ...NO_METADATA,
  senderKey: key(1),
  cipherText: new Uint8Array(40),
  cipherTextNonce: new Uint8Array(24),
  recipientBoxes: [new Uint8Array(48)],
  recipientNonce: new Uint8Array(24),
  recipientKeys: [key(2)],
};

function hashOf(number: number): PayloadHash {
  const hash = new Uint8Array(64);
  new DataView(hash.buffer).setUint32(0, number);
  return hash;
}

/** The number in a hash; `store.page` also gets the hash before the first with a prefix. */
function numberOf(hash: PayloadHash): number {
  return new DataView(hash.buffer).getUint32(0);
}

/** A store with `count` payloads; `read` tells how many of them were read. */
function storeOf(count: number) {
  let read = 0;
  const store = {
    async page(limit: number, after?: PayloadHash) {
      const from = after ? numberOf(after) + 1 : 0;
      const length = Math.min(limit, Math.max(0, count - from));
      read += length;
      return Array.from({ length }, (_, at) => [hashOf(from + at), payload] as const);
    },
  } as unknown as PayloadStore;
  return { shared: new SharedPayloads(store), read: () => read };
}

it('looks at so many payloads for one question, whomever they are for, and then says too many', async () => {
  const exact = storeOf(16_384);
  expect(await exact.shared.listFor(key(2), '')).toHaveLength(16_384);
  for (const asker of [key(2), key(3)]) {
    const { shared, read } = storeOf(20_000);
    expect(await shared.listFor(asker, '')).toBeUndefined();
    expect(read()).toBeLessThanOrEqual(16_384 + 64);
  }
  // Requested in parts: 0x00000000 to 0x00003fff, and the rest.
  const { shared } = storeOf(20_000);
  expect(await shared.listFor(key(2), '00004')).toHaveLength(20_000 - 0x4000);
});
